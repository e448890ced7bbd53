// One market: its day, candles, book, cumulative depth and trades.
import { priceText } from "../../../src/model/display.ts";
import { el, icon, setClass, setHidden, setText, setTitle } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { changeText, toneOf } from "../markets/market-row.ts";
import { compact, countedZeros, movePoint, toUnits } from "../number/decimal.ts";
import { AssetView } from "../page/address.ts";
import { menu, segments, toggles } from "../page/choice.ts";
import { Figure, Notice, panel } from "../page/panel.ts";
import { marketLink, quoteLink } from "../route.ts";
import { OrderTicket } from "../trading/order-ticket.ts";
import { Endings, type Sources, type View } from "../view.ts";
import { bookNotice } from "./book-notice.ts";
import { CandleChart } from "./candle-chart.ts";
import { RESOLUTIONS } from "./candle-feed.ts";
import { DepthChart } from "./depth-chart.ts";
import { BANDS, COARSER, DepthFeed } from "./depth-feed.ts";
import { DepthLadder } from "./depth-ladder.ts";
import { MarketSwitcher } from "./market-switcher.ts";
import { TradeTape } from "./trade-tape.ts";

const FLIP = "M3 5.5h9.5M10 3l2.5 2.5L10 8M13 10.5H3.5M6 8l-2.5 2.5L6 13";
const FULL = "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10";
const DIGITS = 8;
/** Of a step that is written out. */
const STEP_CHARACTERS_MAX = 10;
/** Of the latest, in the chart. */
const MARKED_TRADES = 20;
const FIRST_RESOLUTION = 300;

export function marketView(sources: Sources, market: { base: string; quote: string }): View {
  const { connection, assets, tickers, wallet } = sources;
  const { base, quote } = market;
  const key = `${base}/${quote}`;
  const endings = new Endings();
  const feed = new DepthFeed(connection, key);
  const ladderNames = { base: el("span", { class: "unit" }), quote: el("span", { class: "unit" }) };
  const tapeUnit = el("span", { class: "muted" });
  const ladder = new DepthLadder(feed, ladderNames, ({ side, price, total }) =>
    // An ask is bought and a bid sold into, up to the price that was chosen and no further.
    quoteLink({
      selling: side === "ask" ? quote : base,
      buying: side === "ask" ? base : quote,
      amount: total,
      ...(side === "ask" ? { direction: "strict_receive" } : {}),
      direct: "true",
      limit: price,
    }),
  );
  const depthChart = new DepthChart(feed);
  /** Over the ladder and over the chart of depth. */
  const notices = [new Notice(), new Notice()] as const;
  const chart = new CandleChart(connection, key, FIRST_RESOLUTION);
  let lastTrade: string | undefined;
  const tape = new TradeTape(sources.connection, market, (trades) => {
    lastTrade = trades[0]?.price;
    chart.setTrades(trades.slice(0, MARKED_TRADES));
    draw(updateHead);
  });
  const baseView = new AssetView(assets, base);
  const quoteView = new AssetView(assets, quote);
  const switcher = new MarketSwitcher(sources);
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
    quote: new Figure("24 h volume"),
    trades: new Figure("24 h trades"),
  };

  /** In the orientation shown: of the newest trade, or of the day; undefined without any. */
  function lastPrice(): string | undefined {
    const found = tickers.of(base, quote);
    if (lastTrade !== undefined) return lastTrade;
    if (found === undefined || found.entry.trades === 0) return undefined;
    return found.reversed ? inverted(found.entry.lastPrice) : found.entry.lastPrice;
  }

  function updateHead(): void {
    switcher.setName(`${assets.label(base)} / ${assets.label(quote)}`);
    ticket.update();
    baseView.update();
    quoteView.update();
    setText(ladderNames.base, assets.label(base));
    setText(ladderNames.quote, assets.label(quote));
    setText(tapeUnit, `${assets.label(quote)} per ${assets.label(base)}`);
    const found = tickers.of(base, quote);
    figures.base.setUnit(assets.label(base));
    figures.quote.setUnit(assets.label(quote));
    setHidden(unknown, tickers.list === undefined || found !== undefined);
    if (found === undefined || found.entry.trades === 0) return;
    const { entry, reversed } = found;
    const priceOf = (text: string) => (reversed ? inverted(text) : text);
    const setPrice = (figure: Figure, text: string) =>
      figure.set(compact(text, DIGITS), "plain", text);
    setPrice(figures.last, lastPrice() ?? priceOf(entry.lastPrice));
    const change = reversed ? (100 / (100 + entry.change)) * 100 - 100 : entry.change;
    figures.change.set(changeText(change), toneOf(change));
    setPrice(figures.high, priceOf(reversed ? entry.lowPrice : entry.highPrice));
    setPrice(figures.low, priceOf(reversed ? entry.highPrice : entry.lowPrice));
    const setVolume = (figure: Figure, text: string) =>
      figure.set(compact(text, DIGITS), "plain", text);
    setVolume(figures.base, reversed ? entry.quoteVolume : entry.volume);
    setVolume(figures.quote, reversed ? entry.volume : entry.quoteVolume);
    figures.trades.set(entry.trades.toLocaleString("en-US"));
  }

  function updateSteps(): void {
    const { automaticStep } = feed;
    [...steps.options].forEach((option, at) => {
      const places = COARSER[at] ?? 0;
      const step = automaticStep === undefined ? "…" : movePoint(automaticStep, places);
      setText(option, step.length > STEP_CHARACTERS_MAX ? countedZeros(step) : step);
    });
  }

  function updateBook(): void {
    updateSteps();
    const state = bookNotice(feed);
    for (const notice of notices) notice.show(state);
  }

  const steps = menu(
    "Price step",
    COARSER.map((places) => ({ value: String(places), name: "…" })),
    "0",
    (value) => feed.setCoarser(Number(value)),
  );
  endings.add(tickers.changes.listen(() => draw(updateHead)));
  endings.add(assets.changes.listen(() => draw(updateHead)));
  endings.add(feed.changes.listen(() => draw(updateBook)));
  endings.add(() => {
    cancelDraw(updateHead);
    cancelDraw(updateBook);
    feed.close();
    for (const part of [ladder, depthChart, chart, tape]) part.close();
  });

  for (const { value, pressed } of OVERLAYS) chart.setOverlay(value, pressed);
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
    toggles("Shown with candles", OVERLAYS, (value, pressed) => {
      const overlay = OVERLAYS.find((one) => one.value === value);
      if (overlay !== undefined) chart.setOverlay(overlay.value, pressed);
    }),
    fullScreenButton(() => chartPanel.element),
  ]);
  chartPanel.body.append(chart.element);
  const bookPanel = panel("Order book", "book", [
    el("span", { class: "muted", "aria-hidden": "true" }, "Step"),
    steps,
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

  const ticket = new OrderTicket(sources, market);
  const ticketPanel = panel("Limit order", "ticket-panel");
  ticketPanel.body.append(ticket.element);
  endings.add(() => ticket.close());
  /** Where somebody signs. It takes its place at once, before there is anything else to see. */
  function updateTicket(): void {
    setClass(element, "has-ticket", wallet.canSend);
  }
  endings.add(wallet.changes.listen(updateTicket));

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
        el("h1", {}, switcher.button),
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
    switcher.dialog,
    chartPanel.element,
    bookPanel.element,
    depthPanel.element,
    tapePanel.element,
    ticketPanel.element,
  );
  updateTicket();
  updateHead();
  updateBook();
  const tabTitle = (): string => {
    const names = `${assets.label(base)}/${assets.label(quote)}`;
    const price = lastPrice();
    return price === undefined ? names : `${compact(price, DIGITS)} ${names}`;
  };
  return { element, title: tabTitle, close: () => endings.end() };
}

const OVERLAYS = [
  { value: "averages", name: "MA", title: "Moving averages of 7 and 25 closes", pressed: true },
  { value: "vwap", name: "VWAP", title: "Volume-weighted average of the UTC day", pressed: false },
  { value: "trades", name: "Trades", title: "Direction of the last trades", pressed: true },
] as const;

function fullScreenButton(element: () => HTMLElement): HTMLButtonElement {
  const button = el(
    "button",
    {
      type: "button",
      class: "icon-button",
      "aria-label": "Full screen",
      onclick: () => {
        // A browser may refuse it: the chart then stays where it is.
        if (document.fullscreenElement !== null) void document.exitFullscreen();
        else
          element()
            .requestFullscreen()
            .catch(() => undefined);
      },
    },
    icon(FULL),
  );
  setTitle(button, "Full screen");
  return button;
}

/** On a phone one part is shown at a time. */
const PARTS = [
  { value: "chart", name: "Chart" },
  { value: "book", name: "Book" },
  { value: "depth", name: "Depth" },
  { value: "trades", name: "Trades" },
  { value: "ticket", name: "Order" },
] as const;

/** 1 / price, as exact as the API prints prices. */
function inverted(price: string): string {
  const units = toUnits(price, 36);
  return units === 0n ? "0" : priceText(10n ** 36n, units);
}
