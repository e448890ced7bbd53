// Candles with exact prices. Prices are kept as the ratio of a fill's amounts, in the canonical
// orientation of the market; the reverse orientation inverts the ratios and loses nothing.
import { type Address, canonicalPair, type Pair } from "./address.ts";

/** Quote base units per base base units; both positive. */
export type PriceRatio = { readonly quote: bigint; readonly base: bigint };

/** What happened from `start` (UNIX seconds) on, volumes in base units. */
export type Candle = {
  readonly start: number;
  readonly open: PriceRatio;
  readonly high: PriceRatio;
  readonly low: PriceRatio;
  readonly close: PriceRatio;
  readonly baseVolume: bigint;
  readonly quoteVolume: bigint;
  readonly fills: number;
};

/** Standard resolutions in seconds, finest first (api.md, GET /candles). */
export const RESOLUTIONS: readonly number[] = [
  300, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400, 259_200, 604_800, 1_209_600,
];

export function bucketStart(time: number, resolution: number): number {
  return Math.floor(time / resolution) * resolution;
}

/** Negative, 0 or positive as `a` is below, at or above `b`. */
export function comparePrices(a: PriceRatio, b: PriceRatio): number {
  const left = a.quote * b.base;
  const right = b.quote * a.base;
  return left < right ? -1 : left > right ? 1 : 0;
}

type FillAmounts = {
  readonly soldAsset: Address;
  readonly boughtAsset: Address;
  readonly sold: bigint;
  readonly bought: bigint;
};

/** A fill as its market's candles see it; undefined where an amount is 0 and no price exists. */
export function marketFill(
  fill: FillAmounts,
): { readonly pair: Pair; readonly price: PriceRatio } | undefined {
  const { soldAsset, boughtAsset, sold, bought } = fill;
  if (sold <= 0n || bought <= 0n) return undefined;
  const pair = canonicalPair(soldAsset, boughtAsset);
  const isBaseSold = pair.base === soldAsset;
  return {
    pair,
    price: isBaseSold ? { base: sold, quote: bought } : { base: bought, quote: sold },
  };
}

export function candleOfFill(start: number, price: PriceRatio): Candle {
  const prices = { open: price, high: price, low: price, close: price };
  return { start, ...prices, baseVolume: price.base, quoteVolume: price.quote, fills: 1 };
}

/** Both together, `later` after `earlier`; it starts where the earlier one does. */
export function joinCandles(earlier: Candle, later: Candle): Candle {
  return {
    start: earlier.start,
    open: earlier.open,
    high: comparePrices(later.high, earlier.high) > 0 ? later.high : earlier.high,
    low: comparePrices(later.low, earlier.low) < 0 ? later.low : earlier.low,
    close: later.close,
    baseVolume: earlier.baseVolume + later.baseVolume,
    quoteVolume: earlier.quoteVolume + later.quoteVolume,
    fills: earlier.fills + later.fills,
  };
}

/** The candle of the reverse orientation. */
export function invertCandle(candle: Candle): Candle {
  return {
    start: candle.start,
    open: invertPrice(candle.open),
    high: invertPrice(candle.low),
    low: invertPrice(candle.high),
    close: invertPrice(candle.close),
    baseVolume: candle.quoteVolume,
    quoteVolume: candle.baseVolume,
    fills: candle.fills,
  };
}

function invertPrice({ quote, base }: PriceRatio): PriceRatio {
  return { quote: base, base: quote };
}
