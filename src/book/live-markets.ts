// The pairs that have live orders, in the contract's order.
import { type Address, canonicalPair, compareAddresses, type Pair } from "../model/address.ts";

type Assets = { readonly selling: Address; readonly buying: Address };

type Market = { readonly pair: Pair; count: number };

export class LiveMarkets {
  /** By base and quote: the text of a pair would be made and hashed for each order. */
  readonly #markets = new Map<Address, Map<Address, Market>>();
  #sorted: readonly Pair[] | undefined;
  #orders = 0;

  /** Live orders of every market. */
  get orderCount(): number {
    return this.#orders;
  }

  add({ selling, buying }: Assets, orders = 1): void {
    this.#orders += orders;
    const pair = canonicalPair(selling, buying);
    const quotes = this.#markets.get(pair.base) ?? new Map<Address, Market>();
    const market = quotes.get(pair.quote);
    if (market !== undefined) {
      market.count += orders;
      return;
    }
    this.#markets.set(pair.base, quotes.set(pair.quote, { pair, count: orders }));
    this.#sorted = undefined;
  }

  remove({ selling, buying }: Assets): void {
    this.#orders -= 1;
    const { base, quote } = canonicalPair(selling, buying);
    const quotes = this.#markets.get(base);
    const market = quotes?.get(quote);
    if (quotes === undefined || market === undefined) return;
    market.count -= 1;
    if (market.count > 0) return;
    quotes.delete(quote);
    if (quotes.size === 0) this.#markets.delete(base);
    this.#sorted = undefined;
  }

  sorted(): readonly Pair[] {
    this.#sorted ??= Array.from(this.#markets.values(), (quotes) =>
      Array.from(quotes.values(), ({ pair }) => pair),
    )
      .flat()
      .sort(comparePairs);
    return this.#sorted;
  }
}

function comparePairs(a: Pair, b: Pair): number {
  return compareAddresses(a.base, b.base) || compareAddresses(a.quote, b.quote);
}
