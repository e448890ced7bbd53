// Candles with their volume, averages and the last trades, drawn by lightweight-charts. The library
// paints with floats, of prices brought near 1 whatever they are; the numbers beside it are the API's
// own texts.
import {
  CandlestickSeries,
  CrosshairMode,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  LineSeries,
  type SeriesMarker,
  type Time,
  type UTCTimestamp,
} from "lightweight-charts";
import type { Candle, ResolutionSeconds } from "../../../src/api/types.ts";
import type { Connection } from "../api/connection.ts";
import { el, setText } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { compact, floatText } from "../number/decimal.ts";
import { Notice } from "../page/panel.ts";
import { secondsText, zone } from "../page/time.ts";
import { theme, themeColor } from "../theme.ts";
import { CandleFeed } from "./candle-feed.ts";
import { pointText, tickText } from "./chart-time.ts";
import { movingAverage, type Point, volumeWeighted } from "./indicators.ts";

/** Bars from the left edge at which older ones are loaded. */
const EDGE_BARS = 10;
const DIGITS = 7;
const AXIS_DIGITS = 6;
/** Pixels around the label of the last price in which the axis has no other one. */
const LABEL_PIXELS = 15;
const AVERAGES = [
  { length: 7, color: "--average-fast" },
  { length: 25, color: "--average-slow" },
] as const;

const CHART_OPTIONS = {
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
    tickMarkFormatter: tickText,
  },
  localization: { timeFormatter: pointText, locale: "en-US" },
  handleScroll: { vertTouchDrag: false },
};
const VOLUME_OPTIONS = {
  priceScaleId: "volume",
  priceFormat: { type: "volume" },
  lastValueVisible: false,
  priceLineVisible: false,
} as const;
const LINE_OPTIONS = {
  lineWidth: 1,
  lastValueVisible: false,
  priceLineVisible: false,
  crosshairMarkerVisible: false,
  visible: false,
} as const;

/** What can be drawn beside candles. */
export type Overlay = "averages" | "vwap" | "trades";

export type ChartTrade = {
  /** UNIX seconds. */
  readonly time: number;
  readonly price: string;
  readonly side: "buy" | "sell";
};

type Line = {
  readonly overlay: Overlay;
  readonly color: string;
  readonly series: ISeriesApi<"Line">;
  readonly points: (candles: readonly Candle[]) => readonly Point[];
};

export class CandleChart {
  readonly element: HTMLElement;
  readonly #holder = el("div", { class: "candle-holder", role: "img", "aria-label": "Candles" });
  readonly #legend = el("div", { class: "candle-legend num", "aria-hidden": "true" });
  readonly #notice = new Notice();
  readonly #chart: IChartApi;
  readonly #prices: ISeriesApi<"Candlestick">;
  readonly #volumes: ISeriesApi<"Histogram">;
  readonly #lines: readonly Line[];
  readonly #markers: ISeriesMarkersPluginApi<Time>;
  readonly #connection: Connection;
  readonly #market: string;
  readonly #stopTheme: () => void;
  readonly #overlays = new Set<Overlay>();
  /** By time, oldest first. */
  readonly #byTime = new Map<number, Candle>();
  #feed: CandleFeed | undefined;
  #seconds: ResolutionSeconds = 300;
  #trades: readonly ChartTrade[] = [];
  #newest: Candle | undefined;
  #pointed: Candle | undefined;
  #colors = { up: "", down: "", upVolume: "", downVolume: "" };
  /** What is drawn is prices times this. */
  #scale = 1;
  /** What the next frame paints: everything anew, the newest candle, or nothing of them. */
  #waiting: { all?: readonly Candle[]; newest?: Candle } = {};
  readonly #render = (): void => this.#draw();

  constructor(connection: Connection, market: string, seconds: ResolutionSeconds) {
    this.#connection = connection;
    this.#market = market;
    const attribution = {
      class: "attribution",
      href: "https://www.tradingview.com/",
      target: "_blank",
      rel: "noopener noreferrer",
    };
    this.element = el(
      "div",
      { class: "candle-chart" },
      this.#holder,
      this.#legend,
      el("a", attribution, "Charts by TradingView"),
      this.#notice.element,
    );
    this.#chart = createChart(this.#holder, CHART_OPTIONS);
    const priceFormat = {
      type: "custom",
      formatter: (value: number) => this.#priceText(value),
      tickmarksFormatter: (values: readonly number[]) => this.#tickTexts(values),
      minMove: 1e-9,
    } as const;
    this.#prices = this.#chart.addSeries(CandlestickSeries, { priceFormat });
    this.#volumes = this.#chart.addSeries(HistogramSeries, VOLUME_OPTIONS);
    const line = (overlay: Overlay, color: string, points: Line["points"]): Line => {
      const series = this.#chart.addSeries(LineSeries, { ...LINE_OPTIONS, priceFormat });
      return { overlay, color, points, series };
    };
    this.#lines = [
      ...AVERAGES.map(({ length, color }) =>
        line("averages", color, (candles) => movingAverage(candles, length)),
      ),
      line("vwap", "--accent", (candles) => volumeWeighted(candles, this.#seconds)),
    ];
    this.#markers = createSeriesMarkers(this.#prices, []);
    this.#prices.priceScale().applyOptions({ scaleMargins: { top: 0.12, bottom: 0.26 } });
    this.#chart.priceScale("volume").applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
    this.#stopTheme = this.#follow();
    this.setResolution(seconds);
  }

  /** Follows the pointer, the edge of what is seen, and the theme. Returns how to stop the last. */
  #follow(): () => void {
    this.#chart.subscribeCrosshairMove(({ time }) => {
      this.#pointed = typeof time === "number" ? this.#byTime.get(time) : undefined;
      this.#showLegend();
    });
    this.#chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
      if (range !== null && range.from < EDGE_BARS) void this.#feed?.loadOlder();
    });
    this.#paint();
    return theme.changes.listen(() => {
      this.#paint();
      this.#waiting.all = [...this.#byTime.values()];
      draw(this.#render);
    });
  }

  setResolution(seconds: ResolutionSeconds): void {
    this.#feed?.close();
    this.#seconds = seconds;
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

  setOverlay(overlay: Overlay, on: boolean): void {
    if (on) this.#overlays.add(overlay);
    else this.#overlays.delete(overlay);
    for (const { series, overlay: own } of this.#lines) {
      if (own === overlay) series.applyOptions({ visible: on });
    }
    draw(this.#render);
  }

  /** The latest, newest first. */
  setTrades(trades: readonly ChartTrade[]): void {
    this.#trades = trades;
    draw(this.#render);
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
      this.#newest = all.at(-1);
      this.#scale = scaleOf(Number(this.#newest?.[4] ?? 1));
      this.#prices.setData(all.map((candle) => this.#priceBar(candle)));
      this.#volumes.setData(all.map((candle) => this.#volumeBar(candle)));
    } else if (newest !== undefined) {
      this.#byTime.set(newest[0], newest);
      this.#prices.update(this.#priceBar(newest));
      this.#volumes.update(this.#volumeBar(newest));
      this.#newest = newest;
    }
    if (this.#newest === undefined) {
      const hint = "The first candle appears with the first trade.";
      this.#notice.show({ kind: "empty", title: "No trades in this time", hint });
    } else this.#notice.show({ kind: "none" });
    this.#drawOverlays();
    this.#showLegend();
  }

  #drawOverlays(): void {
    const candles = [...this.#byTime.values()];
    for (const { overlay, series, points } of this.#lines) {
      if (!this.#overlays.has(overlay)) continue;
      series.setData(
        points(candles).map(({ time, value }) => ({
          time: time as UTCTimestamp,
          value: this.#drawn(value),
        })),
      );
    }
    const marked = this.#overlays.has("trades") ? this.#tradeMarkers() : [];
    if (marked.length > 0 || this.#markers.markers().length > 0) this.#markers.setMarkers(marked);
  }

  /** At the candle that a trade belongs to, oldest first. */
  #tradeMarkers(): SeriesMarker<Time>[] {
    return [...this.#trades].reverse().flatMap(({ time, price, side }) => {
      const bucket = Math.floor(time / this.#seconds) * this.#seconds;
      if (!this.#byTime.has(bucket)) return [];
      return {
        time: bucket as UTCTimestamp,
        position: side === "buy" ? "atPriceBottom" : "atPriceTop",
        shape: side === "buy" ? "arrowUp" : "arrowDown",
        color: side === "buy" ? this.#colors.up : this.#colors.down,
        price: this.#drawn(Number(price)),
        size: 0.7,
      } satisfies SeriesMarker<Time>;
    });
  }

  #showLegend(): void {
    const candle = this.#pointed ?? this.#newest;
    if (candle === undefined) {
      this.#legend.replaceChildren();
      return;
    }
    const [time, open, high, low, close, volume] = candle;
    // Each beside its name, whatever line they stand on.
    const parts = Object.entries({ O: open, H: high, L: low, C: close, V: volume }).map(
      ([name, text]) => `${name} ${compact(text, DIGITS)}`,
    );
    if (this.#legend.childElementCount !== parts.length) {
      this.#legend.replaceChildren(...parts.map(() => el("span")));
    }
    parts.forEach((text, at) => {
      const part = this.#legend.children[at];
      if (part !== undefined) setText(part, text);
    });
    if (candle !== this.#newest) return;
    const label = `Candles. The newest, from ${secondsText(time)} ${zone.name}: open ${open}, high ${high}, low ${low}, close ${close}, volume ${volume}.`;
    if (this.#holder.getAttribute("aria-label") !== label)
      this.#holder.setAttribute("aria-label", label);
  }

  #priceText(drawn: number): string {
    return floatText(drawn / this.#scale, AXIS_DIGITS);
  }

  /** None under the label of the last price, which would cover half of it. */
  #tickTexts(values: readonly number[]): string[] {
    const last = this.#newest === undefined ? undefined : this.#drawn(Number(this.#newest[4]));
    const place = (value: number) => this.#prices.priceToCoordinate(value);
    const covered = last === undefined ? null : place(last);
    return values.map((value) => {
      const at = place(value);
      const isCovered = at !== null && covered !== null && Math.abs(at - covered) < LABEL_PIXELS;
      return isCovered ? "" : this.#priceText(value);
    });
  }

  #drawn(price: number): number {
    return price * this.#scale;
  }

  #priceBar([time, open, high, low, close]: Candle) {
    return {
      time: time as UTCTimestamp,
      open: this.#drawn(Number(open)),
      high: this.#drawn(Number(high)),
      low: this.#drawn(Number(low)),
      close: this.#drawn(Number(close)),
    };
  }

  #volumeBar(candle: Candle) {
    const rose = Number(candle[4]) >= Number(candle[1]);
    const color = rose ? this.#colors.upVolume : this.#colors.downVolume;
    // The library takes no larger values; how high they stand counts, not what they are.
    return { time: candle[0] as UTCTimestamp, value: Math.min(Number(candle[5]), 9e13), color };
  }

  #paint(): void {
    const [up, down] = [themeColor("--up"), themeColor("--down")];
    const [grid, border] = [themeColor("--grid"), themeColor("--border")];
    const muted = themeColor("--muted");
    const [upVolume, downVolume] = [themeColor("--up-volume"), themeColor("--down-volume")];
    this.#colors = { up, down, upVolume, downVolume };
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
    for (const { series, color } of this.#lines) series.applyOptions({ color: themeColor(color) });
  }
}

/** A power of ten that brings the price near 1. */
function scaleOf(price: number): number {
  return price > 0 && price < Number.POSITIVE_INFINITY ? 10 ** -Math.floor(Math.log10(price)) : 1;
}

function withNewest(candles: readonly Candle[], newest: Candle): readonly Candle[] {
  const kept = candles.at(-1)?.[0] === newest[0] ? candles.slice(0, -1) : candles;
  return [...kept, newest];
}
