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
  let shownId = "";
  let shown: Order | undefined;
  const cell = (name: string) => el("div", { class: name, role: "cell" });
  const side = cell("order-side side");
  const market = el("a", {});
  const marketCell = cell("order-market");
  marketCell.append(market);
  const price = cell("order-price num");
  const amount = cell("order-amount num");
  const total = cell("order-total num");
  const backed = cell("order-backed num backed");
  const expires = cell("order-expires num");
  const id = el("code");
  const idCell = cell("order-id");
  idCell.append(
    el(
      "span",
      { class: "address" },
      id,
      copyButton("the order's ID", () => shownId),
    ),
  );
  const action = (name: string, run: (order: Order) => void) =>
    el(
      "button",
      { type: "button", class: "button", onclick: () => shown !== undefined && run(shown) },
      name,
    );
  const actionCell = cell("order-actions");
  actionCell.append(action("Change", actions.change), action("Cancel", actions.cancel));
  return {
    element: el(
      "div",
      { class: "order-row", role: "row" },
      side,
      marketCell,
      price,
      amount,
      total,
      backed,
      expires,
      idCell,
      actionCell,
    ),
    update: (order) => {
      shownId = order.id;
      shown = order;
      setHidden(actionCell, !actions.areOffered());
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
      showBacked(order);
      const ends = order.expires;
      setText(expires, ends === undefined ? "never" : untilText(ends, Date.now()));
      setTitle(expires, ends === undefined ? "" : `${timeText(ends)} ${zone.name}`);
      setText(id, shortAddress(order.id));
      setTitle(id, order.id);
    },
  };

  function showBacked({ backed: part, amount: whole, selling }: Order): void {
    const units = BigInt(part ?? 0);
    const share = BigInt(whole) === 0n ? 0 : Number((units * 1000n) / BigInt(whole)) / 1000;
    setText(backed, part === undefined ? "unknown" : `${Math.floor(share * 100)}%`);
    const of = `${amountText(units)} of ${amountText(whole)} ${assets.label(selling)}`;
    setTitle(backed, part === undefined ? "" : of);
    backed.style.setProperty("--fill", String(share));
    setClass(backed, "is-short", part !== undefined && units < BigInt(whole));
  }
}
