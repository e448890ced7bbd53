// The head of a market: its assets, its last 24 hours, and links to other views.
import { priceText } from "../../../src/model/display.ts";
import { el, icon, setHidden, setTitle } from "../dom.ts";
import { changeText, toneOf } from "../markets/market-row.ts";
import { compact, toUnits } from "../number/decimal.ts";
import { AssetView } from "../page/address.ts";
import { Figure, figureList } from "../page/panel.ts";
import { marketLink, quoteLink } from "../route.ts";
import type { Sources } from "../view.ts";
import { MarketSwitcher } from "./market-switcher.ts";

const FLIP = "M3 5.5h9.5M10 3l2.5 2.5L10 8M13 10.5H3.5M6 8l-2.5 2.5L6 13";
const DIGITS = 8;

export class MarketHead {
  readonly element: HTMLElement;
  /** In which another market is chosen; it lies over the view. */
  readonly dialog: HTMLElement;
  readonly #sources: Sources;
  readonly #market: { readonly base: string; readonly quote: string };
  readonly #switcher: MarketSwitcher;
  readonly #assetViews: readonly AssetView[];
  readonly #unknown = el(
    "p",
    { class: "market-unknown", role: "status", hidden: true },
    "Nobody has opened such a market, and no order is live in it. ",
    el("a", { href: "#/" }, "All markets"),
  );
  readonly #figures = {
    last: new Figure("Last price"),
    change: new Figure("24 h change"),
    high: new Figure("24 h high"),
    low: new Figure("24 h low"),
    base: new Figure("24 h volume"),
    quote: new Figure("24 h volume"),
    trades: new Figure("24 h trades"),
  };
  #lastTrade: string | undefined;

  constructor(sources: Sources, market: { readonly base: string; readonly quote: string }) {
    this.#sources = sources;
    this.#market = market;
    const { base, quote } = market;
    this.#switcher = new MarketSwitcher(sources);
    this.dialog = this.#switcher.dialog;
    this.#assetViews = [base, quote].map((asset) => new AssetView(sources.assets, asset));
    const assets = this.#assetViews.map(({ element }) => element);
    const flip = { class: "button quiet", href: marketLink(quote, base) };
    const flipLink = el("a", flip, icon(FLIP), "Flip");
    setTitle(flipLink, "The same market seen from its other side");
    const ask = { class: "button", href: quoteLink({ selling: quote, buying: base }) };
    this.element = el(
      "div",
      { class: "market-head-bar" },
      el(
        "div",
        { class: "market-name" },
        el("h1", {}, this.#switcher.button),
        el("div", { class: "market-assets" }, ...assets),
        this.#unknown,
      ),
      figureList(this.#figures),
      el("div", { class: "market-actions" }, flipLink, el("a", ask, "Quote")),
    );
  }

  /** Of the view: with the last price, where there is one. */
  get title(): string {
    const { base, quote } = this.#names();
    const price = this.#lastPrice();
    const names = `${base}/${quote}`;
    return price === undefined ? names : `${compact(price, DIGITS)} ${names}`;
  }

  /** The price of the newest trade; undefined while none is known. Shown by the next update. */
  setLastTrade(price: string | undefined): void {
    this.#lastTrade = price;
  }

  /** After tickers, names or trades came. */
  update(): void {
    const { tickers } = this.#sources;
    const { base, quote } = this.#market;
    const names = this.#names();
    this.#switcher.setName(`${names.base} / ${names.quote}`);
    for (const view of this.#assetViews) view.update();
    this.#figures.base.setUnit(names.base);
    this.#figures.quote.setUnit(names.quote);
    const found = tickers.of(base, quote);
    setHidden(this.#unknown, tickers.list === undefined || found !== undefined);
    if (found !== undefined && found.entry.trades > 0) this.#showDay(found);
  }

  #showDay({ entry, reversed }: NonNullable<ReturnType<Sources["tickers"]["of"]>>): void {
    const figures = this.#figures;
    const set = (figure: Figure, text: string) => figure.set(compact(text, DIGITS), "plain", text);
    const priceOf = (text: string) => (reversed ? inverted(text) : text);
    set(figures.last, this.#lastTrade ?? priceOf(entry.lastPrice));
    const change = reversed ? (100 / (100 + entry.change)) * 100 - 100 : entry.change;
    figures.change.set(changeText(change), toneOf(change));
    set(figures.high, priceOf(reversed ? entry.lowPrice : entry.highPrice));
    set(figures.low, priceOf(reversed ? entry.highPrice : entry.lowPrice));
    set(figures.base, reversed ? entry.quoteVolume : entry.volume);
    set(figures.quote, reversed ? entry.volume : entry.quoteVolume);
    figures.trades.set(entry.trades.toLocaleString("en-US"));
  }

  #names(): { readonly base: string; readonly quote: string } {
    const { assets } = this.#sources;
    return { base: assets.label(this.#market.base), quote: assets.label(this.#market.quote) };
  }

  /** In the orientation shown: of the newest trade, or of the day; undefined without any. */
  #lastPrice(): string | undefined {
    if (this.#lastTrade !== undefined) return this.#lastTrade;
    const found = this.#sources.tickers.of(this.#market.base, this.#market.quote);
    if (found === undefined || found.entry.trades === 0) return undefined;
    return found.reversed ? inverted(found.entry.lastPrice) : found.entry.lastPrice;
  }
}

/** 1 / price, as exact as the API prints prices. */
function inverted(price: string): string {
  const units = toUnits(price, 36);
  return units === 0n ? "0" : priceText(10n ** 36n, units);
}
