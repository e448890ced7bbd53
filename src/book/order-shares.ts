// How a maker's budget in a token is split across the live orders that sell it: oldest first. The orders lie in
// blocks that know their sums (square-root decomposition), so that a change and what became of all of them cost the
// length of a block and the number of blocks, not that of a maker's orders, and a share two binary searches. Main
// thread.
import type { Address } from "../model/address.ts";
import type { OrderShare, SharesBlock } from "../model/backing.ts";
import { lowestWhere } from "../model/bisect.ts";
import type { Order } from "../model/order.ts";
import { greater, lesser } from "../model/settlement.ts";
import type { BackedOrder } from "./step.ts";

/** Orders of a block that is split where it gets twice as many (choice). */
const BLOCK_ORDERS = 256;
/**
 * A maker with so many orders of a token has their blocks kept before anybody asks (choice): whoever asks first about
 * another one waits for fewer orders to be read.
 */
export const KEPT_ORDERS = 256;

type Block = {
  /** Ascending by the position of the creating event; at least one. Never changed: `made` refers to it. */
  orders: readonly BackedOrder[];
  /** Of their amounts. */
  sum: bigint;
  /** What they got last. Dropped when one of them changes. */
  made: MadeBlock | undefined;
};

/** What the orders of a block get of so much. */
class MadeBlock implements SharesBlock {
  readonly covered: bigint;
  readonly isCovered: boolean;
  readonly #orders: readonly BackedOrder[];
  #shares: readonly OrderShare[] | undefined;

  constructor({ orders, sum }: Block, covered: bigint) {
    this.#orders = orders;
    this.covered = covered;
    this.isCovered = covered === sum;
  }

  get shares(): readonly OrderShare[] {
    if (this.#shares === undefined) {
      let rest = this.covered;
      this.#shares = this.#orders.map(({ id, cursor, amount }) => {
        const backed = lesser(amount, rest);
        rest -= backed;
        return { id, cursor, backed };
      });
    }
    return this.#shares;
  }
}

type Split = {
  /** Ascending; at least one. */
  readonly blocks: Block[];
  /** What the blocks before each want. Undefined after a change. */
  wantedBefore: readonly bigint[] | undefined;
};

type Maker = { readonly owner: Address; readonly asset: Address };

/** Of records that somebody asked about, or that are kept. */
export class OrderShares {
  readonly #splits = new Map<string, Split>();
  readonly #blockOrders: number;
  /** The visible live orders of an owner that sell an asset, oldest first. */
  ordersSelling: (owner: Address, asset: Address) => readonly BackedOrder[] = () => [];
  /**
   * The same in any order, one at a time. They change with the visible state, after which a walk begun before must
   * not go on: `change` sees to that.
   */
  eachSelling: (owner: Address, asset: Address) => Iterable<BackedOrder> = (owner, asset) =>
    this.ordersSelling(owner, asset);
  /** The record whose orders `keepInPortions` is reading. */
  #reading: string | undefined;

  constructor(blockOrders = BLOCK_ORDERS) {
    this.#blockOrders = blockOrders;
  }

  /** `before` and `after` are the same order; absent where it was or is not live. */
  change(record: string, before: Order | undefined, after: Order | undefined): void {
    if (this.#reading === record) this.#reading = undefined;
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
    const changed = orders.toSpliced(at, former === undefined ? 0 : 1, ...now);
    block.orders = changed;
    block.sum += (after?.amount ?? 0n) - (former?.amount ?? 0n);
    block.made = undefined;
    if (changed.length === 0) blocks.splice(blockAt, 1);
    else if (changed.length >= 2 * this.#blockOrders) {
      blocks.splice(blockAt, 1, ...this.#blocksOf(changed));
    }
    if (blocks.length === 0) this.#splits.delete(record);
  }

  /** The blocks of a record with so many orders are there when somebody asks. Before its orders change. */
  keep(record: string, { owner, asset }: Maker): void {
    this.#splitOf(record, owner, asset);
  }

  /** The same in portions of some tens of microseconds; whoever asks or changes one of the orders meanwhile ends it. */
  *keepInPortions(record: string, { owner, asset }: Maker): Generator<void, void> {
    if (this.#splits.has(record)) return;
    this.#reading = record;
    const isOver = () => this.#reading !== record || this.#splits.has(record);
    const orders: BackedOrder[] = [];
    let isNewestFirst = true;
    for (const order of this.eachSelling(owner, asset)) {
      const last = orders.at(-1);
      if (last !== undefined && last.cursor < order.cursor) isNewestFirst = false;
      orders.push(order);
      if (orders.length % BLOCK_ORDERS !== 0) continue;
      yield;
      if (isOver()) return;
    }
    // As a start leaves them: then there is nothing to sort.
    if (isNewestFirst) orders.reverse();
    else orders.sort((one, other) => (one.cursor < other.cursor ? -1 : 1));
    const blocks: Block[] = [];
    for (let at = 0; at < orders.length; at += this.#blockOrders) {
      blocks.push(blockOfOrders(orders.slice(at, at + this.#blockOrders)));
      yield;
      if (isOver()) return;
    }
    this.#reading = undefined;
    if (blocks.length > 0) this.#splits.set(record, { blocks, wantedBefore: undefined });
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
    return madeOf(block, left).shares[at]?.backed ?? 0n;
  }

  /**
   * Of all orders, oldest first, in blocks: one that is the same object as before says the same. `record` is that of
   * the owner and asset.
   */
  shares(record: string, budget: bigint, { owner, asset }: Maker): readonly SharesBlock[] {
    let left = budget;
    return this.#splitOf(record, owner, asset).blocks.map((block) => {
      const made = madeOf(block, left);
      left -= block.sum;
      return made;
    });
  }

  #splitOf(record: string, owner: Address, asset: Address): Split {
    const present = this.#splits.get(record);
    if (present !== undefined) return present;
    const blocks = this.#blocksOf(this.ordersSelling(owner, asset).map(backedOrder));
    const split = { blocks, wantedBefore: undefined };
    if (blocks.length > 0) this.#splits.set(record, split);
    return split;
  }

  #blocksOf(orders: readonly BackedOrder[]): Block[] {
    const blocks: Block[] = [];
    for (let at = 0; at < orders.length; at += this.#blockOrders) {
      blocks.push(blockOfOrders(orders.slice(at, at + this.#blockOrders)));
    }
    return blocks;
  }
}

function blockOfOrders(orders: readonly BackedOrder[]): Block {
  return { orders, sum: orders.reduce((all, { amount }) => all + amount, 0n), made: undefined };
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
function madeOf(block: Block, left: bigint): MadeBlock {
  const covered = greater(0n, lesser(left, block.sum));
  if (block.made?.covered !== covered) block.made = new MadeBlock(block, covered);
  return block.made;
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
  return lowestWhere(0, items.length - 1, (at) => cursorOf(items[at] ?? last) >= cursor);
}
