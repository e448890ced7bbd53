// Candles and ticker recomputed from raw trades, as slowly and as plainly as can be.
import { canonicalPair, marketKey, type Pair } from "../../src/model/address.ts";
import { comparePrices, type PriceRatio } from "../../src/model/candle.ts";
import type { Swap, Trade } from "../../src/model/trade.ts";

const DAY = 86_400;

/** Ratios in lowest terms, so that those that are equal as numbers compare as equal. */
export type Summary = {
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly baseVolume: bigint;
  readonly quoteVolume: bigint;
  readonly fills: number;
};

/** The fills that market data counts, of trades in chain order. */
export function countedFills(trades: readonly (Trade | Swap)[]): readonly Trade[] {
  return trades.filter((one): one is Trade => one.type === "trade" && !one.crossfill);
}

export function naiveCandles(
  fills: readonly Trade[],
  market: Pair,
  { from, to, resolution }: { readonly from: number; readonly to: number; resolution: number },
): readonly (Summary & { readonly start: number })[] {
  const within = fills.filter(
    (fill) => isOf(market, fill) && fill.timestamp >= from && fill.timestamp < to,
  );
  const startOf = ({ timestamp }: Trade) => timestamp - (timestamp % resolution);
  return [...new Set(within.map(startOf))].map((start) => {
    const bucket = within.filter((fill) => startOf(fill) === start);
    return { start, ...summary(market, bucket) };
  });
}

export function naiveTicker(known: readonly Pair[], fills: readonly Trade[], now: number) {
  const day = fills.filter(({ timestamp }) => timestamp > now - DAY);
  const pairs = new Map(known.map((pair) => [marketKey(pair), pair]));
  const rows = Array.from(pairs.values(), (pair) => {
    const ofPair = day.filter((fill) => isOf(pair, fill));
    const symbol = marketKey(pair);
    return ofPair.length > 0 ? { symbol, ...summary(pair, ofPair) } : { symbol, fills: 0 };
  });
  return rows.sort((a, b) => b.fills - a.fills || (a.symbol < b.symbol ? -1 : 1));
}

export function naiveTotals(fills: readonly Trade[], now: number) {
  const day = fills.filter(({ timestamp }) => timestamp > now - DAY);
  const amounts = new Map<string, bigint>();
  for (const { soldAsset, boughtAsset, sold, bought } of day) {
    amounts.set(soldAsset, (amounts.get(soldAsset) ?? 0n) + sold);
    amounts.set(boughtAsset, (amounts.get(boughtAsset) ?? 0n) + bought);
  }
  return { fills: day.length, amounts };
}

/** `quote/base` in lowest terms. */
export function lowestTerms({ quote, base }: PriceRatio): string {
  let [a, b] = [quote, base];
  while (b !== 0n) [a, b] = [b, a % b];
  return `${quote / a}/${base / a}`;
}

function summary({ base }: Pair, fills: readonly Trade[]): Summary {
  const prices = fills.map(({ soldAsset, sold, bought }) =>
    soldAsset === base ? { base: sold, quote: bought } : { base: bought, quote: sold },
  );
  const sorted = [...prices].sort(comparePrices);
  const [open, high, low, close] = [prices[0], sorted.at(-1), sorted[0], prices.at(-1)];
  if (!open || !high || !low || !close) throw new Error("no fills");
  return {
    open: lowestTerms(open),
    high: lowestTerms(high),
    low: lowestTerms(low),
    close: lowestTerms(close),
    baseVolume: prices.reduce((sum, price) => sum + price.base, 0n),
    quoteVolume: prices.reduce((sum, price) => sum + price.quote, 0n),
    fills: fills.length,
  };
}

function isOf(market: Pair, { soldAsset, boughtAsset }: Trade): boolean {
  const pair = canonicalPair(market.base, market.quote);
  return marketKey(canonicalPair(soldAsset, boughtAsset)) === marketKey(pair);
}
