// The pairs that have live orders, in the contract's order.
import {
  type Address,
  canonicalPair,
  compareAddresses,
  marketKey,
  type Pair,
} from "../model/address.ts";

type Assets = { readonly selling: Address; readonly buying: Address };

export class LiveMarkets {
  readonly #counts = new Map<string, { readonly pair: Pair; count: number }>();
  #sorted: readonly Pair[] | undefined;
  #orders = 0;

  /** Live orders of every market. */
  get orderCount(): number {
    return this.#orders;
  }

  add({ selling, buying }: Assets): void {
    this.#orders += 1;
    const pair = canonicalPair(selling, buying);
    const market = this.#counts.get(marketKey(pair));
    if (market !== undefined) {
      market.count += 1;
      return;
    }
    this.#counts.set(marketKey(pair), { pair, count: 1 });
    this.#sorted = undefined;
  }

  remove({ selling, buying }: Assets): void {
    this.#orders -= 1;
    const key = marketKey(canonicalPair(selling, buying));
    const market = this.#counts.get(key);
    if (market === undefined) return;
    market.count -= 1;
    if (market.count > 0) return;
    this.#counts.delete(key);
    this.#sorted = undefined;
  }

  sorted(): readonly Pair[] {
    this.#sorted ??= Array.from(this.#counts.values(), ({ pair }) => pair).sort(comparePairs);
    return this.#sorted;
  }
}

function comparePairs(a: Pair, b: Pair): number {
  return compareAddresses(a.base, b.base) || compareAddresses(a.quote, b.quote);
}
