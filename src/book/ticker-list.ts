// The ticker of every known market in its order, and the totals of a day: both made anew only when
// something in them changed.
import { type Address, compareAddresses, marketKey, type Pair } from "../model/address.ts";
import type { RegistryMarket } from "../model/contract-state.ts";
import type { Ticker } from "./ticker.ts";
import type { TickerStats } from "./ticker-market.ts";

/** Markets opened on-chain and markets with live orders. Other lists when either changes. */
export type KnownMarkets = {
  readonly opened: readonly RegistryMarket[];
  readonly live: readonly Pair[];
};

/** The last 24 hours of all markets together. */
export type DayTotals = {
  readonly fills: number;
  /** What was traded of each token, base units, in the contract's order of addresses. */
  readonly tokens: readonly { readonly asset: Address; readonly amount: bigint }[];
};

type Row = { readonly symbol: string; readonly quiet: TickerStats };

export class TickerList {
  #known: KnownMarkets | undefined;
  #rows: readonly Row[] = [];
  #list: readonly TickerStats[] = [];
  #listVersion: number | undefined;
  #totals: DayTotals = { fills: 0, tokens: [] };
  #totalsVersion: number | undefined;

  /** Most fills first, then by symbol. */
  list(ticker: Ticker, known: KnownMarkets): readonly TickerStats[] {
    const last = this.#known;
    const isKnown = last?.opened === known.opened && last.live === known.live;
    if (isKnown && this.#listVersion === ticker.version) return this.#list;
    if (!isKnown) this.#rows = rowsOf(known);
    this.#known = known;
    // By symbol first: sorting by fills keeps that order among equals.
    this.#list = this.#rows
      .map(({ symbol, quiet }) => ticker.stats(symbol) ?? quiet)
      .sort((one, other) => other.fills - one.fills);
    this.#listVersion = ticker.version;
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
}

/** Every known market once, by symbol. */
function rowsOf({ opened, live }: KnownMarkets): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const pair of [...opened.map((market) => market.pair), ...live]) {
    const symbol = marketKey(pair);
    rows.set(symbol, { symbol, quiet: { pair, baseVolume: 0n, quoteVolume: 0n, fills: 0 } });
  }
  return [...rows.values()].sort((one, other) => (one.symbol < other.symbol ? -1 : 1));
}
