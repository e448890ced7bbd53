// One market's last 24 hours: buckets of 5 minutes, and single fills only in the oldest bucket, the
// edge, which the window cuts. So memory is bounded by the number of buckets of a day.
import { marketKey, type Pair } from "../model/address.ts";
import { type Candle, comparePrices, type PriceRatio } from "../model/candle.ts";
import { PriceExtreme } from "./price-extreme.ts";

/** The last 24 hours of a market, volumes in base units. The same object until something changes. */
export type TickerStats = {
  /** Canonical. */
  readonly pair: Pair;
  /** Absent without fills. */
  readonly prices?: {
    readonly open: PriceRatio;
    readonly high: PriceRatio;
    readonly low: PriceRatio;
    readonly last: PriceRatio;
  };
  readonly baseVolume: bigint;
  readonly quoteVolume: bigint;
  readonly fills: number;
};

export type WindowFill = { readonly time: number; readonly price: PriceRatio };

/** Fills one by one, oldest first, of which the oldest leave. */
class SingleFills {
  readonly highs = new PriceExtreme(1);
  readonly lows = new PriceExtreme(-1);
  readonly #fills: WindowFill[] = [];
  #first = 0;
  fills = 0;
  baseVolume = 0n;
  quoteVolume = 0n;

  get oldest(): WindowFill | undefined {
    return this.#fills[this.#first];
  }

  get newest(): WindowFill | undefined {
    return this.oldest && this.#fills.at(-1);
  }

  push(fill: WindowFill): void {
    this.#fills.push(fill);
    this.highs.push(fill.time, fill.price);
    this.lows.push(fill.time, fill.price);
    this.#count(fill, 1);
  }

  dropThrough(time: number): void {
    for (let fill = this.oldest; fill !== undefined && fill.time <= time; fill = this.oldest) {
      this.#count(fill, -1);
      this.#first += 1;
    }
    this.highs.dropThrough(time);
    this.lows.dropThrough(time);
  }

  #count({ price }: WindowFill, sign: 1 | -1): void {
    this.fills += sign;
    this.baseVolume += sign === 1 ? price.base : -price.base;
    this.quoteVolume += sign === 1 ? price.quote : -price.quote;
  }
}

type Volumes = Pick<Candle, "baseVolume" | "quoteVolume" | "fills">;

/**
 * What leaves the window with a bucket, and the price that is then the first. A day of many markets has hundreds of
 * thousands of them: each is changed in place, and whole candles would be several times as much to mark for the
 * collector.
 */
type Bucket = Pick<Candle, "start" | "open"> & {
  -readonly [Volume in keyof Volumes]: Volumes[Volume];
};

export class TickerMarket {
  /** `base/quote`. */
  readonly key: string;
  readonly #pair: Pair;
  readonly #buckets: Bucket[] = [];
  /** Of the newest bucket. */
  #close: PriceRatio | undefined;
  #edge = new SingleFills();
  #edgeStart = 0;
  /** Of the bucket at `#aheadStart`, which becomes the edge later and counts as a bucket until then. */
  #ahead = new SingleFills();
  #aheadStart = 0;
  readonly #bucketHighs = new PriceExtreme(1);
  readonly #bucketLows = new PriceExtreme(-1);
  /** Of the buckets. */
  #baseVolume = 0n;
  #quoteVolume = 0n;
  #fills = 0;
  #stats: TickerStats | undefined;

  constructor(pair: Pair) {
    this.key = marketKey(pair);
    this.#pair = pair;
  }

  /** Fills of one bucket, not older than those it has. */
  add(candle: Candle): void {
    const { start, open, high, low, close, baseVolume, quoteVolume, fills } = candle;
    const newest = this.#buckets.at(-1);
    if (newest?.start === start) {
      newest.baseVolume += baseVolume;
      newest.quoteVolume += quoteVolume;
      newest.fills += fills;
    } else this.#buckets.push({ start, open, baseVolume, quoteVolume, fills });
    this.#close = close;
    this.#bucketHighs.push(start, high);
    this.#bucketLows.push(start, low);
    this.#count(candle, 1);
  }

  /** A fill of the edge, not older than those it has. */
  addToEdge(fill: WindowFill): void {
    this.#stats = undefined;
    this.#edge.push(fill);
  }

  /** A fill of the bucket at `start`, which becomes the edge next; not older than those it has. */
  addAhead(start: number, fill: WindowFill): void {
    if (this.#aheadStart !== start) {
      this.#ahead = new SingleFills();
      this.#aheadStart = start;
    }
    this.#ahead.push(fill);
  }

  hasBucket(start: number): boolean {
    return this.#buckets.find((bucket) => bucket.start >= start)?.start === start;
  }

  /**
   * The edge moves to the bucket at `start`, if it is not there, whose fills were added ahead: everything older leaves
   * the window, and that bucket is kept fill by fill.
   */
  startEdge(start: number): void {
    if (start === this.#edgeStart) return;
    for (let [oldest] = this.#buckets; oldest && oldest.start <= start; [oldest] = this.#buckets) {
      this.#count(oldest, -1);
      this.#buckets.shift();
    }
    this.#bucketHighs.dropThrough(start);
    this.#bucketLows.dropThrough(start);
    this.#edge = this.#aheadStart === start ? this.#ahead : new SingleFills();
    this.#edgeStart = start;
    this.#ahead = new SingleFills();
    this.#aheadStart = 0;
    this.#stats = undefined;
  }

  /** Fills of the edge up to a time, inclusive, leave the window. */
  dropEdge(through: number): void {
    this.#stats = undefined;
    this.#edge.dropThrough(through);
  }

  get isEmpty(): boolean {
    return this.#fills + this.#edge.fills + this.#ahead.fills === 0;
  }

  /** The same object until a fill comes or leaves. */
  get stats(): TickerStats {
    this.#stats ??= this.#makeStats();
    return this.#stats;
  }

  #count({ baseVolume, quoteVolume, fills }: Volumes, sign: 1 | -1): void {
    this.#stats = undefined;
    this.#fills += sign * fills;
    this.#baseVolume += sign === 1 ? baseVolume : -baseVolume;
    this.#quoteVolume += sign === 1 ? quoteVolume : -quoteVolume;
  }

  #makeStats(): TickerStats {
    const edge = this.#edge;
    const open = edge.oldest?.price ?? this.#buckets[0]?.open;
    const last = this.#buckets.length > 0 ? this.#close : edge.newest?.price;
    const high = better(1, edge.highs.best, this.#bucketHighs.best);
    const low = better(-1, edge.lows.best, this.#bucketLows.best);
    const prices = open && high && low && last && { open, high, low, last };
    return {
      pair: this.#pair,
      ...(prices && { prices }),
      baseVolume: this.#baseVolume + edge.baseVolume,
      quoteVolume: this.#quoteVolume + edge.quoteVolume,
      fills: this.#fills + edge.fills,
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
