// The route that is looked at: its flow of hops and the contract calls that take it. While there is no
// route it says what will be there. Made anew only where something in it changed.
import type { Quote, QuotePath } from "../../../src/api/types.ts";
import { callJson, type SwapCall, type TradeCall } from "../../../src/client/call.ts";
import { el } from "../dom.ts";
import { runCall } from "../trading/transaction.ts";
import type { Sources } from "../view.ts";
import { approvedCall } from "./approval.ts";
import { callView } from "./call-view.ts";
import { type CallOptions, contractCalls, type ShownCall } from "./contract-call.ts";
import { introduction } from "./introduction.ts";
import { routeFlow } from "./route-flow.ts";
import type { SettledHop } from "./settle-route.ts";
import type { WatchedTrader } from "./watched-trader.ts";

export type ShownRoute = {
  readonly quote: Quote;
  readonly path: QuotePath;
  /** Undefined until its orders are known. */
  readonly settled: readonly SettledHop[] | undefined;
  /** Who calls, as the form names it; undefined where nobody is named. */
  readonly trader: string | undefined;
  readonly options: Omit<CallOptions, "trader" | "nonce">;
};

type ApprovedCall = ShownCall & { readonly why: string };

export class RouteDetail {
  readonly element = el("div", { class: "route-detail" });
  readonly #sources: Sources;
  readonly #traders: WatchedTrader;
  /** Of the order that a limit call leaves: one for all the calls that this view shows. */
  readonly #nonce = crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
  #shown = "";

  constructor(sources: Sources, traders: WatchedTrader) {
    this.#sources = sources;
    this.#traders = traders;
  }

  /** `market`: for the example; undefined while none is known. */
  showIntroduction(market: { readonly base: string; readonly quote: string } | undefined): void {
    const { assets } = this.#sources;
    const text = JSON.stringify([market, market && assets.label(market.base)]);
    if (text === this.#shown) return;
    this.#shown = text;
    this.element.replaceChildren(introduction(market, assets));
  }

  show(route: ShownRoute): void {
    const { assets, ledgers, wallet } = this.#sources;
    const { path, settled } = route;
    const contract = ledgers.contract?.address;
    const canSend = wallet.canSend && route.trader === wallet.holder?.address;
    const problem = canSend ? this.#traders.problemSelling(route.quote.sellingAsset) : undefined;
    const calls = this.#approvedCalls(route, problem);
    const text = JSON.stringify([
      canSend,
      problem !== undefined,
      calls.map(({ call, kind, why }) => [call.fn, kind, callJson(call), why]),
      contract,
      path.path.map((hop) => assets.label(hop.buying)),
      settled !== undefined,
    ]);
    if (text === this.#shown) return;
    this.#shown = text;
    const actionsOf = (call: TradeCall | SwapCall) =>
      canSend ? [this.#sendButton(call, problem !== undefined)] : [];
    this.#replace([
      routeFlow(path, settled, assets),
      el("h2", { class: "calls-title" }, "Contract call"),
      ...calls.map((shown) => callView(shown, contract, actionsOf(shown.call))),
    ]);
  }

  /** `problem`: why none of them can be sent. */
  #approvedCalls(route: ShownRoute, problem: string | undefined): readonly ApprovedCall[] {
    const { assets, ledgers } = this.#sources;
    const { quote, path } = route;
    const options = {
      ...route.options,
      trader: route.trader ?? "YOUR_ADDRESS",
      nonce: this.#nonce,
    };
    const approval = {
      trader: this.#traders.of(quote.sellingAsset),
      ledger: Math.max(quote.ledger, ledgers.ledger ?? 0),
      token: assets.label(quote.sellingAsset),
    };
    return contractCalls(quote, path, options).map(({ call, kind }) => {
      const { why, ...approved } = approvedCall(call, approval);
      return { kind, ...approved, why: problem === undefined ? why : `${why} ${problem}` };
    });
  }

  #sendButton(call: TradeCall | SwapCall, disabled: boolean): HTMLButtonElement {
    const run = () => void runCall(this.#sources, `Take the quote by ${call.fn}`, call);
    const attributes = { type: "button", class: "button primary", disabled, onclick: run } as const;
    return el("button", attributes, "Send");
  }

  /** Who was on one of its buttons stays there. */
  #replace(children: readonly HTMLElement[]): void {
    const place = this.#focusable().indexOf(document.activeElement as HTMLElement);
    this.element.replaceChildren(...children);
    if (place >= 0) this.#focusable()[place]?.focus();
  }

  #focusable(): readonly HTMLElement[] {
    return [...this.element.querySelectorAll<HTMLElement>("a, button, [tabindex]")];
  }
}
