// One market: its day, candles, book, cumulative depth and trades.
import { priceText } from "../../../src/model/display.ts";
import { el, icon, setHidden, setText, setTitle } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { changeText, toneOf } from "../markets/market-row.ts";
import { grouped, shortened, toUnits } from "../number/decimal.ts";
import { AssetView } from "../page/address.ts";
import { menu, segments } from "../page/choice.ts";
import { Figure, Notice, panel } from "../page/panel.ts";
import { marketLink, quoteLink } from "../route.ts";
import { Endings, type Sources, type View } from "../view.ts";
import { bookNotice } from "./book-notice.ts";
import { CandleChart } from "./candle-chart.ts";
import { RESOLUTIONS } from "./candle-feed.ts";
import { DepthChart } from "./depth-chart.ts";
import { BANDS, COARSER, DepthFeed } from "./depth-feed.ts";
import { DepthLadder } from "./depth-ladder.ts";
import { TradeTape } from "./trade-tape.ts";

const FLIP = "M3 5.5h9.5M10 3l2.5 2.5L10 8M13 10.5H3.5M6 8l-2.5 2.5L6 13";
const DIGITS = 8;
const FIRST_RESOLUTION = 300;

export function marketView(sources: Sources, market: { base: string; quote: string }): View {
  const { connection, assets, tickers } = sources;
  const { base, quote } = market;
  const key = `${base}/${quote}`;
  const endings = new Endings();
  const feed = new DepthFeed(connection, key);
  const ladderNames = { base: el("span", { class: "unit" }), quote: el("span", { class: "unit" }) };
  const tapeUnit = el("span", { class: "muted" });
  const ladder = new DepthLadder(feed, ladderNames);
  const depthChart = new DepthChart(feed);
  /** Over the ladder and over the chart of depth. */
  const notices = [new Notice(), new Notice()] as const;
  const chart = new CandleChart(connection, key, FIRST_RESOLUTION);
  const tape = new TradeTape(sources.connection, market);
  const baseView = new AssetView(assets, base);
  const quoteView = new AssetView(assets, quote);
  const title = el("span", { class: "pair-title" });
  const unknown = el(
    "p",
    { class: "market-unknown", role: "status", hidden: true },
    "Nobody has opened such a market, and no order is live in it. ",
    el("a", { href: "#/" }, "All markets"),
  );
  const figures = {
    last: new Figure("Last price"),
    change: new Figure("24 h change"),
    high: new Figure("24 h high"),
    low: new Figure("24 h low"),
    base: new Figure("24 h volume"),
    quote: new Figure("24 h quote volume"),
    trades: new Figure("24 h trades"),
  };

  function updateHead(): void {
    setText(title, `${assets.label(base)} / ${assets.label(quote)}`);
    baseView.update();
    quoteView.update();
    setText(ladderNames.base, assets.label(base));
    setText(ladderNames.quote, assets.label(quote));
    setText(tapeUnit, `${assets.label(quote)} per ${assets.label(base)}`);
    const found = tickers.of(base, quote);
    setHidden(unknown, tickers.list === undefined || found !== undefined);
    if (found === undefined || found.entry.trades === 0) return;
    const { entry, reversed } = found;
    const price = (text: string) => grouped(reversed ? inverted(text) : text);
    figures.last.set(price(entry.lastPrice));
    const change = reversed ? (100 / (100 + entry.change)) * 100 - 100 : entry.change;
    figures.change.set(changeText(change), toneOf(change));
    figures.high.set(price(reversed ? entry.lowPrice : entry.highPrice));
    figures.low.set(price(reversed ? entry.highPrice : entry.lowPrice));
    const volume = (text: string, unit: string) => `${grouped(shortened(text, DIGITS))} ${unit}`;
    figures.base.set(volume(reversed ? entry.quoteVolume : entry.volume, assets.label(base)));
    figures.quote.set(volume(reversed ? entry.volume : entry.quoteVolume, assets.label(quote)));
    figures.trades.set(entry.trades.toLocaleString("en-US"));
  }

  function updateBook(): void {
    const state = bookNotice(feed);
    for (const notice of notices) notice.show(state);
  }

  endings.add(tickers.changes.listen(() => draw(updateHead)));
  endings.add(assets.changes.listen(() => draw(updateHead)));
  endings.add(feed.changes.listen(() => draw(updateBook)));
  endings.add(() => {
    cancelDraw(updateHead);
    cancelDraw(updateBook);
    feed.close();
    for (const part of [ladder, depthChart, chart, tape]) part.close();
  });
  updateHead();
  updateBook();

  const chartPanel = panel("Candles", "chart", [
    segments(
      "Candle length",
      RESOLUTIONS.map(({ name, seconds }) => ({ name, value: String(seconds) })),
      String(FIRST_RESOLUTION),
      (value) => {
        const chosen = RESOLUTIONS.find(({ seconds }) => String(seconds) === value);
        if (chosen !== undefined) chart.setResolution(chosen.seconds);
      },
    ),
  ]);
  chartPanel.body.append(chart.element);
  const bookPanel = panel("Order book", "book", [
    menu(
      "Price step",
      COARSER.map((places) => ({
        value: String(places),
        name: places === 0 ? "Fine" : `×${10 ** places}`,
      })),
      "0",
      (value) => feed.setCoarser(Number(value)),
    ),
  ]);
  bookPanel.body.append(ladder.element, notices[0].element);
  const depthPanel = panel("Depth", "depth", [
    segments(
      "Band around the middle",
      BANDS.map((band) => ({ value: band, name: `${band}%` })),
      feed.band,
      (value) => feed.setBand(value),
    ),
  ]);
  depthPanel.body.append(depthChart.element, notices[1].element);
  const tapePanel = panel("Trades", "trades-panel", [tapeUnit]);
  tapePanel.body.append(tape.element);

  const flip = el(
    "a",
    { class: "button quiet", href: marketLink(quote, base) },
    icon(FLIP),
    "Flip",
  );
  setTitle(flip, "The same market seen from its other side");
  const element = el(
    "div",
    { class: "market-view", "data-part": "chart" },
    el(
      "div",
      { class: "market-head-bar" },
      el(
        "div",
        { class: "market-name" },
        el("h1", {}, title),
        el("div", { class: "market-assets" }, baseView.element, quoteView.element),
        unknown,
      ),
      el("dl", { class: "figures" }, ...Object.values(figures).map((figure) => figure.element)),
      el(
        "div",
        { class: "market-actions" },
        flip,
        el("a", { class: "button", href: quoteLink({ selling: quote, buying: base }) }, "Quote"),
      ),
    ),
    el(
      "div",
      { class: "parts" },
      segments("Part of the market", PARTS, "chart", (part) => {
        element.dataset.part = part;
      }),
    ),
    chartPanel.element,
    bookPanel.element,
    depthPanel.element,
    tapePanel.element,
  );
  const shownTitle = `${assets.label(base)}/${assets.label(quote)}`;
  return { element, title: shownTitle, close: () => endings.end() };
}

/** On a phone one part is shown at a time. */
const PARTS = [
  { value: "chart", name: "Chart" },
  { value: "book", name: "Book" },
  { value: "depth", name: "Depth" },
  { value: "trades", name: "Trades" },
] as const;

/** 1 / price, as exact as the API prints prices. */
function inverted(price: string): string {
  const units = toUnits(price, 36);
  return units === 0n ? "0" : priceText(10n ** 36n, units);
}
