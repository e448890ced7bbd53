// Market data from the store and the ticker beside it.
import { canonicalPair, type Pair } from "../model/address.ts";
import { type Candle, invertCandle } from "../model/candle.ts";
import type { Clock } from "../model/clock.ts";
import type { Swap, Trade } from "../model/trade.ts";
import type { Store } from "../store/store.ts";
import { type CandleWindow, readCandles } from "./candle-reader.ts";
import type { DayTotals, MarketData, TickerStats } from "./market-data.ts";
import { Ticker } from "./ticker.ts";
import { type KnownMarkets, TickerList } from "./ticker-list.ts";

/**
 * Trades read ahead in a second (choice): some 30 ms of work in its slices, and more than a network with
 * ledgers of thousands of calls brings in a second, so that whatever leaves the window was read before.
 */
const AHEAD_ROWS_MAX = 6000;

export class StoredMarketData implements MarketData {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #known: () => KnownMarkets;
  readonly #ticker: Ticker;
  readonly #list = new TickerList();

  constructor(store: Store, clock: Clock, known: () => KnownMarkets) {
    this.#store = store;
    this.#clock = clock;
    this.#known = known;
    const { candles, history } = store;
    this.#ticker = new Ticker(
      {
        markets: () => candles.markets(),
        buckets: (pair, from) => candles.since(pair, from),
        trades: (start, limit) => history.tradesFrom(start, limit),
      },
      this.#now(),
    );
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

  candles(market: Pair, window: CandleWindow): readonly Candle[] {
    const pair = canonicalPair(market.base, market.quote);
    const candles = readCandles(this.#store.candles, pair, window);
    return pair.base === market.base ? candles : candles.map(invertCandle);
  }

  ticker(): { readonly timestamp: number; readonly markets: readonly TickerStats[] } {
    const timestamp = this.#now();
    this.#ticker.moveTo(timestamp);
    return { timestamp, markets: this.#list.list(this.#ticker, this.#known()) };
  }

  dayTotals(): DayTotals {
    this.#ticker.moveTo(this.#now());
    return this.#list.totals(this.#ticker);
  }

  #now(): number {
    return Math.floor(this.#clock() / 1000);
  }
}
