// Running totals of a book's levels, exact, for the ladder's bars and the cumulative chart.

import type { DepthLevel } from "../../../src/api/types.ts";
import { decimalText } from "../../../src/model/display.ts";
import { toUnits } from "../number/decimal.ts";

/** Decimals of quantities in /depth. */
const QUANTITY_DIGITS = 7;

export type SummedLevel = {
  readonly price: string;
  readonly quantity: string;
  /** Of this level and all nearer to the spread. */
  readonly total: string;
  /** `total` for drawing alone. */
  readonly totalNumber: number;
};

/** Levels as /depth lists them: nearest to the spread first. */
export function summed(levels: readonly DepthLevel[]): readonly SummedLevel[] {
  let units = 0n;
  return levels.map(([price, quantity]) => {
    units += toUnits(quantity, QUANTITY_DIGITS);
    const total = decimalText(units, QUANTITY_DIGITS);
    return { price, quantity, total, totalNumber: Number(total) };
  });
}

/** (ask - bid) / mid in percent; negative where the book is crossed. For display. */
export function spreadPercent(bestBid: string, bestAsk: string): number {
  const bid = Number(bestBid);
  const ask = Number(bestAsk);
  return ((ask - bid) / ((ask + bid) / 2)) * 100;
}
