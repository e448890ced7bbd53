// The quote explorer: what routes there are for an amount, each as a flow of hops, and the contract
// call that takes it.
import type { Quote } from "../../../src/api/types.ts";
import { apiUrl } from "../api/rest.ts";
import { el, setHidden, setText } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { copyButton } from "../page/copy-button.ts";
import type { NoticeState } from "../page/notice-state.ts";
import { Notice, panel } from "../page/panel.ts";
import { quoteLink } from "../route.ts";
import { pairOf } from "../state/tickers.ts";
import { Endings, type Sources, type View } from "../view.ts";
import { QuoteFeed } from "./quote-feed.ts";
import { QuoteForm, type QuoteWish } from "./quote-form.ts";
import { RouteDetail } from "./route-detail.ts";
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
  const explorer = new QuoteExplorer(sources, parameters);
  return { element: explorer.element, title: "Quote", close: () => explorer.close() };
}

class QuoteExplorer {
  readonly element: HTMLElement;
  readonly #sources: Sources;
  readonly #form: QuoteForm;
  readonly #routes: RouteList;
  readonly #orders: RouteOrders;
  readonly #traders: WatchedTrader;
  readonly #detail: RouteDetail;
  readonly #notice = new Notice({ kind: "none" });
  readonly #meta = el("span", { class: "muted num quote-meta" });
  readonly #request = el("code", { class: "request" });
  readonly #requestLine: HTMLElement;
  readonly #endings = new Endings();
  readonly #render = (): void => this.#draw();
  readonly #redraw = (): void => draw(this.#render);
  #feed: QuoteFeed | undefined;
  #wish: QuoteWish | undefined;
  #answer: Answer = { kind: "none" };
  #typing: ReturnType<typeof setTimeout> | undefined;

  constructor(sources: Sources, parameters: URLSearchParams) {
    this.#sources = sources;
    const redraw = this.#redraw;
    this.#orders = new RouteOrders(redraw);
    this.#traders = new WatchedTrader(sources.connection, redraw);
    this.#form = new QuoteForm(sources, parameters, { changed: () => this.#typed(), redraw });
    this.#routes = new RouteList(sources.assets, redraw);
    this.#detail = new RouteDetail(sources, this.#traders);
    const url = () => (this.#wish === undefined ? "" : apiUrl(requestText(this.#wish)).href);
    const copy = copyButton("the request", url);
    this.#requestLine = el("p", { class: "request-line" }, this.#request, copy);
    this.element = this.#layout();
    this.#listen();
    this.#suggest();
    this.#ask();
  }

  close(): void {
    this.#endings.end();
  }

  #layout(): HTMLElement {
    const routesPanel = panel("Routes", "routes-panel", [this.#meta]);
    routesPanel.body.append(this.#routes.element, this.#notice.element);
    const detailPanel = panel("Route", "detail-panel");
    detailPanel.body.append(this.#detail.element);
    const title = el("h1", {}, "Quote explorer");
    return el(
      "div",
      { class: "quote-view" },
      el("div", { class: "quote-side" }, title, this.#form.element, this.#requestLine),
      routesPanel.element,
      detailPanel.element,
    );
  }

  #listen(): void {
    const { assets, tickers, wallet } = this.#sources;
    this.#endings.add(
      tickers.changes.listen(() => {
        this.#suggest();
        this.#redraw();
      }),
    );
    this.#endings.add(wallet.changes.listen(this.#redraw));
    this.#endings.add(assets.changes.listen(() => this.#named()));
    this.#endings.add(() => {
      clearTimeout(this.#typing);
      cancelDraw(this.#render);
      this.#feed?.close();
      this.#orders.close();
      this.#traders.watch(undefined);
    });
  }

  /** With the names come the decimals in which amounts are typed. */
  #named(): void {
    this.#form.update();
    this.#suggest();
    const before = JSON.stringify(this.#wish?.parameters);
    if (JSON.stringify(this.#form.wish()?.parameters) !== before) this.#ask();
    this.#redraw();
  }

  #suggest(): void {
    const market = this.#sources.assets.asked ? suggestedMarket(this.#sources) : undefined;
    if (market !== undefined) this.#form.suggest(market.quote, market.base);
  }

  #typed(): void {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#ask(), TYPING_MS);
  }

  #ask(): void {
    this.#feed?.close();
    this.#feed = undefined;
    const wish = this.#form.wish();
    this.#wish = wish;
    history.replaceState(null, "", quoteLink(this.#form.parameters()));
    this.#set(wish === undefined ? { kind: "none" } : { kind: "loading" });
    if (wish === undefined) return;
    this.#feed = new QuoteFeed(this.#sources, wish.parameters, {
      live: this.#form.live.checked,
      answered: (quote) => this.#set({ kind: "quote", quote }),
      failed: (message) => this.#set({ kind: "failed", message }),
    });
  }

  #set(answer: Answer): void {
    this.#answer = answer;
    this.#redraw();
  }

  #draw(): void {
    const { wallet } = this.#sources;
    const [form, answer, wish] = [this.#form, this.#answer, this.#wish];
    form.update();
    setHidden(this.#requestLine, wish === undefined);
    setText(this.#request, wish === undefined ? "" : requestText(wish));
    const quote = answer.kind === "quote" ? answer.quote : undefined;
    const paths = quote?.status === "success" ? quote.paths : [];
    const ledger = quote === undefined ? "" : `ledger ${quote.ledger.toLocaleString("en-US")}`;
    setText(this.#meta, ledger);
    this.#notice.show(this.#noticeState());
    const path = this.#routes.show(quote, paths);
    this.#orders.want(path);
    form.offerTrader(wallet.canSend ? wallet.holder?.address : undefined);
    this.#traders.watch(form.trader);
    if (quote === undefined || path === undefined) {
      this.#detail.showIntroduction(suggestedMarket(this.#sources));
      return;
    }
    const { trader, toleranceBps } = form;
    const limit =
      wish?.limitPrice === undefined
        ? {}
        : { limitPrice: wish.limitPrice, requestedAmount: wish.amount };
    const { settled } = this.#orders;
    this.#detail.show({ quote, path, settled, trader, options: { toleranceBps, ...limit } });
  }

  #noticeState(): NoticeState {
    const answer = this.#answer;
    switch (answer.kind) {
      case "none": {
        const hint = this.#form.problem ?? "Choose two assets and an amount.";
        return { kind: "empty", title: "No quote yet", hint };
      }
      case "loading":
        return { kind: "loading" };
      case "failed":
        return { kind: "error", message: answer.message, retry: () => this.#ask() };
      case "quote": {
        const { quote } = answer;
        if (quote.status === "success") return { kind: "none" };
        const title = quote.status === "rejected" ? "Rejected" : "No route";
        return { kind: "empty", title, hint: sentence(quote.error) };
      }
    }
  }
}

/** The busiest market whose amounts can be typed in tokens, or else the busiest. */
function suggestedMarket({
  tickers,
  assets,
}: Sources): { readonly base: string; readonly quote: string } | undefined {
  const markets = (tickers.list ?? []).map(({ symbol }) => pairOf(symbol));
  const named = markets.find(
    ({ base, quote }) => assets.name(base) !== undefined && assets.name(quote) !== undefined,
  );
  return named ?? markets[0];
}

function requestText({ parameters }: QuoteWish): string {
  return `/quote?${new URLSearchParams(parameters)}`;
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return first === "" || first.endsWith(".") ? first : `${first}.`;
}
