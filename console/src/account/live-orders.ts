// The live orders of an account, each with how much of it the account's backing covers.
import type { Order } from "../../../src/api/types.ts";
import { el, setText } from "../dom.ts";
import { Notice } from "../page/panel.ts";
import { VirtualList } from "../page/virtual-list.ts";
import { cancelOrder, changeOrder } from "../trading/order-actions.ts";
import type { Sources } from "../view.ts";
import type { AccountState } from "./account-state.ts";
import { ORDER_COLUMNS, orderRow } from "./order-row.ts";

/** Pixels, as in the stylesheet: on a phone an order takes three lines, an own one with its buttons more. */
const ROW_HEIGHT = { wide: 36, narrow: 74, own: 108 };
/** As wide as a phone: the stylesheet's first width. */
const narrow = matchMedia("(max-width: 767px)");

export class LiveOrders {
  readonly element: HTMLElement;
  readonly count = el("span", { class: "muted num" });
  readonly #list: VirtualList<Order>;
  readonly #notice = new Notice();

  /** `isOwn`: whether the page signs for the account. */
  constructor(sources: Sources, state: AccountState, isOwn: () => boolean) {
    const actions = {
      areOffered: isOwn,
      change: (order: Order) => changeOrder(sources, order, state),
      cancel: (order: Order) => void cancelOrder(sources, order),
    };
    const heads = ORDER_COLUMNS.map((name) => el("div", { role: "columnheader" }, name));
    this.#list = new VirtualList<Order>(
      {
        rowHeight: () => ROW_HEIGHT[!narrow.matches ? "wide" : isOwn() ? "own" : "narrow"],
        key: ({ id }) => id,
        row: () => orderRow(sources.assets, actions),
        label: "Live orders",
      },
      el("div", { class: "order-row order-head", role: "row" }, ...heads),
    );
    this.element = el("div", { class: "list-frame" }, this.#list.element, this.#notice.element);
  }

  /** `refusal`: why the engine does not tell the account's orders. */
  show({ orders, loaded }: AccountState, refusal: string | undefined): void {
    this.#list.show([...orders.values()]);
    setText(this.count, loaded ? `${orders.size.toLocaleString("en-US")} live` : "");
    if (refusal !== undefined) this.#notice.show({ kind: "error", message: refusal });
    else if (!loaded) this.#notice.show({ kind: "loading" });
    else if (orders.size === 0) {
      const hint = "Orders of this account appear here as they are created.";
      this.#notice.show({ kind: "empty", title: "No live orders", hint });
    } else this.#notice.show({ kind: "none" });
  }

  close(): void {
    this.#list.close();
  }
}
