// Which markets are listed, and in what order.
import type { TickerEntry } from "../../../src/api/types.ts";
import { toUnits } from "../number/decimal.ts";
import type { Assets } from "../state/assets.ts";
import { pairOf } from "../state/tickers.ts";

export type SortColumn = "market" | "price" | "change" | "volume" | "trades";
export type Sort = { readonly column: SortColumn; readonly descending: boolean };

/** Decimals that the API's volumes and prices have at most, for comparing them exactly. */
const COMPARED_DIGITS = 18;

export function sortMarkets(
  markets: readonly TickerEntry[],
  { column, descending }: Sort,
  assets: Assets,
): readonly TickerEntry[] {
  const keyed = markets.map((entry) => ({ entry, key: sortKey(entry, column, assets) }));
  const sign = descending ? -1 : 1;
  keyed.sort((a, b) => {
    if (a.key === b.key) return a.entry.symbol < b.entry.symbol ? -1 : 1;
    return a.key < b.key ? -sign : sign;
  });
  return keyed.map(({ entry }) => entry);
}

/** Names, full names and addresses all count; every word must be found. */
export function matchesMarket(entry: TickerEntry, filter: string, assets: Assets): boolean {
  const { base, quote } = pairOf(entry.symbol);
  const text = [base, quote]
    .flatMap((address) => [assets.label(address), assets.fullName(address) ?? "", address])
    .join(" ")
    .toLowerCase();
  return filter
    .toLowerCase()
    .split(/[\s/]+/)
    .every((word) => text.includes(word));
}

function sortKey(entry: TickerEntry, column: SortColumn, assets: Assets): string | number | bigint {
  switch (column) {
    case "market":
      return marketName(entry, assets);
    case "price":
      return toUnits(entry.lastPrice, COMPARED_DIGITS);
    case "change":
      return entry.change;
    case "volume":
      return toUnits(entry.quoteVolume, COMPARED_DIGITS);
    case "trades":
      return entry.trades;
  }
}

function marketName(entry: TickerEntry, assets: Assets): string {
  const { base, quote } = pairOf(entry.symbol);
  return `${assets.label(base)} / ${assets.label(quote)}`;
}
