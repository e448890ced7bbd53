// How a maker's budget in a token is split across the live orders that sell it: oldest first. The orders lie in
// blocks that know their sums (square-root decomposition), so that a change and what became of all of them cost the
// length of a block and the number of blocks, not that of a maker's orders, and a share two binary searches. Main thread.
import type { Address } from "../../model/address.ts";
import type { OrderShare } from "../../model/backing.ts";
import type { Order } from "../../model/order.ts";
import { greater, lesser } from "../../model/settlement.ts";
import type { BackedOrder } from "../step.ts";

/** Orders of a block that is split where it gets twice as many (choice). */
const BLOCK_ORDERS = 256;

type Block = {
  /** Ascending by the position of the creating event; at least one. */
  readonly orders: BackedOrder[];
  /** Of their amounts. */
  sum: bigint;
  /** What they got last, and of how much. Dropped when one of them changes. */
  made: { readonly covered: bigint; readonly shares: readonly OrderShare[] } | undefined;
};

type Split = {
  /** Ascending; at least one. */
  readonly blocks: Block[];
  /** What the blocks before each want. Undefined after a change. */
  wantedBefore: readonly bigint[] | undefined;
};

/** Of records that somebody asked about. */
export class OrderShares {
  readonly #splits = new Map<string, Split>();
  readonly #blockOrders: number;
  /** The visible live orders of an owner that sell an asset, oldest first. */
  ordersSelling: (owner: Address, asset: Address) => readonly BackedOrder[] = () => [];

  constructor(blockOrders = BLOCK_ORDERS) {
    this.#blockOrders = blockOrders;
  }

  /** `before` and `after` are the same order; absent where it was or is not live. */
  change(record: string, before: Order | undefined, after: Order | undefined): void {
    // A record that nobody asked about begins with what is visible when somebody does.
    const split = this.#splits.get(record);
    const cursor = (after ?? before)?.cursor;
    if (split === undefined || cursor === undefined) return;
    split.wantedBefore = undefined;
    const { blocks } = split;
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
    if (blocks.length === 0) this.#splits.delete(record);
  }

  /** 0 for an order that is not live. */
  share(record: string, budget: bigint, { owner, selling, cursor }: Order): bigint {
    const split = this.#splitOf(record, owner, selling);
    const blockAt = blockOf(split.blocks, cursor);
    const block = split.blocks[blockAt];
    if (block === undefined) return 0n;
    const at = find(block.orders, cursor);
    if (block.orders[at]?.cursor !== cursor) return 0n;
    split.wantedBefore ??= wantedBefore(split.blocks);
    const left = budget - (split.wantedBefore[blockAt] ?? 0n);
    return sharesOf(block, left)[at]?.[1] ?? 0n;
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
    return this.#splitOf(record, owner, asset).blocks.map((block) => {
      const shares = sharesOf(block, left);
      left -= block.sum;
      return shares;
    });
  }

  #splitOf(record: string, owner: Address, asset: Address): Split {
    const present = this.#splits.get(record);
    if (present !== undefined) return present;
    const blocks = this.#blocksOf(this.ordersSelling(owner, asset));
    const split = { blocks, wantedBefore: undefined };
    if (blocks.length > 0) this.#splits.set(record, split);
    return split;
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

function wantedBefore(blocks: readonly Block[]): readonly bigint[] {
  let wanted = 0n;
  return blocks.map(({ sum }) => {
    wanted += sum;
    return wanted - sum;
  });
}

/** Of what is left for a block, which is below 0 where the blocks before it want more than there is. */
function sharesOf(block: Block, left: bigint): readonly OrderShare[] {
  const covered = greater(0n, lesser(left, block.sum));
  if (block.made?.covered === covered) return block.made.shares;
  let rest = covered;
  const shares = block.orders.map(({ id, amount }): OrderShare => {
    const share = lesser(amount, rest);
    rest -= share;
    return [id, share];
  });
  block.made = { covered, shares };
  return shares;
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
