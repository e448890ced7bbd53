// The quote explorer: what routes there are for an amount, each as a flow of hops, and the contract
// call that takes it.
import type { Quote, QuotePath } from "../../../src/api/types.ts";
import { callJson, type SwapCall, type TradeCall } from "../../../src/client/call.ts";
import { apiUrl } from "../api/rest.ts";
import { el, setHidden, setText } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { copyButton } from "../page/copy-button.ts";
import type { NoticeState } from "../page/notice-state.ts";
import { Notice, panel } from "../page/panel.ts";
import { quoteLink } from "../route.ts";
import { pairOf } from "../state/tickers.ts";
import { runCall } from "../trading/transaction.ts";
import { Endings, type Sources, type View } from "../view.ts";
import { approvedCall } from "./approval.ts";
import { callView } from "./call-view.ts";
import { contractCalls } from "./contract-call.ts";
import { introduction } from "./introduction.ts";
import { QuoteFeed } from "./quote-feed.ts";
import { QuoteForm, type QuoteWish } from "./quote-form.ts";
import { routeFlow } from "./route-flow.ts";
import { RouteList } from "./route-list.ts";
import { RouteOrders } from "./route-orders.ts";
import { WatchedTrader } from "./watched-trader.ts";

/** After the last key typed. */
const TYPING_MS = 250;

type Answer =
  | { readonly kind: "none" }
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "quote"; readonly quote: Quote };

export function quoteView(sources: Sources, parameters: URLSearchParams): View {
  const { assets, tickers, ledgers, wallet } = sources;
  const endings = new Endings();
  let feed: QuoteFeed | undefined;
  let wish: QuoteWish | undefined;
  let answer: Answer = { kind: "none" };
  let typing: ReturnType<typeof setTimeout> | undefined;
  let shown = "";
  const redraw = () => draw(update);
  const orders = new RouteOrders(redraw);
  const traders = new WatchedTrader(sources.connection, redraw);
  const form = new QuoteForm(sources, parameters, { changed: ask, redraw });
  const routes = new RouteList(assets, redraw);
  const notice = new Notice({ kind: "none" });
  const detail = el("div", { class: "route-detail" });
  const meta = el("span", { class: "muted num quote-meta" });
  const nonce = crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
  const request = el("code", { class: "request" });
  const requestLine = el(
    "p",
    { class: "request-line" },
    request,
    copyButton("the request", () => (wish === undefined ? "" : apiUrl(requestText(wish)).href)),
  );

  function ask(): void {
    clearTimeout(typing);
    typing = setTimeout(start, TYPING_MS);
  }

  function start(): void {
    feed?.close();
    feed = undefined;
    wish = form.wish();
    history.replaceState(null, "", quoteLink(form.parameters()));
    answer = wish === undefined ? { kind: "none" } : { kind: "loading" };
    redraw();
    if (wish === undefined) return;
    feed = new QuoteFeed(sources, wish.parameters, {
      live: form.live.checked,
      answered: (quote) => set({ kind: "quote", quote }),
      failed: (message) => set({ kind: "failed", message }),
    });
  }

  function set(next: Answer): void {
    answer = next;
    redraw();
  }

  function update(): void {
    form.update();
    setHidden(requestLine, wish === undefined);
    setText(request, wish === undefined ? "" : requestText(wish));
    const quote = answer.kind === "quote" ? answer.quote : undefined;
    const paths = quote?.status === "success" ? quote.paths : [];
    setText(meta, quote === undefined ? "" : `ledger ${quote.ledger.toLocaleString("en-US")}`);
    notice.show(noticeState());
    const chosen = routes.show(quote, paths);
    orders.want(chosen);
    form.offerTrader(wallet.canSend ? wallet.holder?.address : undefined);
    traders.watch(form.trader);
    if (quote !== undefined && chosen !== undefined) showDetail(quote, chosen);
    else showIntroduction();
  }

  function noticeState(): NoticeState {
    switch (answer.kind) {
      case "none": {
        const hint = form.problem ?? "Choose two assets and an amount.";
        return { kind: "empty", title: "No quote yet", hint };
      }
      case "loading":
        return { kind: "loading" };
      case "failed":
        return { kind: "error", message: answer.message, retry: start };
      case "quote": {
        const { quote } = answer;
        if (quote.status === "success") return { kind: "none" };
        const title = quote.status === "rejected" ? "Rejected" : "No route";
        return { kind: "empty", title, hint: sentence(quote.error) };
      }
    }
  }

  function sendButton(call: TradeCall | SwapCall, disabled: boolean): HTMLButtonElement {
    const run = () => void runCall(sources, `Take the quote by ${call.fn}`, call);
    const attributes = { type: "button", class: "button primary", disabled, onclick: run } as const;
    return el("button", attributes, "Send");
  }

  /** What will be there, while there is no route. */
  function showIntroduction(): void {
    const market = suggestedMarket();
    const text = JSON.stringify([market, market && assets.label(market.base)]);
    if (text === shown) return;
    shown = text;
    detail.replaceChildren(introduction(market, assets));
  }

  /** Made anew only where something in it changed; who was on one of its buttons stays there. */
  function showDetail(quote: Quote, path: QuotePath): void {
    const calls = contractCalls(quote, path, {
      trader: form.trader ?? "YOUR_ADDRESS",
      toleranceBps: form.toleranceBps,
      nonce,
      ...(wish?.limitPrice === undefined
        ? {}
        : { limitPrice: wish.limitPrice, requestedAmount: wish.amount }),
    });
    const contract = ledgers.contract?.address;
    const ledger = Math.max(quote.ledger, ledgers.ledger ?? 0);
    const token = assets.label(quote.sellingAsset);
    const trader = traders.of(quote.sellingAsset);
    const canSend = wallet.canSend && form.trader === wallet.holder?.address;
    const problem = canSend ? traders.problemSelling(quote.sellingAsset) : undefined;
    const approved = calls.map(({ call, kind }) => {
      const { why, ...rest } = approvedCall(call, { trader, ledger, token });
      return { kind, ...rest, why: problem === undefined ? why : `${why} ${problem}` };
    });
    const labels = path.path.map((hop) => assets.label(hop.buying));
    const settled = orders.settled;
    const texts = approved.map(({ call, kind, why }) => [call.fn, kind, callJson(call), why]);
    const text = JSON.stringify([
      canSend,
      problem !== undefined,
      texts,
      contract,
      labels,
      settled !== undefined,
    ]);
    if (text === shown) return;
    shown = text;
    const buttons = [...detail.querySelectorAll<HTMLElement>("a, button, [tabindex]")];
    const place = buttons.indexOf(document.activeElement as HTMLElement);
    detail.replaceChildren(
      routeFlow(path, settled, assets),
      el("h2", { class: "calls-title" }, "Contract call"),
      ...approved.map((shownCall) =>
        callView(
          shownCall,
          contract,
          canSend ? [sendButton(shownCall.call, problem !== undefined)] : [],
        ),
      ),
    );
    if (place >= 0) {
      [...detail.querySelectorAll<HTMLElement>("a, button, [tabindex]")][place]?.focus();
    }
  }

  const routesPanel = panel("Routes", "routes-panel", [meta]);
  routesPanel.body.append(routes.element, notice.element);
  const detailPanel = panel("Route", "detail-panel");
  detailPanel.body.append(detail);

  /** The busiest market whose amounts can be typed in tokens, or else the busiest. */
  function suggestedMarket(): { base: string; quote: string } | undefined {
    const markets = (tickers.list ?? []).map(({ symbol }) => pairOf(symbol));
    const named = markets.find(
      ({ base, quote }) => assets.name(base) !== undefined && assets.name(quote) !== undefined,
    );
    return named ?? markets[0];
  }

  function suggest(): void {
    const market = assets.asked ? suggestedMarket() : undefined;
    if (market !== undefined) form.suggest(market.quote, market.base);
  }

  endings.add(
    tickers.changes.listen(() => {
      suggest();
      redraw();
    }),
  );
  endings.add(wallet.changes.listen(redraw));
  // With the names come the decimals in which amounts are typed.
  endings.add(
    assets.changes.listen(() => {
      form.update();
      suggest();
      if (JSON.stringify(form.wish()?.parameters) !== JSON.stringify(wish?.parameters)) start();
      redraw();
    }),
  );
  endings.add(() => {
    clearTimeout(typing);
    cancelDraw(update);
    feed?.close();
    orders.close();
    traders.watch(undefined);
  });
  suggest();
  start();

  const element = el(
    "div",
    { class: "quote-view" },
    el("div", { class: "quote-side" }, el("h1", {}, "Quote explorer"), form.element, requestLine),
    routesPanel.element,
    detailPanel.element,
  );
  return { element, title: "Quote", close: () => endings.end() };
}

function requestText({ parameters }: QuoteWish): string {
  return `/quote?${new URLSearchParams(parameters)}`;
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return first === "" || first.endsWith(".") ? first : `${first}.`;
}
