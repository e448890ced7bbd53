// How a maker's budget in a token is split across the live orders that sell it: oldest first. The orders lie in
// blocks that know their sums (square-root decomposition), so that a change, a share and what became of all of them
// cost the length of a block and the number of blocks, not that of a maker's orders. Main thread.
import type { Address } from "../../model/address.ts";
import type { OrderShare } from "../../model/backing.ts";
import type { Order } from "../../model/order.ts";
import type { BackedOrder } from "../step.ts";

/** Orders of a block that is split where it gets twice as many (choice). */
const BLOCK_ORDERS = 256;

type Block = {
  /** Ascending by the position of the creating event; at least one. */
  readonly orders: BackedOrder[];
  /** Of their amounts. */
  sum: bigint;
  /** What they got last, and of how much. Dropped when one of them changes. */
  made: { readonly left: bigint; readonly shares: readonly OrderShare[] } | undefined;
};

/** Of records that somebody asked about. */
export class OrderShares {
  /** Ascending; at least one block. */
  readonly #blocks = new Map<string, Block[]>();
  readonly #blockOrders: number;
  /** The visible live orders of an owner that sell an asset, oldest first. */
  ordersSelling: (owner: Address, asset: Address) => readonly BackedOrder[] = () => [];

  constructor(blockOrders = BLOCK_ORDERS) {
    this.#blockOrders = blockOrders;
  }

  /** `before` and `after` are the same order; absent where it was or is not live. */
  change(record: string, before: Order | undefined, after: Order | undefined): void {
    // A record that nobody asked about begins with what is visible when somebody does.
    const blocks = this.#blocks.get(record);
    const cursor = (after ?? before)?.cursor;
    if (blocks === undefined || cursor === undefined) return;
    // One that is younger than all goes to the last block.
    const blockAt = Math.min(blockOf(blocks, cursor), blocks.length - 1);
    const block = blocks[blockAt];
    if (block === undefined) return;
    const { orders } = block;
    const at = find(orders, cursor);
    const former = orders[at]?.cursor === cursor ? orders[at] : undefined;
    const now = after === undefined ? [] : [backedOrder(after)];
    orders.splice(at, former === undefined ? 0 : 1, ...now);
    block.sum += (after?.amount ?? 0n) - (former?.amount ?? 0n);
    block.made = undefined;
    if (orders.length === 0) blocks.splice(blockAt, 1);
    else if (orders.length >= 2 * this.#blockOrders) {
      blocks.splice(blockAt, 1, ...this.#blocksOf(orders));
    }
    if (blocks.length === 0) this.#blocks.delete(record);
  }

  /** 0 for an order that is not live. */
  share(record: string, budget: bigint, order: Order): bigint {
    const blocks = this.#blocksFor(record, order.owner, order.selling);
    const block = blocks[blockOf(blocks, order.cursor)];
    let left = budget;
    for (const each of blocks) {
      if (each === block) break;
      left -= each.sum;
    }
    for (const { cursor, amount } of block?.orders ?? []) {
      if (left <= 0n) return 0n;
      if (cursor === order.cursor) return amount < left ? amount : left;
      left -= amount;
    }
    return 0n;
  }

  /**
   * Of all orders, oldest first, in blocks: one that is the same object as before says the same. `record` is that of
   * the owner and asset.
   */
  shares(
    record: string,
    budget: bigint,
    { owner, asset }: { readonly owner: Address; readonly asset: Address },
  ): readonly (readonly OrderShare[])[] {
    let left = budget;
    return this.#blocksFor(record, owner, asset).map((block) => {
      const covered = left < block.sum ? left : block.sum;
      if (block.made?.left !== covered) {
        block.made = { left: covered, shares: sharesOf(block.orders, covered) };
      }
      left -= covered;
      return block.made.shares;
    });
  }

  #blocksFor(record: string, owner: Address, asset: Address): readonly Block[] {
    const present = this.#blocks.get(record);
    if (present !== undefined) return present;
    const blocks = this.#blocksOf(this.ordersSelling(owner, asset));
    if (blocks.length > 0) this.#blocks.set(record, blocks);
    return blocks;
  }

  #blocksOf(orders: readonly BackedOrder[]): Block[] {
    const blocks: Block[] = [];
    for (let at = 0; at < orders.length; at += this.#blockOrders) {
      const some = orders.slice(at, at + this.#blockOrders).map(backedOrder);
      const sum = some.reduce((all, { amount }) => all + amount, 0n);
      blocks.push({ orders: some, sum, made: undefined });
    }
    return blocks;
  }
}

/** Nothing more of an order that may be a whole row. */
function backedOrder({ id, cursor, amount }: BackedOrder): BackedOrder {
  return { id, cursor, amount };
}

function sharesOf(orders: readonly BackedOrder[], budget: bigint): readonly OrderShare[] {
  let left = budget;
  return orders.map(({ id, amount }) => {
    const share = amount < left ? amount : left;
    left -= share;
    return [id, share];
  });
}

/** Index of the first block with an order that is not older than `cursor`. */
function blockOf(blocks: readonly Block[], cursor: bigint): number {
  return firstFrom(blocks, cursor, ({ orders }) => orders.at(-1)?.cursor ?? 0n);
}

/** Index of the first order not older than `cursor`. */
function find(orders: readonly BackedOrder[], cursor: bigint): number {
  return firstFrom(orders, cursor, (order) => order.cursor);
}

/** Binary search in an ascending list; most of what is looked for is new: at the end. */
function firstFrom<Item>(
  items: readonly Item[],
  cursor: bigint,
  cursorOf: (item: Item) => bigint,
): number {
  const last = items.at(-1);
  if (last === undefined || cursorOf(last) < cursor) return items.length;
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && cursorOf(item) < cursor) low = middle + 1;
    else high = middle;
  }
  return low;
}
