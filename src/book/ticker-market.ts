// One market's last 24 hours: buckets of 5 minutes, and single fills only in the oldest bucket, the
// edge, which the window cuts. So memory is bounded by the number of buckets of a day.
import type { Pair } from "../model/address.ts";
import {
  type Candle,
  candleOfFill,
  comparePrices,
  joinCandles,
  type PriceRatio,
} from "../model/candle.ts";
import type { TickerStats } from "./market-data.ts";
import { PriceExtreme } from "./price-extreme.ts";

export type WindowFill = { readonly time: number; readonly price: PriceRatio };

export class TickerMarket {
  readonly #pair: Pair;
  #buckets: Candle[] = [];
  #edge: WindowFill[] = [];
  #edgeFirst = 0;
  readonly #bucketHighs = new PriceExtreme(1);
  readonly #bucketLows = new PriceExtreme(-1);
  readonly #edgeHighs = new PriceExtreme(1);
  readonly #edgeLows = new PriceExtreme(-1);
  #baseVolume = 0n;
  #quoteVolume = 0n;
  #fills = 0;
  #stats: TickerStats | undefined;

  constructor(pair: Pair) {
    this.#pair = pair;
  }

  /** Fills of one bucket, not older than those it has. */
  add(candle: Candle): void {
    const newest = this.#buckets.at(-1);
    if (newest?.start === candle.start) {
      this.#buckets[this.#buckets.length - 1] = joinCandles(newest, candle);
    } else this.#buckets.push(candle);
    this.#bucketHighs.push(candle.start, candle.high);
    this.#bucketLows.push(candle.start, candle.low);
    this.#count(candle, 1);
  }

  /** A fill of the edge, not older than those it has. */
  addToEdge(fill: WindowFill): void {
    this.#edge.push(fill);
    this.#edgeHighs.push(fill.time, fill.price);
    this.#edgeLows.push(fill.time, fill.price);
    this.#count(candleOfFill(fill.time, fill.price), 1);
  }

  /**
   * The edge moves to the bucket at `start`: everything older leaves the window, and so does that
   * bucket, whose fills are to be added to the edge one by one. Returns whether it had any.
   */
  startEdge(start: number): boolean {
    this.dropEdge(Number.POSITIVE_INFINITY);
    const kept = this.#buckets.findIndex((bucket) => bucket.start > start);
    const gone = this.#buckets.splice(0, kept === -1 ? this.#buckets.length : kept);
    for (const bucket of gone) this.#count(bucket, -1);
    this.#bucketHighs.dropThrough(start);
    this.#bucketLows.dropThrough(start);
    return gone.at(-1)?.start === start;
  }

  /** Fills of the edge up to a time, inclusive, leave the window. */
  dropEdge(through: number): void {
    const edge = this.#edge;
    for (let fill = edge[this.#edgeFirst]; fill !== undefined && fill.time <= through; ) {
      this.#count(candleOfFill(fill.time, fill.price), -1);
      this.#edgeFirst += 1;
      fill = edge[this.#edgeFirst];
    }
    this.#edgeHighs.dropThrough(through);
    this.#edgeLows.dropThrough(through);
    if (this.#edgeFirst < edge.length) return;
    this.#edge = [];
    this.#edgeFirst = 0;
  }

  get isEmpty(): boolean {
    return this.#fills === 0;
  }

  /** The same object until a fill comes or leaves. */
  get stats(): TickerStats {
    this.#stats ??= this.#makeStats();
    return this.#stats;
  }

  #count({ baseVolume, quoteVolume, fills }: Candle, sign: 1 | -1): void {
    this.#stats = undefined;
    this.#fills += sign * fills;
    this.#baseVolume += sign === 1 ? baseVolume : -baseVolume;
    this.#quoteVolume += sign === 1 ? quoteVolume : -quoteVolume;
  }

  #makeStats(): TickerStats {
    const open = this.#edge[this.#edgeFirst]?.price ?? this.#buckets[0]?.open;
    const last = this.#buckets.at(-1)?.close ?? this.#edge.at(-1)?.price;
    const high = better(1, this.#edgeHighs.best, this.#bucketHighs.best);
    const low = better(-1, this.#edgeLows.best, this.#bucketLows.best);
    const prices = open && high && low && last && { open, high, low, last };
    return {
      pair: this.#pair,
      ...(prices && { prices }),
      ...{ baseVolume: this.#baseVolume, quoteVolume: this.#quoteVolume, fills: this.#fills },
    };
  }
}

/** The higher with the sign 1, the lower with -1. */
function better(
  sign: 1 | -1,
  one: PriceRatio | undefined,
  other: PriceRatio | undefined,
): PriceRatio | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return sign * comparePrices(one, other) >= 0 ? one : other;
}
