// The ticker of every known market in its order, and the totals of a day: both made anew only when
// something in them changed.
import { type Address, compareAddresses, marketKey, type Pair } from "../model/address.ts";
import type { RegistryMarket } from "../model/contract-state.ts";
import type { DayTotals, TickerStats } from "./market-data.ts";
import type { Ticker } from "./ticker.ts";

/** Markets opened on-chain and markets with live orders. Other lists when either changes. */
export type KnownMarkets = {
  readonly opened: readonly RegistryMarket[];
  readonly live: readonly Pair[];
};

export class TickerList {
  #list: readonly TickerStats[] = [];
  #listOf: { readonly version: number; readonly known: KnownMarkets } | undefined;
  #totals: DayTotals = { fills: 0, tokens: [] };
  #totalsVersion: number | undefined;
  /** The stats of markets without fills, by symbol. */
  readonly #quiet = new Map<string, TickerStats>();

  /** Most fills first, then by symbol. */
  list(ticker: Ticker, known: KnownMarkets): readonly TickerStats[] {
    const last = this.#listOf;
    const isSame =
      last?.version === ticker.version &&
      last.known.opened === known.opened &&
      last.known.live === known.live;
    if (isSame) return this.#list;
    const rows = new Map<string, TickerStats>();
    for (const pair of [...known.opened.map((market) => market.pair), ...known.live]) {
      const symbol = marketKey(pair);
      if (!rows.has(symbol)) rows.set(symbol, ticker.stats(pair) ?? this.#quietStats(symbol, pair));
    }
    for (const symbol of this.#quiet.keys()) if (!rows.has(symbol)) this.#quiet.delete(symbol);
    this.#list = [...rows].sort(byFillsThenSymbol).map(([, stats]) => stats);
    this.#listOf = { version: ticker.version, known };
    return this.#list;
  }

  totals(ticker: Ticker): DayTotals {
    if (this.#totalsVersion === ticker.version) return this.#totals;
    const amounts = new Map<Address, bigint>();
    let fills = 0;
    for (const { pair, baseVolume, quoteVolume, fills: count } of ticker.active()) {
      fills += count;
      amounts.set(pair.base, (amounts.get(pair.base) ?? 0n) + baseVolume);
      amounts.set(pair.quote, (amounts.get(pair.quote) ?? 0n) + quoteVolume);
    }
    const tokens = Array.from(amounts, ([asset, amount]) => ({ asset, amount }));
    tokens.sort((a, b) => compareAddresses(a.asset, b.asset));
    this.#totals = { fills, tokens };
    this.#totalsVersion = ticker.version;
    return this.#totals;
  }

  #quietStats(symbol: string, pair: Pair): TickerStats {
    const stats = this.#quiet.get(symbol) ?? { pair, baseVolume: 0n, quoteVolume: 0n, fills: 0 };
    this.#quiet.set(symbol, stats);
    return stats;
  }
}

type Row = readonly [string, TickerStats];

function byFillsThenSymbol([oneKey, one]: Row, [otherKey, other]: Row): number {
  return other.fills - one.fills || (oneKey < otherKey ? -1 : 1);
}
