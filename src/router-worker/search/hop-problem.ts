// The orders that one hop of a route may list, as numbers: what the listing search works on.
// Everything is in base units. Amounts above 2^53 are rounded; what is quoted is settled again in
// integers (settle.ts).
import { costOf, outputOf } from "./rounding.ts";

/** Candidates a hop keeps at most; the dearest are dropped. A guess: 200 times what it may list. */
export const CANDIDATES_MAX = 4096;

/** A candidate's maker has no other order here that competes for its backing or its room. */
export const ALONE = -1;

export class HopProblem {
  /** Ascending by price. */
  count = 0;
  /** The exact prices: `words[stride * slot + offset]` and the next, low word first. */
  words: BigUint64Array = new BigUint64Array(0);
  wordAt: Int32Array = new Int32Array(64);
  slot: Uint32Array = new Uint32Array(64);
  /** Real price: what the taker pays per unit. */
  price: Float64Array = new Float64Array(64);
  amount: Float64Array = new Float64Array(64);
  /** What the taker pays for all of `amount`. */
  cost: Float64Array = new Float64Array(64);
  /** What the maker can deliver at most: amount, backing and room together. */
  most: Float64Array = new Float64Array(64);
  /** 1 where all of `amount` can be filled. */
  whole: Uint8Array = new Uint8Array(64);
  /** Index into `budget` and `room`, or ALONE. */
  maker: Int32Array = new Int32Array(64);
  /** What a maker with several orders here has in all. */
  makers = 0;
  budget: Float64Array = new Float64Array(64);
  room: Float64Array = new Float64Array(64);

  /** Price of the cheapest order that was left out of the candidates; Infinity: none was. */
  nextPrice = Number.POSITIVE_INFINITY;

  clear(words: BigUint64Array): void {
    this.count = 0;
    this.makers = 0;
    this.nextPrice = Number.POSITIVE_INFINITY;
    this.words = words;
  }

  /**
   * Appends an order; prices must not fall. `budget` and `room` are all that its maker has. False
   * where the order could never be filled, or there is no place left.
   */
  add(
    slot: number,
    wordAt: number,
    price: number,
    amount: number,
    budget: number,
    room: number,
  ): boolean {
    if (this.count === CANDIDATES_MAX) return false;
    if (this.count === this.price.length) this.#grow();
    const at = this.count;
    const payable =
      room === Number.POSITIVE_INFINITY ? room : outputOf(room, price, this.words, wordAt);
    const most = Math.min(amount, budget, payable);
    if (!(most >= 1)) return false;
    this.slot[at] = slot;
    this.wordAt[at] = wordAt;
    this.price[at] = price;
    this.amount[at] = amount;
    this.cost[at] = costOf(amount, price, this.words, wordAt);
    this.most[at] = most;
    this.whole[at] = most === amount ? 1 : 0;
    this.maker[at] = ALONE;
    this.count += 1;
    return true;
  }

  /** Makes a new group of candidates that share what their maker has; returns its index. */
  addMaker(budget: number, room: number): number {
    const maker = this.makers;
    if (maker === this.budget.length) {
      this.budget = grown(this.budget);
      this.room = grown(this.room);
    }
    this.budget[maker] = budget;
    this.room[maker] = room;
    this.makers += 1;
    return maker;
  }

  costOf(at: number, got: number): number {
    return costOf(got, this.price[at]!, this.words, this.wordAt[at]!);
  }

  outputOf(at: number, paid: number): number {
    return outputOf(paid, this.price[at]!, this.words, this.wordAt[at]!);
  }

  #grow(): void {
    this.wordAt = grown(this.wordAt);
    this.slot = grown(this.slot);
    this.price = grown(this.price);
    this.amount = grown(this.amount);
    this.cost = grown(this.cost);
    this.most = grown(this.most);
    this.whole = grown(this.whole);
    this.maker = grown(this.maker);
  }
}

type Column = Float64Array | Int32Array | Uint32Array | Uint8Array;

function grown<T extends Column>(column: T): T {
  const larger = new (column.constructor as new (length: number) => T)(2 * column.length);
  larger.set(column as never);
  return larger;
}
