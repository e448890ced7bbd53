// The last 24 hours of every market, exact to the fill, with constant amortised work for a fill
// that comes or leaves. A bucket of 5 minutes is opened into its fills, read from the store, when
// the window starts to cut it.
//
// Invariant: the window holds the fills after `#cut`; fills of the bucket that holds the second
// after it (the edge) are kept one by one, later ones in buckets.
import { marketKey, type Pair } from "../model/address.ts";
import { bucketStart, type Candle, candleOfFill, marketFill } from "../model/candle.ts";
import type { Swap, Trade } from "../model/trade.ts";
import type { TickerStats } from "./market-data.ts";
import { TickerMarket } from "./ticker-market.ts";

const WINDOW_SECONDS = 86_400;
const BUCKET_SECONDS = 300;

/** The stored history. */
export interface TickerHistory {
  /** Every market that had fills, with the start of its newest bucket. */
  markets(): Iterable<{ readonly pair: Pair; readonly newest: number }>;
  /** A market's buckets that start from `from` on, oldest first. */
  buckets(pair: Pair, from: number): readonly Candle[];
  /** Trades with `from` <= time < `to`, in chain order. */
  trades(from: number, to: number): Iterable<Trade | Swap>;
}

export class Ticker {
  readonly #history: TickerHistory;
  readonly #markets = new Map<string, TickerMarket>();
  /** Fills of the edge of all markets, oldest first. */
  #edge: { readonly time: number; readonly key: string }[] = [];
  #edgeFirst = 0;
  #edgeStart = 0;
  #cut = 0;
  /** No fill after this time has been left out. */
  #leftThrough = 0;
  #version = 0;

  constructor(history: TickerHistory, now: number) {
    this.#history = history;
    this.#load(now - WINDOW_SECONDS);
  }

  /** Rises with every change of an answer. */
  get version(): number {
    return this.#version;
  }

  /** Takes the fills of a step that is visible and in the history. */
  add(trades: readonly (Trade | Swap)[]): void {
    for (const trade of trades) this.#addTrade(trade);
  }

  /** The window ends at `now` (UNIX seconds) from here on. A clock set back loads it anew. */
  moveTo(now: number): void {
    const cut = now - WINDOW_SECONDS;
    const isSetBack = cut < this.#cut;
    if (isSetBack && cut < this.#leftThrough) {
      this.#load(cut);
      return;
    }
    if (cut === this.#cut) return;
    this.#cut = cut;
    if (isSetBack) return;
    const edgeStart = bucketStart(cut + 1, BUCKET_SECONDS);
    if (edgeStart !== this.#edgeStart) this.#startEdge(edgeStart);
    else this.#dropEdge();
  }

  /** By `base/quote`; undefined for a market without fills in the window. */
  stats(symbol: string): TickerStats | undefined {
    return this.#markets.get(symbol)?.stats;
  }

  /** The markets with fills in the window. */
  active(): readonly TickerStats[] {
    return Array.from(this.#markets.values(), ({ stats }) => stats);
  }

  #load(cut: number): void {
    this.#markets.clear();
    this.#version += 1;
    this.#cut = cut;
    this.#leftThrough = cut;
    this.#edgeStart = bucketStart(cut + 1, BUCKET_SECONDS);
    this.#edge = [];
    this.#edgeFirst = 0;
    const from = this.#edgeStart + BUCKET_SECONDS;
    let isEdgeEmpty = true;
    for (const { pair, newest } of this.#history.markets()) {
      if (newest < this.#edgeStart) continue;
      isEdgeEmpty = false;
      for (const bucket of this.#history.buckets(pair, from)) this.#market(pair).add(bucket);
    }
    if (!isEdgeEmpty) this.#loadEdge();
  }

  #startEdge(edgeStart: number): void {
    this.#edgeStart = edgeStart;
    this.#edge = [];
    this.#edgeFirst = 0;
    this.#leftThrough = this.#cut;
    this.#version += 1;
    let isEdgeEmpty = true;
    for (const [key, market] of this.#markets) {
      if (market.startEdge(edgeStart)) isEdgeEmpty = false;
      else if (market.isEmpty) this.#markets.delete(key);
    }
    if (isEdgeEmpty) return;
    this.#loadEdge();
    for (const [key, market] of this.#markets) if (market.isEmpty) this.#markets.delete(key);
  }

  #loadEdge(): void {
    const end = this.#edgeStart + BUCKET_SECONDS;
    for (const trade of this.#history.trades(this.#cut + 1, end)) this.#addTrade(trade);
  }

  #dropEdge(): void {
    for (let oldest = this.#edge[this.#edgeFirst]; oldest !== undefined; ) {
      if (oldest.time > this.#cut) return;
      this.#version += 1;
      this.#leftThrough = this.#cut;
      const market = this.#markets.get(oldest.key);
      market?.dropEdge(this.#cut);
      if (market?.isEmpty) this.#markets.delete(oldest.key);
      this.#edgeFirst += 1;
      oldest = this.#edge[this.#edgeFirst];
    }
  }

  #addTrade(trade: Trade | Swap): void {
    const { timestamp: time } = trade;
    if (trade.type === "swap" || trade.crossfill) return;
    const fill = marketFill(trade);
    if (fill === undefined) return;
    if (time <= this.#cut) {
      this.#leftThrough = this.#cut;
      return;
    }
    this.#version += 1;
    const market = this.#market(fill.pair);
    const start = bucketStart(time, BUCKET_SECONDS);
    if (start > this.#edgeStart) market.add(candleOfFill(start, fill.price));
    else {
      market.addToEdge({ time, price: fill.price });
      this.#edge.push({ time, key: marketKey(fill.pair) });
    }
  }

  #market(pair: Pair): TickerMarket {
    const key = marketKey(pair);
    const known = this.#markets.get(key);
    if (known !== undefined) return known;
    const market = new TickerMarket(pair);
    this.#markets.set(key, market);
    return market;
  }
}
