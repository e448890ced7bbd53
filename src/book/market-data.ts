// The market data that the rest of the process may read: exact values, formatted at the edge. Main
// thread only; every answer is of the newest visible ledger.
import type { Address, Pair } from "../model/address.ts";
import type { Candle, PriceRatio } from "../model/candle.ts";
import type { CandleWindow } from "./candle-reader.ts";

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

/** The last 24 hours of all markets together. */
export type DayTotals = {
  readonly fills: number;
  /** What was traded of each token, base units, in the contract's order of addresses. */
  readonly tokens: readonly { readonly asset: Address; readonly amount: bigint }[];
};

export interface MarketData {
  /**
   * Candles of a market in its requested orientation, oldest first; buckets without fills are left
   * out, and those that the window cuts hold what lies within.
   */
  candles(market: Pair, window: CandleWindow): readonly Candle[];
  /**
   * Markets opened on-chain and markets with live orders, most fills first, then by symbol. The
   * window ends at `timestamp` (UNIX seconds, the clock's); a fill is in it for 86,400 seconds. The
   * same list until something changes.
   */
  ticker(): { readonly timestamp: number; readonly markets: readonly TickerStats[] };
  /** The same object until something changes. */
  dayTotals(): DayTotals;
}
