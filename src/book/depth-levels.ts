// The arithmetic of depth, exact: mid price, band, step and levels. Prices are scaled by 10^18, quote
// per base: an ask's is its maker price p, a bid's is 10^36 / p, a ratio.
import { PRICE_MAX } from "../model/settlement.ts";

export const PRICE_DECIMALS = 18;
const STEP_DIGITS = 5;
/** A percentage is taken to the 10^-12: more digits than `depth` can say anything with. */
const PERCENT_PARTS = 10 ** 12;

export type Ratio = { readonly numerator: bigint; readonly denominator: bigint };

/** The level of an order, and how far it reaches. */
export type LevelRule = {
  /** What a bid offers is counted in what it buys: the base asset. */
  readonly counts: "sold" | "bought";
  /** Printed price of the level of a maker price; highest maker price of that level. */
  readonly levelOf: (price: bigint) => Level;
};

export type Level = {
  readonly price: bigint;
  readonly last: bigint;
  /** False on the wrong side of the mid price, and where a bid rounds down to nothing. */
  readonly isShown: boolean;
};

/** A one-sided book has the best price of its side for a mid price. */
export function midPrice(ask: bigint | undefined, bid: bigint | undefined): Ratio | undefined {
  if (ask === undefined) {
    return bid === undefined ? undefined : { numerator: PRICE_MAX, denominator: bid };
  }
  if (bid === undefined) return { numerator: ask, denominator: 1n };
  return { numerator: ask * bid + PRICE_MAX, denominator: 2n * bid };
}

/** One unit of the fifth significant digit, but no finer than a step can be asked for. */
export function automaticStep({ numerator, denominator }: Ratio): bigint {
  let unit = numerator / denominator / 10n ** BigInt(STEP_DIGITS - 1);
  let step = 1n;
  for (; unit >= 10n; unit /= 10n) step *= 10n;
  return step;
}

export function scaledStep(text: string): bigint {
  const [whole = "", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(PRICE_DECIMALS, "0"));
}

/** The highest maker price of an ask within the band, a rule on orders; `depth` in percent. */
export function highestAsk(mid: Ratio, depth: number): bigint {
  const parts = BigInt(PERCENT_PARTS);
  return (mid.numerator * (parts + bandParts(depth))) / (mid.denominator * parts);
}

/** The same of a bid. Undefined: no bid is too low. */
export function highestBid(mid: Ratio, depth: number): bigint | undefined {
  const parts = BigInt(PERCENT_PARTS);
  const band = bandParts(depth);
  if (band >= parts) return undefined;
  return (PRICE_MAX * mid.denominator * parts) / (mid.numerator * (parts - band));
}

function bandParts(depth: number): bigint {
  return BigInt(Math.round((depth / 100) * PERCENT_PARTS));
}

/** Up to its level: a limit order to buy there crosses every ask in it. */
export function askLevels(step: bigint, mid: Ratio): LevelRule {
  return {
    counts: "sold",
    levelOf: (price) => {
      const level = ((price + step - 1n) / step) * step;
      return { price: level, last: level, isShown: level * mid.denominator >= mid.numerator };
    },
  };
}

/** Down to its level: a limit order to sell there crosses every bid in it. */
export function bidLevels(step: bigint, mid: Ratio): LevelRule {
  return {
    counts: "bought",
    levelOf: (price) => {
      const level = (PRICE_MAX / price / step) * step;
      if (level === 0n) return { price: 0n, last: PRICE_MAX, isShown: false };
      const isShown = level * mid.denominator <= mid.numerator;
      return { price: level, last: PRICE_MAX / level, isShown };
    },
  };
}
