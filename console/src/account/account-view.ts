// One account: its live orders with their backing, and what happened to it.
import type { ChannelMessage } from "../../../src/client/push.ts";
import { isStrkey, StrkeyVersion } from "../../../src/model/strkey.ts";
import { el, setClass, setHidden } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { copyButton } from "../page/copy-button.ts";
import { panel } from "../page/panel.ts";
import { tabs } from "../page/tabs.ts";
import { shortAddress } from "../state/assets.ts";
import { Endings, type Sources, type View } from "../view.ts";
import { failures, fills, orderHistory } from "./account-lists.ts";
import { AccountState } from "./account-state.ts";
import { backingTable } from "./backing-table.ts";
import { addressForm, chooseAccount } from "./choose-account.ts";
import { LiveOrders } from "./live-orders.ts";

/** Failed calls are not pushed. */
const FAILURES_MS = 5_000;

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
  const orders = new LiveOrders(sources, state, isOwn);
  const backing = backingTable(assets);
  const lists = {
    history: orderHistory(sources, address),
    fills: fills(sources, address),
    failures: failures(sources, address),
  };
  let refusal: string | undefined;

  function update(): void {
    setClass(element, "is-own", isOwn());
    orders.show(state, refusal);
    backing.show(state.backing, state.loaded);
  }

  function received(message: ChannelMessage<"account">): void {
    refusal = undefined;
    state.received(message);
    const gone = message.type === "order" && message.order.status !== "ACTIVE";
    if (gone || message.type === "account") lists.history.refresh();
    if (message.type !== "backing") lists.fills.refresh();
    redraw();
  }

  function refused(message: string): void {
    refusal = message;
    redraw();
  }

  const redraw = () => draw(update);
  endings.add(
    connection.subscribe({ channel: "account", address }, { message: received, refused }),
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
    orders.close();
    for (const one of Object.values(lists)) one.close();
  });

  const backingPanel = panel("Backing", "backing-panel");
  backingPanel.body.append(backing.element);
  const element = el(
    "div",
    { class: "account-view" },
    accountHead(address),
    ordersPanel(orders, lists),
    backingPanel.element,
  );
  update();
  return { element, title: `Account ${shortAddress(address)}`, close: () => endings.end() };
}

function accountHead(address: string): HTMLElement {
  const copy = copyButton("the account's address", () => address);
  return el(
    "div",
    { class: "account-head" },
    el("h1", {}, "Account"),
    el("span", { class: "address account-address" }, el("code", {}, address), copy),
    addressForm(),
  );
}

type Lists = Readonly<
  Record<"history" | "fills" | "failures", { readonly element: HTMLElement; refresh(): void }>
>;

/** Live orders and lists of what is over, of which one is seen; the count belongs to the live ones. */
function ordersPanel({ element: live, count }: LiveOrders, lists: Lists): HTMLElement {
  const { element, head, body } = panel("Orders", "orders-panel", []);
  const hideCount = () => setHidden(count, true);
  const failuresShown = (): void => {
    hideCount();
    lists.failures.refresh();
  };
  const parts = tabs(
    "Of the account",
    [
      { name: "Live orders", element: live, shown: () => setHidden(count, false) },
      { name: "Order history", element: lists.history.element, shown: hideCount },
      { name: "Fills", element: lists.fills.element, shown: hideCount },
      { name: "Failures", element: lists.failures.element, shown: failuresShown },
    ],
    body,
  );
  head.replaceChildren(parts, count);
  return element;
}
