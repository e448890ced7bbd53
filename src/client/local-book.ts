// A market's whole book kept from the messages of channel `book`: orders by id, both sides by price, and what a
// taker would get, by the contract's own arithmetic.
//
// Invariant: between two messages the book is the service's after one of its messages, or it is not complete.
import type { BookChange, BookChanges, BookRow, BookSnapshot } from "../api/types.ts";
import { lowestWhere } from "../model/bisect.ts";
import {
  type FillAmounts,
  fillBuying,
  fillSelling,
  isDust,
  lesser,
  PRICE_MAX,
} from "../model/settlement.ts";
import { Direction } from "./call.ts";

/** `ask`: sells the market's base for its quote. `bid`: sells quote for base. */
export type BookSide = BookChange["side"];

/** Orders that one call may list. */
const LISTED_MAX = 20;

/**
 * `applied`: the book is that of the message, or of a snapshot's part so far. `stale`: the book is newer already.
 * `gap`: an update was missed, or a snapshot's part; the book is empty until the next snapshot is whole.
 */
export type Outcome = "applied" | "stale" | "gap";

/** An order as the book keeps it. Base units. */
export type LocalOrder = {
  readonly id: string;
  readonly side: BookSide;
  readonly owner: string;
  readonly price: bigint;
  readonly amount: bigint;
  /** Undefined while the maker's backing is not known. */
  readonly backed: bigint | undefined;
  /** Of the maker in what the side sells, where it does not cover the order. */
  readonly budget: bigint | undefined;
  /** Position of its creation: the older of two orders of one price comes first. */
  readonly cursor: bigint;
  /** As the message has it. */
  readonly row: BookRow;
};

/** Orders of one price. Base units of what the side sells. */
export type Level = { readonly price: bigint; readonly amount: bigint; readonly orders: number };

export type Take = {
  /** `ask`: the taker buys base. `bid`: the taker sells base. */
  readonly side: BookSide;
  /** Sell: `amount` is what is paid. Buy: what is received. */
  readonly direction: Direction;
  readonly amount: bigint;
  /** Highest maker price that is taken; any without it. */
  readonly maxPrice?: bigint;
};

/** One order's part: `sold` is what the taker pays, `left` what the order keeps. */
export type SimulatedFill = FillAmounts & { readonly order: LocalOrder; readonly left: bigint };

export type Simulation = FillAmounts & {
  /** Best price first, as they are to be listed. */
  readonly fills: readonly SimulatedFill[];
  /** Of `amount`, not filled. */
  readonly rest: bigint;
};

export class LocalBook {
  /** Of the last message applied; undefined while the book is not complete. */
  #ledger: number | undefined;
  /** The part of a snapshot that comes next; they count from 1. */
  #nextPart = 1;
  readonly #orders = new Map<string, LocalOrder>();
  /** By price, then by age. */
  readonly #sides: Readonly<Record<BookSide, LocalOrder[]>> = { ask: [], bid: [] };
  /** By owner, until the next message. */
  #budgets: Partial<Record<BookSide, ReadonlyMap<string, bigint>>> = {};

  /** Whether a whole snapshot and every update after it were applied. */
  get isComplete(): boolean {
    return this.#ledger !== undefined;
  }

  get ledger(): number | undefined {
    return this.#ledger;
  }

  get size(): number {
    return this.#orders.size;
  }

  order(id: string): LocalOrder | undefined {
    return this.#orders.get(id);
  }

  /** Of a side, the best price first. Valid until the next message. */
  orders(side: BookSide): readonly LocalOrder[] {
    return this.#sides[side];
  }

  /** A market's messages in their order. Throws where a change names an order that cannot be. */
  apply(message: BookSnapshot | BookChanges): Outcome {
    this.#budgets = {};
    return message.type === "book" ? this.#snapshot(message) : this.#changes(message);
  }

  /** The best maker price of a side among orders of which something can be taken; undefined without one. */
  best(side: BookSide): bigint | undefined {
    for (const { order } of this.#takable(side)) return order.price;
    return undefined;
  }

  /**
   * Levels of a side, the best price first, of at most `limit` prices: what can be taken, as /depth counts it. A
   * maker's budget goes to its best prices first. What the messages do not say counts as there: an approval that ends
   * with the ledger, a maker of native tokens below its reserve.
   */
  depth(side: BookSide, limit = Number.POSITIVE_INFINITY): readonly Level[] {
    const levels: { price: bigint; amount: bigint; orders: number }[] = [];
    for (const { order, amount } of this.#takable(side)) {
      const level = levels.at(-1);
      if (level?.price === order.price) {
        level.amount += amount;
        level.orders += 1;
      } else if (levels.length >= limit) break;
      else levels.push({ price: order.price, amount, orders: 1 });
    }
    return levels;
  }

  /**
   * What a call over the best orders would settle for, as the contract does it: each listed order is filled whole or
   * as far as the amount reaches, one that its maker cannot back in full is left out.
   */
  simulate({ side, direction, amount, maxPrice = PRICE_MAX }: Take): Simulation {
    const fills: SimulatedFill[] = [];
    const budgets = new Map(this.#budgetsOf(side));
    let [sold, bought, rest] = [0n, 0n, amount];
    for (const order of this.#sides[side]) {
      if (rest <= 0n || fills.length === LISTED_MAX || order.price > maxPrice) break;
      const fill =
        direction === Direction.sell
          ? fillSelling(rest, order.amount, order.price)
          : fillBuying(rest, order.amount, order.price);
      const budget = budgets.get(order.owner) ?? 0n;
      if (fill === undefined || fill.bought > budget) continue;
      budgets.set(order.owner, budget - fill.bought);
      const kept = order.amount - fill.bought;
      fills.push({ ...fill, order, left: isDust(kept, order.price) ? 0n : kept });
      sold += fill.sold;
      bought += fill.bought;
      rest -= direction === Direction.sell ? fill.sold : fill.bought;
    }
    return { sold, bought, fills, rest };
  }

  /** Of each order what is left of its maker's budget, unless that is nothing or dust. */
  *#takable(side: BookSide): Generator<{ readonly order: LocalOrder; readonly amount: bigint }> {
    const budgets = this.#budgetsOf(side);
    const spent = new Map<string, bigint>();
    for (const order of this.#sides[side]) {
      const { owner, price } = order;
      const before = spent.get(owner) ?? 0n;
      const amount = lesser(order.amount, (budgets.get(owner) ?? 0n) - before);
      if (amount <= 0n || isDust(amount, price)) continue;
      spent.set(owner, before + amount);
      yield { order, amount };
    }
  }

  /** What each maker can pay: its budget where a row tells it, else its orders are covered together. */
  #budgetsOf(side: BookSide): ReadonlyMap<string, bigint> {
    const known = this.#budgets[side];
    if (known !== undefined) return known;
    const budgets = new Map<string, bigint>();
    const named = new Map<string, bigint>();
    for (const { owner, backed = 0n, budget } of this.#sides[side]) {
      if (budget !== undefined) named.set(owner, budget);
      budgets.set(owner, (budgets.get(owner) ?? 0n) + backed);
    }
    for (const [owner, budget] of named) budgets.set(owner, budget);
    this.#budgets[side] = budgets;
    return budgets;
  }

  #snapshot({ ledger, part, parts, asks, bids }: BookSnapshot): Outcome {
    if (part === 1) this.#clear();
    if (part !== this.#nextPart) {
      this.#clear();
      return "gap";
    }
    for (const row of asks) this.#orders.set(row.id, localOrder("ask", row));
    for (const row of bids) this.#orders.set(row.id, localOrder("bid", row));
    this.#nextPart = part + 1;
    if (part < parts) return "applied";
    for (const order of this.#orders.values()) this.#sides[order.side].push(order);
    for (const side of Object.values(this.#sides)) side.sort(byPriceAndAge);
    this.#ledger = ledger;
    return "applied";
  }

  /** Several can be of one ledger: the clock and loaded backing change the book between two. */
  #changes({ ledger, previous, changes }: BookChanges): Outcome {
    if (this.#ledger === undefined) return "gap";
    if (ledger < this.#ledger) return "stale";
    // A snapshot can be newer than the message before this one, never older.
    if (previous > this.#ledger) {
      this.#clear();
      return "gap";
    }
    for (const change of changes) this.#change(change);
    this.#ledger = ledger;
    return "applied";
  }

  #change({ cause, side, id, order, backed, budget }: BookChange): void {
    const known = this.#orders.get(id);
    if (order !== undefined) {
      this.#remove(id);
      this.#insert(localOrder(side, order));
    } else if (known === undefined) {
      throw new Error(`${cause} of an order that the book does not have: ${id}`);
    } else if (cause === "backing") {
      const { backed: _backed, budget: _budget, ...row } = known.row;
      this.#remove(id);
      const share = {
        ...(backed !== undefined && { backed }),
        ...(budget !== undefined && { budget }),
      };
      this.#insert(localOrder(side, { ...row, ...share }));
    } else this.#remove(id);
  }

  #insert(order: LocalOrder): void {
    this.#orders.set(order.id, order);
    const side = this.#sides[order.side];
    side.splice(placeOf(side, order), 0, order);
  }

  #remove(id: string): void {
    const order = this.#orders.get(id);
    if (order === undefined) return;
    this.#orders.delete(id);
    const side = this.#sides[order.side];
    side.splice(placeOf(side, order), 1);
  }

  #clear(): void {
    this.#ledger = undefined;
    this.#nextPart = 1;
    this.#orders.clear();
    this.#sides.ask.length = 0;
    this.#sides.bid.length = 0;
  }
}

function localOrder(side: BookSide, row: BookRow): LocalOrder {
  const { id, owner } = row;
  return {
    id,
    side,
    owner,
    price: BigInt(row.price),
    amount: BigInt(row.amount),
    backed: row.backed === undefined ? undefined : BigInt(row.backed),
    budget: row.budget === undefined ? undefined : BigInt(row.budget),
    cursor: BigInt(row.cursor),
    row,
  };
}

/** Where the order is, or belongs. */
function placeOf(side: readonly LocalOrder[], order: LocalOrder): number {
  return lowestWhere(0, side.length, (at) => byPriceAndAge(side[at] ?? order, order) >= 0);
}

function byPriceAndAge(a: LocalOrder, b: LocalOrder): number {
  if (a.price !== b.price) return a.price < b.price ? -1 : 1;
  if (a.cursor !== b.cursor) return a.cursor < b.cursor ? -1 : 1;
  return 0;
}
