// How a maker's budget in a token is split across the live orders that sell it: oldest first.
import type { Address } from "../../model/address.ts";
import type { Order, OrderId } from "../../model/order.ts";
import type { BackedOrder } from "../step.ts";

type Group = {
  /** Ascending by the position of the creating event. */
  readonly orders: BackedOrder[];
  /** What each order of `orders` gets, for `budget`; dropped when an order changes. */
  shares: readonly bigint[] | undefined;
  budget: bigint;
};

/**
 * Live orders by the record that backs them, of records that somebody asked about. A change costs the
 * length of one maker's list in one token at most (an append when the order is new); shares are
 * computed when first asked for.
 */
export class OrderShares {
  readonly #groups = new Map<string, Group>();
  /** The visible live orders of an owner that sell an asset, oldest first. */
  ordersSelling: (owner: Address, asset: Address) => readonly BackedOrder[] = () => [];

  /** `before` and `after` are the same order; absent where it was or is not live. */
  change(record: string, before: Order | undefined, after: Order | undefined): void {
    // A record that nobody asked about begins with what is visible when somebody does.
    const group = this.#groups.get(record);
    if (group === undefined) return;
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
    const group = this.#group(record, order.owner, order.selling);
    const at = find(group.orders, order.cursor);
    return group.orders[at]?.cursor === order.cursor ? (sharesOf(group, budget)[at] ?? 0n) : 0n;
  }

  /** Oldest first. `record` is that of the owner and asset. */
  shares(
    record: string,
    budget: bigint,
    { owner, asset }: { readonly owner: Address; readonly asset: Address },
  ): ReadonlyMap<OrderId, bigint> {
    const result = new Map<OrderId, bigint>();
    const group = this.#group(record, owner, asset);
    const shares = sharesOf(group, budget);
    for (const [at, order] of group.orders.entries()) result.set(order.id, shares[at] ?? 0n);
    return result;
  }

  #group(record: string, owner: Address, asset: Address): Group {
    const present = this.#groups.get(record);
    if (present !== undefined) return present;
    const orders = [...this.ordersSelling(owner, asset)];
    const group = { orders, shares: undefined, budget: 0n };
    if (orders.length > 0) this.#groups.set(record, group);
    return group;
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
function find(orders: readonly BackedOrder[], cursor: bigint): number {
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
