// Candles of a window from stored ones. A window applies at 5 minutes: a coarser candle that it
// cuts is put together from finer ones, so an answer reads at most the window's own candles and a
// few dozen finer ones at its two ends, whatever the history holds.
import type { Pair } from "../model/address.ts";
import { bucketStart, type Candle, joinCandles, RESOLUTIONS } from "../model/candle.ts";
import type { CandleTable } from "../store/candle-table.ts";

type StoredCandles = Pick<CandleTable, "at" | "between">;

export type CandleWindow = {
  /** UNIX seconds, multiples of 300; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** One of `RESOLUTIONS`. */
  readonly resolution: number;
};

/** Oldest first; buckets without fills are left out. The pair is canonical. */
export function readCandles(
  stored: StoredCandles,
  pair: Pair,
  { from, to, resolution }: CandleWindow,
): readonly Candle[] {
  if (from >= to) return [];
  const firstStart = bucketStart(from, resolution);
  const firstWhole = firstStart === from ? from : firstStart + resolution;
  const lastStart = bucketStart(to, resolution);
  if (lastStart < firstWhole) return composed(stored, pair, firstStart, from, to);
  return [
    ...composed(stored, pair, firstStart, from, firstWhole),
    ...stored.between(pair, resolution, firstWhole, lastStart),
    ...composed(stored, pair, lastStart, lastStart, to),
  ];
}

/** The part of the candle at `start` that lies in `from`..`to`, from the fewest finer candles. */
function composed(
  stored: StoredCandles,
  pair: Pair,
  start: number,
  from: number,
  to: number,
): readonly Candle[] {
  let whole: Candle | undefined;
  for (let at = from; at < to; ) {
    const resolution = coarsestWithin(at, to);
    const part = stored.at(pair, resolution, at);
    if (part !== undefined) whole = whole === undefined ? part : joinCandles(whole, part);
    at += resolution;
  }
  return whole === undefined ? [] : [{ ...whole, start }];
}

function coarsestWithin(at: number, to: number): number {
  const fitting = RESOLUTIONS.findLast(
    (resolution) => at % resolution === 0 && at + resolution <= to,
  );
  if (fitting === undefined) throw new RangeError(`no window of 5 minutes: ${at} to ${to}`);
  return fitting;
}
