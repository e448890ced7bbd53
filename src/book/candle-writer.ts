// Adds fills to candles, while a step is computed. The fills of one market and ledger are joined
// first and go into the market's newest finest candle; a finest candle that is complete goes into
// the part of each coarser one (store/candle-table.ts).
//
// Invariant: close times never go back (protocol), so a fill belongs to the newest finest candle
// or starts a new one. Were one to go back, its fills would count in the newest.
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
import type { CandleTable } from "../store/candle-table.ts";
import type { CandleChange } from "../store/step-record.ts";

type ClosedCandle = CandleChange["closed"][number];

const [FINEST = 300, ...COARSER] = RESOLUTIONS;

/** Fills of one market and close time, which is their candle's start. */
type LedgerCandle = { readonly pair: Pair; candle: Candle };

/**
 * What the fills of a step change. Swaps and the own fill of a crossfill count nothing. In portions of one market: the
 * first ledger of five minutes completes a candle in each.
 */
export function* candleChanges(
  trades: readonly (Trade | Swap)[],
  stored: Pick<CandleTable, "newest" | "parts">,
): Generator<void, readonly CandleChange[]> {
  const changes = new Map<string, CandleChange>();
  for (const { pair, candle } of ledgerCandles(trades)) {
    const key = marketKey(pair);
    const change = changes.get(key);
    const newest = change?.newest ?? stored.newest(pair);
    const fills = { ...candle, start: bucketStart(candle.start, FINEST) };
    if (newest === undefined) {
      changes.set(key, { pair, newest: fills, closed: [] });
    } else if (fills.start <= newest.start) {
      changes.set(key, { ...(change ?? { pair, closed: [] }), newest: joinCandles(newest, fills) });
    } else {
      const parts = change?.parts ?? stored.parts(pair);
      const completed = complete(newest, parts);
      const closed = [...(change?.closed ?? []), ...completed.closed];
      changes.set(key, { pair, newest: fills, parts: completed.parts, closed });
    }
    yield;
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

/** A finest candle is complete: the parts of the coarser ones take it in or begin with it. */
function complete(finest: Candle, parts: readonly Candle[]) {
  const closed: ClosedCandle[] = [{ resolution: FINEST, candle: finest }];
  const next = COARSER.map((resolution, at) => {
    const part = parts[at];
    const start = bucketStart(finest.start, resolution);
    if (part?.start === start) return joinCandles(part, finest);
    if (part !== undefined) closed.push({ resolution, candle: part });
    return { ...finest, start };
  });
  return { parts: next, closed };
}
