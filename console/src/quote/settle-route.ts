// What a route does hop by hop and order by order. The API gives a route's first and last amount and
// the orders it lists; the rest follows from the orders by the contract's arithmetic: a swap buys
// backwards from the exact output, each hop what the next one pays.

import type { Order, QuotePath } from "../../../src/api/types.ts";
import { fillBuying } from "../../../src/model/settlement.ts";

export type RouteFill = {
  readonly order: Order;
  /** Base units that the taker pays the maker, and gets of them. */
  readonly paid: bigint;
  readonly got: bigint;
};

export type SettledHop = {
  readonly paid: bigint;
  readonly got: bigint;
  readonly fills: readonly RouteFill[];
};

/**
 * In execution order. Undefined where an order is not known, or where the orders are no longer what
 * they were in the quote's ledger, so that the route does not come out at its own amounts.
 */
export function settleRoute(
  { sold, bought, path }: QuotePath,
  orders: ReadonlyMap<string, Order>,
): readonly SettledHop[] | undefined {
  const hops: SettledHop[] = [];
  let wanted = BigInt(bought);
  for (const { orders: listed } of [...path].reverse()) {
    const fills: RouteFill[] = [];
    let left = wanted;
    let paid = 0n;
    for (const id of listed) {
      const order = orders.get(id);
      if (order === undefined) return undefined;
      if (left === 0n) break;
      const fill = fillBuying(left, BigInt(order.amount), BigInt(order.price));
      fills.push({ order, paid: fill.sold, got: fill.bought });
      left -= fill.bought;
      paid += fill.sold;
    }
    if (left > 0n) return undefined;
    hops.unshift({ paid, got: wanted, fills });
    wanted = paid;
  }
  return wanted === BigInt(sold) ? hops : undefined;
}
