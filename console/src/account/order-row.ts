// One live order of an account and how much of it its maker's money covers.
import type { Order } from "../../../src/api/types.ts";
import { el, setClass, setText, setTitle } from "../dom.ts";
import { amountText, contractPriceText } from "../number/amount.ts";
import { shortened } from "../number/decimal.ts";
import { copyButton } from "../page/copy-button.ts";
import { untilText } from "../page/time.ts";
import type { Row } from "../page/virtual-list.ts";
import { marketLink } from "../route.ts";
import { type Assets, shortAddress } from "../state/assets.ts";

/** Of prices; the exact ones are in their titles. */
const DIGITS = 7;

export const ORDER_COLUMNS = [
  "Sells",
  "For",
  "Price",
  "Left",
  "Backed",
  "Expires",
  "Order",
] as const;

export function orderRow(assets: Assets): Row<Order> {
  let shownId = "";
  const cell = (name: string) => el("div", { class: name, role: "cell" });
  const selling = cell("order-asset");
  const buying = cell("order-asset");
  const market = el("a", {});
  selling.append(market);
  const price = cell("num");
  const left = cell("num");
  const backed = cell("num backed");
  const backedText = el("span");
  backed.append(backedText);
  const expires = cell("num order-expires");
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
  const cells = [selling, buying, price, left, backed, expires, idCell];
  cells.forEach((one, at) => {
    one.dataset.label = ORDER_COLUMNS[at] ?? "";
  });
  return {
    element: el("div", { class: "order-row", role: "row" }, ...cells),
    update: (order) => {
      shownId = order.id;
      setText(market, assets.label(order.selling));
      const href = marketLink(order.selling, order.buying);
      if (market.getAttribute("href") !== href) market.setAttribute("href", href);
      setText(buying, assets.label(order.buying));
      const exactPrice = contractPriceText(order.price);
      setText(price, shortened(exactPrice, DIGITS));
      setTitle(
        price,
        `${exactPrice} ${assets.label(order.buying)} per ${assets.label(order.selling)}`,
      );
      setText(left, amountText(order.amount));
      setTitle(left, `of ${amountText(order.quote)} at first`);
      showBacked(order);
      setText(
        expires,
        order.expires === undefined ? "never" : untilText(order.expires, Date.now()),
      );
      setTitle(expires, order.expires === undefined ? "" : `${order.expires} UTC`);
      setText(id, shortAddress(order.id));
      setTitle(id, order.id);
    },
  };

  function showBacked({ backed: part, amount }: Order): void {
    setText(backedText, part === undefined ? "unknown" : amountText(part));
    const units = BigInt(part ?? 0);
    const whole = BigInt(amount);
    const share = whole === 0n ? 0 : Number((units * 1000n) / whole) / 1000;
    backed.style.setProperty("--fill", String(share));
    setClass(backed, "is-short", part !== undefined && units < whole);
  }
}
