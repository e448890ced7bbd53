// Fills into candles, while a step is computed. The fills of one market and ledger are joined
// first, then put into the newest candle of each resolution.
//
// Invariant: close times never go back (protocol), so a fill belongs to a market's newest candles
// or starts new ones. Were one to go back, its fills would count in the newest candles.
import { marketKey, type Pair } from "../model/address.ts";
import {
  bucketStart,
  type Candle,
  candleOfFill,
  joinCandles,
  marketFill,
  RESOLUTIONS,
} from "../model/candle.ts";
import type { Swap, Trade } from "../model/trade.ts";
import type { CandleChange } from "../store/step-record.ts";

/** The stored newest candles of a market, one a resolution; none without fills. */
export type StoredHead = (pair: Pair) => readonly Candle[];

/** Fills of one market and close time, which is their candle's start. */
type LedgerCandle = { readonly pair: Pair; candle: Candle };

/** What the fills of a step change. Swaps and the own fill of a crossfill count nothing. */
export function candleChanges(
  trades: readonly (Trade | Swap)[],
  stored: StoredHead,
): readonly CandleChange[] {
  const changes = new Map<string, CandleChange>();
  for (const { pair, candle } of ledgerCandles(trades)) {
    const key = marketKey(pair);
    const change = changes.get(key) ?? { pair, head: stored(pair), closed: [] };
    changes.set(key, putIn(change, candle));
  }
  return [...changes.values()];
}

function ledgerCandles(trades: readonly (Trade | Swap)[]): Iterable<LedgerCandle> {
  const candles = new Map<string, LedgerCandle>();
  for (const trade of trades) {
    const fill = trade.type === "swap" || trade.crossfill ? undefined : marketFill(trade);
    if (fill === undefined) continue;
    const one = candleOfFill(trade.timestamp, fill.price);
    const key = `${marketKey(fill.pair)} ${trade.timestamp}`;
    const known = candles.get(key);
    if (known === undefined) candles.set(key, { pair: fill.pair, candle: one });
    else known.candle = joinCandles(known.candle, one);
  }
  return candles.values();
}

function putIn({ pair, head, closed }: CandleChange, fills: Candle): CandleChange {
  const done = [...closed];
  const next = RESOLUTIONS.map((resolution, at) => {
    const newest = head[at];
    const start = bucketStart(fills.start, resolution);
    if (newest !== undefined && start <= newest.start) return joinCandles(newest, fills);
    if (newest !== undefined) done.push({ resolution, candle: newest });
    return { ...fills, start };
  });
  return { pair, head: next, closed: done };
}
