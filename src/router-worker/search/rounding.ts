// Hot path: the contract's rounding on plain numbers. Exact where the result is below 2^53: a
// quotient that floating point cannot place on one side of an integer is settled with integers
// (some 300 ns instead of 3). Beyond 2^53 the result is the nearest number, good for ranking only.
import { costUp, outputDown } from "../../model/settlement.ts";

/** Contract prices per real price: 10^18, which a double holds exactly. */
const UNIT = 1e18;

/** Rounding of a price to a double, its division by the unit and one more operation: 3 * 2^-53. */
const SLACK = 2 ** -51;

/** Above this the slack would reach a good part of a unit: integers settle it. */
const NUMBER_MAX = 2 ** 48;

/** Below it, sums and products of a hop are exact. */
export const EXACT_MAX = 2 ** 51;

/** Whether what orders add up to is surely more than their maker has; what is too close integers decide. */
export function exceeds(sum: number, most: number): boolean {
  return sum > most && (sum < EXACT_MAX || sum > most * (1 + 2 ** -46));
}

/** What sums of such a size may err by: what it leaves open integers decide. */
export function sumError(sum: number): number {
  return sum < EXACT_MAX ? 0 : sum * 2 ** -46;
}

/** A contract price as buying base units per selling base unit. */
export function realPrice(price: number): number {
  return price / UNIT;
}

/** ceil(got * price). `words` holds the exact price at `at`, low word first. */
export function costOf(got: number, price: number, words: BigUint64Array, at: number): number {
  const cost = got * price;
  const up = Math.ceil(cost);
  const slack = cost * SLACK;
  if (cost < NUMBER_MAX && up - cost > slack && cost - (up - 1) > slack) return up;
  return Number(costUp(BigInt(got), exactPrice(words, at)));
}

/** floor(paid / price). */
export function outputOf(paid: number, price: number, words: BigUint64Array, at: number): number {
  const output = paid / price;
  const down = Math.floor(output);
  const slack = output * SLACK;
  if (output < NUMBER_MAX && output - down > slack && down + 1 - output > slack) return down;
  return Number(outputDown(BigInt(paid), exactPrice(words, at)));
}

export function exactPrice(words: BigUint64Array, at: number): bigint {
  const high = words[at + 1]!;
  return high === 0n ? words[at]! : (high << 64n) | words[at]!;
}
