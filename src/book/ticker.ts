// The last 24 hours of every market, exact to the fill, with constant amortised work for a fill
// that comes or leaves. A bucket of 5 minutes is opened into its fills, read from the store in portions
// while it is next to be cut by the window: a bucket may hold more than one turn of the main thread has
// time for. So are markets: where the window cuts another bucket, each of them drops what left when it is looked at
// next, and a few at a time.
//
// Invariant: the window holds the fills after `#cut`; fills of the bucket that holds the second
// after it (the edge) are kept one by one, later ones in buckets. A market is as the edge before left it until
// `#current` or `#startEdges` looked at it.
import { marketKey, type Pair } from "../model/address.ts";
import { bucketStart, candleOfFill, marketFill } from "../model/candle.ts";
import type { Position } from "../model/position.ts";
import type { Swap, Trade } from "../model/trade.ts";
import type { CandleTable } from "../store/candle-table.ts";
import type { History } from "../store/history.ts";
import { TickerMarket, type TickerStats } from "./ticker-market.ts";

const WINDOW_SECONDS = 86_400;
const BUCKET_SECONDS = 300;
/** Trades of one portion that is read ahead: less than a millisecond. */
export const AHEAD_PORTION = 100;
/** Markets of one portion whose edge starts: some tens of microseconds. */
const EDGE_PORTION = 16;

type Stored = {
  readonly candles: Pick<CandleTable, "markets" | "since">;
  readonly history: Pick<History, "tradesFrom">;
};

type EdgeFill = { readonly time: number; readonly key: string };

/** What is read of the bucket that becomes the edge next. */
type Ahead = {
  readonly start: number;
  readonly fills: EdgeFill[];
  after?: Position;
  isWhole: boolean;
};

export class Ticker {
  readonly #stored: Stored;
  readonly #markets = new Map<string, TickerMarket>();
  /** Fills of the edge of all markets, oldest first. */
  #edge: EdgeFill[] = [];
  #edgeFirst = 0;
  #edgeStart = 0;
  /** Markets whose edge may be an older one. */
  #behind: Iterator<string> | undefined;
  #ahead: Ahead = { start: 0, fills: [], isWhole: false };
  #cut = 0;
  /** No fill after this time has been left out. */
  #leftThrough = 0;
  #version = 0;

  constructor(stored: Stored, now: number) {
    this.#stored = stored;
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

  /**
   * Starts the edges of markets, then reads so many trades at most of what is cut next, in portions; the window may
   * move between them. What is not read by the time it is cut is read then, at once.
   */
  *readAhead(rowsMax: number): Generator<void, void> {
    yield* this.#startEdges();
    for (let left = rowsMax; left > 0; left -= AHEAD_PORTION) {
      if (!this.#readPortion(this.#edgeStart + BUCKET_SECONDS)) return;
      yield;
    }
  }

  /** By `base/quote`; undefined for a market without fills in the window. */
  stats(symbol: string): TickerStats | undefined {
    return this.#current(symbol)?.stats;
  }

  /** The markets with fills in the window. */
  active(): readonly TickerStats[] {
    return [...this.#markets.keys()].flatMap((symbol) => this.stats(symbol) ?? []);
  }

  #load(cut: number): void {
    this.#markets.clear();
    this.#edgeStart = 0;
    this.#ahead = { start: 0, fills: [], isWhole: false };
    this.#cut = cut;
    const edgeStart = bucketStart(cut + 1, BUCKET_SECONDS);
    for (const { pair, newest } of this.#stored.candles.markets()) {
      if (newest < edgeStart) continue;
      for (const bucket of this.#stored.candles.since(pair, edgeStart))
        this.#market(pair).add(bucket);
    }
    this.#startEdge(edgeStart);
    // It may be the edge within seconds, too soon to be read a few at a time.
    while (this.#readPortion(edgeStart + BUCKET_SECONDS));
  }

  #startEdge(edgeStart: number): void {
    while (this.#readPortion(edgeStart));
    this.#edgeStart = edgeStart;
    this.#edge = this.#ahead.fills;
    this.#edgeFirst = 0;
    this.#leftThrough = this.#cut;
    this.#version += 1;
    this.#behind = this.#markets.keys();
    this.#dropEdge();
  }

  *#startEdges(): Generator<void, void> {
    // The window may move, and begin anew, at every `yield`.
    for (let started = 1; this.#behind !== undefined; started += 1) {
      const next = this.#behind.next();
      if (next.done === true) this.#behind = undefined;
      else this.#current(next.value);
      if (started % EDGE_PORTION === 0) yield;
    }
  }

  /** Reads on in the fills of the bucket at `start`. False where there is nothing more of it to read now. */
  #readPortion(start: number): boolean {
    if (this.#ahead.start !== start) this.#ahead = { start, fills: [], isWhole: false };
    const ahead = this.#ahead;
    if (ahead.isWhole || (ahead.after === undefined && !this.#hasBucket(start))) return false;
    const from = ahead.after === undefined ? { time: start } : { after: ahead.after };
    const trades = this.#stored.history.tradesFrom(from, AHEAD_PORTION);
    for (const trade of trades) {
      ahead.isWhole = trade.timestamp >= start + BUCKET_SECONDS;
      if (ahead.isWhole) return false;
      ahead.after = trade.id;
      const { timestamp: time } = trade;
      const fill = countedFill(trade);
      if (fill === undefined) continue;
      const market = this.#market(fill.pair);
      market.addAhead(start, { time, price: fill.price });
      ahead.fills.push({ time, key: market.key });
    }
    // What comes later in this bucket is read then.
    return trades.length === AHEAD_PORTION;
  }

  #hasBucket(start: number): boolean {
    for (const market of this.#markets.values()) if (market.hasBucket(start)) return true;
    return false;
  }

  #dropEdge(): void {
    for (let oldest = this.#edge[this.#edgeFirst]; oldest !== undefined; ) {
      if (oldest.time > this.#cut) return;
      this.#version += 1;
      this.#leftThrough = this.#cut;
      this.#current(oldest.key)?.dropEdge(this.#cut);
      this.#edgeFirst += 1;
      oldest = this.#edge[this.#edgeFirst];
    }
  }

  #addTrade(trade: Trade | Swap): void {
    const { timestamp: time } = trade;
    const fill = countedFill(trade);
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
      this.#edge.push({ time, key: market.key });
    }
  }

  /** A market with its edge where it is now; undefined where it has no fills in the window. */
  #current(key: string): TickerMarket | undefined {
    const market = this.#markets.get(key);
    market?.startEdge(this.#edgeStart);
    if (market?.isEmpty !== true) return market;
    this.#markets.delete(key);
    return undefined;
  }

  #market(pair: Pair): TickerMarket {
    const key = marketKey(pair);
    const known = this.#current(key);
    if (known !== undefined) return known;
    const market = new TickerMarket(pair);
    market.startEdge(this.#edgeStart);
    this.#markets.set(market.key, market);
    return market;
  }
}

/** Undefined where it is none, or not counted. */
function countedFill(trade: Trade | Swap): ReturnType<typeof marketFill> {
  return trade.type === "swap" || trade.crossfill ? undefined : marketFill(trade);
}
