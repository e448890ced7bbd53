// One live order of an account as its market sees it, and how much of it its maker's money covers.
import type { Order } from "../../../src/api/types.ts";
import { el, setClass, setHidden, setText, setTitle } from "../dom.ts";
import { amountText, shortAmount } from "../number/amount.ts";
import { compact } from "../number/decimal.ts";
import { copyButton } from "../page/copy-button.ts";
import { timeText, untilText, zone } from "../page/time.ts";
import type { Row } from "../page/virtual-list.ts";
import { marketLink } from "../route.ts";
import { type Assets, shortAddress } from "../state/assets.ts";
import { exactPrice, orientedOrder } from "../state/orientation.ts";

/** Of prices, as the API prints them. */
const DIGITS = 8;

export const ORDER_COLUMNS = [
  "Side",
  "Market",
  "Price",
  "Amount",
  "Total",
  "Backed",
  "Expires",
  "Order",
  "",
] as const;

/** What the owner can do with an order. */
export type OrderActions = {
  /** Whether the page signs for the orders' owner. */
  readonly areOffered: () => boolean;
  readonly change: (order: Order) => void;
  readonly cancel: (order: Order) => void;
};

export function orderRow(assets: Assets, actions: OrderActions): Row<Order> {
  let shown: Order | undefined;
  const cells = orderCells(() => shown?.id ?? "");
  const action = (name: string, run: (order: Order) => void) => {
    const onclick = () => shown !== undefined && run(shown);
    return el("button", { type: "button", class: "button", onclick }, name);
  };
  cells.actions.append(action("Change", actions.change), action("Cancel", actions.cancel));
  const { side, marketCell, price, amount, total, backed, expires, idCell } = cells;
  const inOrder = [side, marketCell, price, amount, total, backed, expires, idCell, cells.actions];
  return {
    element: el("div", { class: "order-row", role: "row" }, ...inOrder),
    update: (order) => {
      shown = order;
      setHidden(cells.actions, !actions.areOffered());
      showMarket(cells, order, assets);
      showBacked(backed, order, assets);
      const ends = order.expires;
      setText(expires, ends === undefined ? "never" : untilText(ends, Date.now()));
      setTitle(expires, ends === undefined ? "" : `${timeText(ends)} ${zone.name}`);
      setText(cells.id, shortAddress(order.id));
      setTitle(cells.id, order.id);
    },
  };
}

type OrderCells = ReturnType<typeof orderCells>;

function orderCells(shownId: () => string) {
  const cell = (name: string, ...children: readonly Node[]) =>
    el("div", { class: name, role: "cell" }, ...children);
  const market = el("a", {});
  const id = el("code");
  const copy = copyButton("the order's ID", shownId);
  return {
    side: cell("order-side side"),
    market,
    marketCell: cell("order-market", market),
    price: cell("order-price num"),
    amount: cell("order-amount num"),
    total: cell("order-total num"),
    backed: cell("order-backed num backed"),
    expires: cell("order-expires num"),
    id,
    idCell: cell("order-id", el("span", { class: "address" }, id, copy)),
    actions: cell("order-actions"),
  };
}

/** What the order does to its market, in the market's orientation. */
function showMarket(
  { side, market, price, amount, total }: OrderCells,
  order: Order,
  assets: Assets,
): void {
  const seen = orientedOrder(order, order.amount);
  const [base, quote] = [assets.label(seen.base), assets.label(seen.quote)];
  setText(side, seen.side === "buy" ? "Buy" : "Sell");
  side.dataset.tone = seen.side === "buy" ? "up" : "down";
  setText(market, `${base}/${quote}`);
  const href = marketLink(seen.base, seen.quote);
  if (market.getAttribute("href") !== href) market.setAttribute("href", href);
  setText(price, compact(seen.price, DIGITS));
  setTitle(price, `${exactPrice(order)} ${quote} per ${base}`);
  setText(amount, shortAmount(seen.baseUnits));
  setTitle(amount, `${amountText(seen.baseUnits)} ${base} left`);
  setText(total, shortAmount(seen.quoteUnits));
  setTitle(total, `${amountText(seen.quoteUnits)} ${quote}`);
}

function showBacked(
  cell: HTMLElement,
  { backed, amount: whole, selling }: Order,
  assets: Assets,
): void {
  const units = BigInt(backed ?? 0);
  const share = BigInt(whole) === 0n ? 0 : Number((units * 1000n) / BigInt(whole)) / 1000;
  setText(cell, backed === undefined ? "unknown" : `${Math.floor(share * 100)}%`);
  const of = `${amountText(units)} of ${amountText(whole)} ${assets.label(selling)}`;
  setTitle(cell, backed === undefined ? "" : of);
  cell.style.setProperty("--fill", String(share));
  setClass(cell, "is-short", backed !== undefined && units < BigInt(whole));
}
