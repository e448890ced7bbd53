// Indicators drawn over candles, in floats as the candles are.
import type { Candle } from "../../../src/api/types.ts";

const DAY_SECONDS = 86_400;

export type Point = { readonly time: number; readonly value: number };

/** Mean of the last `length` closes; it begins with the first candle that has so many. */
export function movingAverage(candles: readonly Candle[], length: number): readonly Point[] {
  const points: Point[] = [];
  let sum = 0;
  candles.forEach(([time, , , , close], at) => {
    sum += Number(close);
    if (at >= length) sum -= Number(candles[at - length]?.[4]);
    if (at >= length - 1) points.push({ time, value: sum / length });
  });
  return points;
}

/**
 * Volume-weighted average price since the UTC day began, to each candle; of each candle alone where it is
 * as long as a day. Volumes of candles are exact, so this is the price that the day's taker paid on average.
 */
export function volumeWeighted(candles: readonly Candle[], seconds: number): readonly Point[] {
  const points: Point[] = [];
  let day = Number.NaN;
  let [base, quote] = [0, 0];
  for (const [time, , , , , baseVolume, quoteVolume] of candles) {
    const of = Math.floor(time / DAY_SECONDS);
    if (of !== day || seconds >= DAY_SECONDS) {
      day = of;
      [base, quote] = [0, 0];
    }
    base += Number(baseVolume);
    quote += Number(quoteVolume);
    if (base > 0) points.push({ time, value: quote / base });
  }
  return points;
}
