// Market data from the store and the ticker beside it: exact values, formatted at the edge. Main thread only; every
// answer is of the newest visible ledger.
import { canonicalPair, type Pair } from "../model/address.ts";
import { type Candle, invertCandle } from "../model/candle.ts";
import type { Clock } from "../model/clock.ts";
import type { Swap, Trade } from "../model/trade.ts";
import type { Store } from "../store/store.ts";
import { type CandleWindow, readCandles } from "./candle-reader.ts";
import { Ticker } from "./ticker.ts";
import { type DayTotals, type KnownMarkets, TickerList } from "./ticker-list.ts";
import type { TickerStats } from "./ticker-market.ts";

/**
 * Trades read ahead in a second (choice): some 30 ms of work in its slices, and more than a network with
 * ledgers of thousands of calls brings in a second, so that whatever leaves the window was read before.
 */
const AHEAD_ROWS_MAX = 6000;

export class MarketData {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #known: () => KnownMarkets;
  readonly #ticker: Ticker;
  readonly #list = new TickerList();

  constructor(store: Store, clock: Clock, known: () => KnownMarkets) {
    this.#store = store;
    this.#clock = clock;
    this.#known = known;
    this.#ticker = new Ticker(store, this.#now());
  }

  /** Takes the trades of a step at once after the store was renewed. */
  add(trades: readonly (Trade | Swap)[]): void {
    this.#ticker.add(trades);
    this.#ticker.moveTo(this.#now());
  }

  /**
   * To be called every second or so: the ticker's window follows the clock though nobody asks, and what leaves it
   * next is read ahead, in portions.
   */
  *passClock(): Generator<void, void> {
    this.#ticker.moveTo(this.#now());
    yield* this.#ticker.readAhead(AHEAD_ROWS_MAX);
  }

  /**
   * Candles of a market in its requested orientation, oldest first; buckets without fills are left
   * out, and those that the window cuts hold what lies within.
   */
  candles(market: Pair, window: CandleWindow): readonly Candle[] {
    const pair = canonicalPair(market.base, market.quote);
    const candles = readCandles(this.#store.candles, pair, window);
    return pair.base === market.base ? candles : candles.map(invertCandle);
  }

  /**
   * Markets opened on-chain and markets with live orders, most fills first, then by symbol. The
   * window ends at `timestamp` (UNIX seconds, the clock's); a fill is in it for 86,400 seconds. The
   * same list until something changes.
   */
  ticker(): { readonly timestamp: number; readonly markets: readonly TickerStats[] } {
    const timestamp = this.#now();
    this.#ticker.moveTo(timestamp);
    return { timestamp, markets: this.#list.list(this.#ticker, this.#known()) };
  }

  /** The same object until something changes. */
  dayTotals(): DayTotals {
    this.#ticker.moveTo(this.#now());
    return this.#list.totals(this.#ticker);
  }

  #now(): number {
    return Math.floor(this.#clock() / 1000);
  }
}
