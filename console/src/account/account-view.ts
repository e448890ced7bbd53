// One account: its live orders with their backing, and what happened to it.
import type { Order, Swap, Trade } from "../../../src/api/types.ts";
import { isStrkey, StrkeyVersion } from "../../../src/model/strkey.ts";
import { ask } from "../api/rest.ts";
import { el, setClass, setHidden, setText } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { copyButton } from "../page/copy-button.ts";
import { isNarrow } from "../page/narrow.ts";
import { Notice, panel } from "../page/panel.ts";
import { tabs } from "../page/tabs.ts";
import { VirtualList } from "../page/virtual-list.ts";
import { accountLink } from "../route.ts";
import { shortAddress } from "../state/assets.ts";
import { cancelOrder, changeOrder } from "../trading/order-actions.ts";
import { Endings, type Sources, type View } from "../view.ts";
import { failures, fills, orderHistory } from "./account-lists.ts";
import { AccountState } from "./account-state.ts";
import { backingTable } from "./backing-table.ts";
import { ORDER_COLUMNS, orderRow } from "./order-row.ts";

/** Pixels, as in the stylesheet: on a phone an order takes three lines. */
const ORDER_ROW_HEIGHT = { wide: 36, narrow: 74, own: 108 };
/** Failed calls are not pushed. */
const FAILURES_MS = 5_000;
const SUGGESTED = 8;

export function accountViewOf(sources: Sources, address: string | undefined): View {
  if (address === undefined) return chooseAccount(undefined);
  if (!isAddress(address)) return chooseAccount(address);
  return oneAccount(sources, address);
}

function isAddress(text: string): boolean {
  return isStrkey(StrkeyVersion.account, text) || isStrkey(StrkeyVersion.contract, text);
}

function oneAccount(sources: Sources, address: string): View {
  const { connection, assets, wallet } = sources;
  const isOwn = () => wallet.canSend && wallet.holder?.address === address;
  const endings = new Endings();
  const state = new AccountState();
  const notice = new Notice();
  const list = new VirtualList<Order>(
    {
      rowHeight: () =>
        isNarrow() ? ORDER_ROW_HEIGHT[isOwn() ? "own" : "narrow"] : ORDER_ROW_HEIGHT.wide,
      key: ({ id }) => id,
      row: () =>
        orderRow(assets, {
          areOffered: isOwn,
          change: (order) => changeOrder(sources, order, state),
          cancel: (order) => void cancelOrder(sources, order),
        }),
      label: "Live orders",
    },
    el(
      "div",
      { class: "order-row order-head", role: "row" },
      ...ORDER_COLUMNS.map((name) => el("div", { role: "columnheader" }, name)),
    ),
  );
  const count = el("span", { class: "muted num" });
  const backing = backingTable(assets);
  const lists = {
    history: orderHistory(sources, address),
    fills: fills(sources, address),
    failures: failures(sources, address),
  };
  let error: string | undefined;

  function update(): void {
    setClass(element, "is-own", isOwn());
    list.show([...state.orders.values()]);
    setText(count, state.loaded ? `${state.orders.size.toLocaleString("en-US")} live` : "");
    backing.show(state.backing, state.loaded);
    if (error !== undefined) notice.show({ kind: "error", message: error });
    else if (!state.loaded) notice.show({ kind: "loading" });
    else if (state.orders.size === 0) {
      const hint = "Orders of this account appear here as they are created.";
      notice.show({ kind: "empty", title: "No live orders", hint });
    } else notice.show({ kind: "none" });
  }

  const redraw = () => draw(update);
  endings.add(
    connection.subscribe(
      { channel: "account", address },
      {
        message: (message) => {
          error = undefined;
          state.received(message);
          const gone = message.type === "order" && message.order.status !== "ACTIVE";
          if (gone || message.type === "account") lists.history.refresh();
          if (message.type !== "backing") lists.fills.refresh();
          redraw();
        },
        refused: (message) => {
          error = message;
          redraw();
        },
      },
    ),
  );

  endings.add(
    assets.changes.listen(() => {
      for (const one of Object.values(lists)) one.redraw();
      redraw();
    }),
  );
  endings.add(wallet.changes.listen(redraw));
  endings.every(1000, redraw);
  endings.every(FAILURES_MS, () => {
    if (lists.failures.element.checkVisibility()) lists.failures.refresh();
  });
  endings.add(() => {
    cancelDraw(update);
    list.close();
    for (const one of Object.values(lists)) one.close();
  });

  const ordersPanel = panel("Orders", "orders-panel", []);
  const live = el("div", { class: "list-frame" }, list.element, notice.element);
  const parts = tabs(
    "Of the account",
    [
      { name: "Live orders", element: live, shown: () => setHidden(count, false) },
      { name: "Order history", element: lists.history.element, shown: hideCount },
      { name: "Fills", element: lists.fills.element, shown: hideCount },
      {
        name: "Failures",
        element: lists.failures.element,
        shown: () => {
          hideCount();
          lists.failures.refresh();
        },
      },
    ],
    ordersPanel.body,
  );
  function hideCount(): void {
    setHidden(count, true);
  }
  ordersPanel.head.replaceChildren(parts, count);
  const backingPanel = panel("Backing", "backing-panel");
  backingPanel.body.append(backing.element);
  const element = el(
    "div",
    { class: "account-view" },
    el(
      "div",
      { class: "account-head" },
      el("h1", {}, "Account"),
      el(
        "span",
        { class: "address account-address" },
        el("code", {}, address),
        copyButton("the account's address", () => address),
      ),
      addressForm(),
    ),
    ordersPanel.element,
    backingPanel.element,
  );
  update();
  return { element, title: `Account ${shortAddress(address)}`, close: () => endings.end() };
}

function chooseAccount(wrong: string | undefined): View {
  const ended = new AbortController();
  const makers = el("ul", { class: "suggested" });
  const notice = new Notice();
  const problem =
    wrong === undefined
      ? []
      : [
          el(
            "p",
            { class: "field-error", role: "alert" },
            `${wrong} is no account address: it has 56 characters, starts with G or C, and its last ones check the others.`,
          ),
        ];
  const element = el(
    "div",
    { class: "account-choice" },
    el("h1", {}, "Account"),
    el("p", {}, "Live orders with their backing, and fills as they come."),
    addressForm(),
    ...problem,
    el("h2", {}, "Traded lately"),
    makers,
    notice.element,
  );
  void suggest();
  return { element, title: "Account", close: () => ended.abort() };

  async function suggest(): Promise<void> {
    try {
      const records = await ask<readonly (Trade | Swap)[]>("/trades", { limit: 200 }, ended.signal);
      const counts = new Map<string, number>();
      for (const record of records) {
        if (record.type === "trade") counts.set(record.maker, (counts.get(record.maker) ?? 0) + 1);
      }
      const busiest = [...counts].sort(([, a], [, b]) => b - a).slice(0, SUGGESTED);
      makers.replaceChildren(
        ...busiest.map(([address, fills]) =>
          el(
            "li",
            {},
            el("a", { href: accountLink(address) }, el("code", {}, address)),
            el("span", { class: "muted num" }, fills === 1 ? "1 fill" : `${fills} fills`),
          ),
        ),
      );
      const hint = "Accounts whose orders are filled are listed here.";
      notice.show(
        busiest.length > 0 ? { kind: "none" } : { kind: "empty", title: "No trades yet", hint },
      );
    } catch (error) {
      if (ended.signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      notice.show({ kind: "error", message, retry: () => void suggest() });
    }
  }
}

function addressForm(): HTMLFormElement {
  const input = el("input", {
    type: "text",
    "aria-label": "Account address",
    placeholder: "G… or C… address",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
  });
  return el(
    "form",
    {
      class: "address-form",
      onsubmit: (event) => {
        event.preventDefault();
        location.hash = accountLink(input.value.trim()).slice(1);
      },
    },
    input,
    el("button", { type: "submit", class: "button" }, "Show"),
  );
}
