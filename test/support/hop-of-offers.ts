// A hop's orders for tests of the selection search, without a book behind them.
import {
  groupMakers,
  limitEntry,
  newColumns,
  priceAt,
} from "../../src/router-worker/search/hop-columns.ts";
import type { HopOrders } from "../../src/router-worker/search/hop-problem.ts";
import { KnownProfits } from "../../src/router-worker/search/known-profits.ts";
import { costOf, realPrice } from "../../src/router-worker/search/rounding.ts";

export type HopOffer = {
  /** In thousandths. */
  readonly price: number;
  readonly amount: number;
  /** Absent: one of its own. Offers of one maker have the same budget and headroom. */
  readonly maker?: number;
  /** Absent: plenty. */
  readonly budget?: number;
  readonly headroom?: number;
};

const PLENTY = 1e12;
/** Makers of their own are numbered from here on. */
const OWN_MAKERS = 1_000_000;

/** `offers`: cheapest first. */
export function hopOfOffers(offers: readonly HopOffer[]): HopOrders {
  const count = offers.length;
  const columns = newColumns(count);
  const words = new BigUint64Array(priceAt(count));
  const latest = new Map<number, number>();
  for (const [entry, offer] of offers.entries()) {
    const { amount, maker = OWN_MAKERS + entry, budget = PLENTY, headroom = PLENTY } = offer;
    const price = realPrice(offer.price * 1e15);
    words[priceAt(entry)] = BigInt(offer.price) * 10n ** 15n;
    columns.slot[entry] = entry;
    columns.owner[entry] = maker;
    columns.previous[entry] = latest.get(maker) ?? -1;
    latest.set(maker, entry);
    columns.price[entry] = price;
    columns.amount[entry] = amount;
    columns.cost[entry] = costOf(amount, price, words, priceAt(entry));
    columns.budget[entry] = budget;
    columns.headroom[entry] = headroom;
    limitEntry(columns, entry, words);
  }
  return {
    columns,
    count,
    words,
    payerBytes: 0,
    isRoute: false,
    profits: new KnownProfits(),
    dropped: undefined,
    view: undefined,
    groups: groupMakers(columns, 0, count),
  };
}
