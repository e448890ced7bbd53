// Candles with their volume, drawn by lightweight-charts. The library paints with floats; the numbers
// beside it are the API's own texts.
import {
  CandlestickSeries,
  CrosshairMode,
  createChart,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type UTCTimestamp,
} from "lightweight-charts";
import type { Candle, ResolutionSeconds } from "../../../src/api/types.ts";
import type { Connection } from "../api/connection.ts";
import { el, setText } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { grouped, shortened } from "../number/decimal.ts";
import { Notice } from "../page/panel.ts";
import { utcText } from "../page/time.ts";
import { theme, themeColor } from "../theme.ts";
import { CandleFeed } from "./candle-feed.ts";

/** Bars from the left edge at which older ones are loaded. */
const EDGE_BARS = 10;
const DIGITS = 7;

export class CandleChart {
  readonly element: HTMLElement;
  readonly #holder = el("div", { class: "candle-holder", role: "img", "aria-label": "Candles" });
  readonly #legend = el("div", { class: "candle-legend num", "aria-hidden": "true" });
  readonly #notice = new Notice();
  readonly #chart: IChartApi;
  readonly #prices: ISeriesApi<"Candlestick">;
  readonly #volumes: ISeriesApi<"Histogram">;
  readonly #connection: Connection;
  readonly #market: string;
  readonly #stopTheme: () => void;
  readonly #byTime = new Map<number, Candle>();
  #feed: CandleFeed | undefined;
  #newest: Candle | undefined;
  #pointed: Candle | undefined;
  #upColor = "";
  #downColor = "";
  /** What the next frame paints: everything anew, or the newest candle alone. */
  #waiting: { all?: readonly Candle[]; newest?: Candle } = {};
  readonly #render = (): void => this.#draw();

  constructor(connection: Connection, market: string, seconds: ResolutionSeconds) {
    this.#connection = connection;
    this.#market = market;
    this.element = el(
      "div",
      { class: "candle-chart" },
      this.#holder,
      this.#legend,
      el(
        "a",
        {
          class: "attribution",
          href: "https://www.tradingview.com/",
          target: "_blank",
          rel: "noopener noreferrer",
        },
        "Charts by TradingView",
      ),
      this.#notice.element,
    );
    this.#chart = createChart(this.#holder, {
      autoSize: true,
      // The library's own logo comes with an inline style, which the page's policy forbids.
      layout: { attributionLogo: false, fontSize: 11, fontFamily: "Inter, system-ui, sans-serif" },
      crosshair: { mode: CrosshairMode.Normal },
      timeScale: {
        timeVisible: true,
        secondsVisible: false,
        rightOffset: 4,
        barSpacing: 9,
        minBarSpacing: 2,
      },
      localization: { priceFormatter: numberText, locale: "en-US" },
      handleScroll: { vertTouchDrag: false },
    });
    this.#prices = this.#chart.addSeries(CandlestickSeries, {
      priceFormat: { type: "custom", formatter: numberText, minMove: 1e-12 },
    });
    this.#volumes = this.#chart.addSeries(HistogramSeries, {
      priceScaleId: "volume",
      priceFormat: { type: "volume" },
      lastValueVisible: false,
      priceLineVisible: false,
    });
    this.#prices.priceScale().applyOptions({ scaleMargins: { top: 0.12, bottom: 0.26 } });
    this.#chart.priceScale("volume").applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
    this.#chart.subscribeCrosshairMove(({ time }) => {
      this.#pointed = typeof time === "number" ? this.#byTime.get(time) : undefined;
      this.#showLegend();
    });
    this.#chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
      if (range !== null && range.from < EDGE_BARS) void this.#feed?.loadOlder();
    });
    this.#paint();
    this.#stopTheme = theme.changes.listen(() => {
      this.#paint();
      this.#waiting.all = [...this.#byTime.values()];
      draw(this.#render);
    });
    this.setResolution(seconds);
  }

  setResolution(seconds: ResolutionSeconds): void {
    this.#feed?.close();
    this.#notice.show({ kind: "loading" });
    this.#feed = new CandleFeed(
      this.#connection,
      { market: this.#market, seconds },
      {
        all: (all) => {
          this.#waiting = { all: [...all] };
          draw(this.#render);
        },
        newest: (newest) => {
          if (this.#waiting.all === undefined) this.#waiting.newest = newest;
          else this.#waiting.all = withNewest(this.#waiting.all, newest);
          draw(this.#render);
        },
        refused: (message) => this.#notice.show({ kind: "error", message }),
      },
    );
  }

  close(): void {
    this.#feed?.close();
    this.#stopTheme();
    cancelDraw(this.#render);
    this.#chart.remove();
  }

  #draw(): void {
    const { all, newest } = this.#waiting;
    this.#waiting = {};
    if (all !== undefined) {
      this.#byTime.clear();
      for (const candle of all) this.#byTime.set(candle[0], candle);
      this.#prices.setData(all.map(priceBar));
      this.#volumes.setData(all.map((candle) => this.#volumeBar(candle)));
      this.#newest = all.at(-1);
    } else if (newest !== undefined) {
      this.#byTime.set(newest[0], newest);
      this.#prices.update(priceBar(newest));
      this.#volumes.update(this.#volumeBar(newest));
      this.#newest = newest;
    }
    if (this.#newest === undefined) {
      const hint = "The first candle appears with the first trade.";
      this.#notice.show({ kind: "empty", title: "No trades in this time", hint });
    } else this.#notice.show({ kind: "none" });
    this.#showLegend();
  }

  #showLegend(): void {
    const candle = this.#pointed ?? this.#newest;
    if (candle === undefined) {
      setText(this.#legend, "");
      return;
    }
    const [time, open, high, low, close, volume] = candle;
    const short = (text: string) => grouped(shortened(text, DIGITS));
    const text = `O ${short(open)}  H ${short(high)}  L ${short(low)}  C ${short(close)}  V ${short(volume)}`;
    setText(this.#legend, text);
    if (candle !== this.#newest) return;
    const label = `Candles. The newest, from ${utcText(time)} UTC: open ${open}, high ${high}, low ${low}, close ${close}, volume ${volume}.`;
    if (this.#holder.getAttribute("aria-label") !== label)
      this.#holder.setAttribute("aria-label", label);
  }

  #volumeBar(candle: Candle) {
    const rose = Number(candle[4]) >= Number(candle[1]);
    const color = rose ? this.#upColor : this.#downColor;
    return { time: candle[0] as UTCTimestamp, value: Number(candle[5]), color };
  }

  #paint(): void {
    const [up, down] = [themeColor("--up"), themeColor("--down")];
    const [grid, border] = [themeColor("--grid"), themeColor("--border")];
    const muted = themeColor("--muted");
    this.#upColor = themeColor("--up-volume");
    this.#downColor = themeColor("--down-volume");
    this.#chart.applyOptions({
      layout: { background: { color: "transparent" }, textColor: muted },
      grid: { vertLines: { color: grid }, horzLines: { color: grid } },
      rightPriceScale: { borderColor: border },
      timeScale: { borderColor: border },
      crosshair: {
        vertLine: { color: muted, labelBackgroundColor: themeColor("--label") },
        horzLine: { color: muted, labelBackgroundColor: themeColor("--label") },
      },
    });
    this.#prices.applyOptions({
      upColor: up,
      downColor: down,
      borderUpColor: up,
      borderDownColor: down,
      wickUpColor: up,
      wickDownColor: down,
    });
  }
}

function priceBar([time, open, high, low, close]: Candle) {
  return {
    time: time as UTCTimestamp,
    open: Number(open),
    high: Number(high),
    low: Number(low),
    close: Number(close),
  };
}

function withNewest(candles: readonly Candle[], newest: Candle): readonly Candle[] {
  const kept = candles.at(-1)?.[0] === newest[0] ? candles.slice(0, -1) : candles;
  return [...kept, newest];
}

/** Of a place on the axis. */
function numberText(price: number): string {
  if (!(price > 0)) return "0";
  const digits = Math.max(0, Math.min(18, 5 - Math.floor(Math.log10(price))));
  return price.toFixed(digits);
}
