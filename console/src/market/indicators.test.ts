import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Candle } from "../../../src/api/types.ts";
import { movingAverage, volumeWeighted } from "./indicators.ts";

function candle(time: number, close: number, base = 1, quote = close): Candle {
  const price = String(close);
  return [time, price, price, price, price, String(base), String(quote), 1];
}

describe("lines over candles", () => {
  it("average the last closes, from the first candle that has so many before it", () => {
    const candles = [1, 2, 3, 10].map((close, at) => candle(at * 300, close));
    assert.deepEqual(movingAverage(candles, 3), [
      { time: 600, value: 2 },
      { time: 900, value: 5 },
    ]);
    assert.deepEqual(movingAverage(candles.slice(0, 2), 3), []);
    assert.deepEqual(movingAverage([], 7), []);
  });

  it("weigh prices by volume, anew with each UTC day", () => {
    const candles = [candle(0, 1, 3, 3), candle(300, 5, 1, 5), candle(86_400, 7, 2, 14)];
    assert.deepEqual(
      volumeWeighted(candles, 300).map(({ value }) => value),
      [1, 2, 7],
    );
    const days = [candle(0, 1, 3, 3), candle(86_400, 5, 1, 5)];
    assert.deepEqual(
      volumeWeighted(days, 86_400).map(({ value }) => value),
      [1, 5],
    );
    assert.deepEqual(volumeWeighted([candle(0, 1, 0, 0)], 300), []);
  });
});
