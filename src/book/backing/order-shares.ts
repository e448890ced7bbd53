// How a maker's budget in a token is split across the live orders that sell it: oldest first.
import type { Order, OrderId } from "../../model/order.ts";

/** What a share depends on: whole orders, a million of them, would cost three times the memory. */
type Backed = Pick<Order, "id" | "cursor" | "amount">;

type Group = {
  /** Ascending by the position of the creating event. */
  readonly orders: Backed[];
  /** What each order of `orders` gets, for `budget`; dropped when an order changes. */
  shares: readonly bigint[] | undefined;
  budget: bigint;
};

/**
 * Live orders by the record that backs them. A change costs the length of one maker's list in one
 * token at most (an append when the order is new); shares are computed when first asked for.
 */
export class OrderShares {
  readonly #groups = new Map<string, Group>();

  /** Takes the orders of a record that has none yet, oldest first. */
  load(record: string): (order: Order) => void {
    const orders: Backed[] = [];
    this.#groups.set(record, { orders, shares: undefined, budget: 0n });
    return ({ id, cursor, amount }) => orders.push({ id, cursor, amount });
  }

  /** `before` and `after` are the same order; absent where it was or is not live. */
  change(record: string, before: Order | undefined, after: Order | undefined): void {
    let group = this.#groups.get(record);
    if (group === undefined) {
      if (after === undefined) return;
      group = { orders: [], shares: undefined, budget: 0n };
      this.#groups.set(record, group);
    }
    group.shares = undefined;
    const { orders } = group;
    const at = find(orders, (before ?? after)?.cursor ?? 0n);
    const present = orders[at] !== undefined && orders[at]?.cursor === (before ?? after)?.cursor;
    if (after !== undefined) {
      const { id, cursor, amount } = after;
      orders.splice(at, present ? 1 : 0, { id, cursor, amount });
    } else if (present) orders.splice(at, 1);
    if (orders.length === 0) this.#groups.delete(record);
  }

  /** 0 for an order that is not live. */
  share(record: string, budget: bigint, order: Order): bigint {
    const group = this.#groups.get(record);
    if (group === undefined) return 0n;
    const at = find(group.orders, order.cursor);
    return group.orders[at]?.cursor === order.cursor ? (sharesOf(group, budget)[at] ?? 0n) : 0n;
  }

  /** Oldest first. */
  shares(record: string, budget: bigint): ReadonlyMap<OrderId, bigint> {
    const result = new Map<OrderId, bigint>();
    const group = this.#groups.get(record);
    if (group === undefined) return result;
    const shares = sharesOf(group, budget);
    for (const [at, order] of group.orders.entries()) result.set(order.id, shares[at] ?? 0n);
    return result;
  }
}

function sharesOf(group: Group, budget: bigint): readonly bigint[] {
  if (group.shares !== undefined && group.budget === budget) return group.shares;
  let left = budget;
  const shares = group.orders.map(({ amount }) => {
    if (amount > left) {
      const rest = left;
      left = 0n;
      return rest;
    }
    left -= amount;
    return amount;
  });
  group.shares = shares;
  group.budget = budget;
  return shares;
}

/** Index of the first order not older than `cursor`. Most orders looked for are new: at the end. */
function find(orders: readonly Backed[], cursor: bigint): number {
  const last = orders.at(-1);
  if (last === undefined || last.cursor < cursor) return orders.length;
  let low = 0;
  let high = orders.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = orders[middle];
    if (order !== undefined && order.cursor < cursor) low = middle + 1;
    else high = middle;
  }
  return low;
}
