// Hot path: what a route gives at most where its hops share a number of slots: in all, which is a
// closer bound than the curves' where more orders would be needed, and for each split of them.
// Some 15 us for the levels, as many for more of them, then some nanoseconds for each split.
//
// As in hop-solver.ts, against a price level at each hop: an order saves something, the rest is
// bought at the level. A unit of a hop's input is worth the levels before it, so the savings of all
// hops compare, and no selection has more of them than each hop's largest ones add up to. That holds
// for any levels. Those of the divisible selection are the start; higher ones are tried hop by hop as
// long as the bound gets closer. The fewer its slots, the higher the level that says most of a hop:
// splits are bounded by the closest of some levels, hop by hop.
import { HOPS_MAX, ORDERS_MAX } from "../quote.ts";
import { type HopDirection, type HopOrders, SELL } from "./hop-problem.ts";
import { LevelSums } from "./level-sums.ts";

/** Rounds over the hops in search of levels (a guess: the second one seldom finds any). */
const ROUNDS_MAX = 3;
/** Levels above the highest price, for hops in which size counts for more than price. */
const ABOVE_MAX = 40;
const ABOVE_FACTOR = 1.25;
/**
 * More levels for splits, in orders from the one found: with these, a third as many splits could beat
 * the best selection as without any, and hardly more than with all levels (measured, 2026-11).
 */
const MORE_LEVELS: readonly number[] = [-1, 1, 2, 4, 8];
const LEVELS = 1 + MORE_LEVELS.length;
/** Relative error of the sums: some forty products. */
const MARGIN = 1e-12;
/** What a selection that is cut down loses at most by rounding: a unit at each of its ends. */
const ROUNDED = 2;

export class SlotBounds {
  #hops: readonly HopOrders[] = [];
  #hopCount = 0;
  #direction: HopDirection = SELL;
  #amount = 0;
  #slots = 0;

  /** By hop: which level was found. */
  readonly #at = new Int32Array(HOPS_MAX);
  /** By hop, the one found first, LEVELS apart; and how many there are. */
  readonly #level = new Float64Array(HOPS_MAX * LEVELS);
  readonly #levelCount = new Int32Array(HOPS_MAX);
  /** By level: what so many orders save at most. */
  readonly #sums = Array.from(this.#level, () => new Float64Array(ORDERS_MAX + 1));
  readonly #before = new Float64Array(ORDERS_MAX + 1);
  readonly #savings = new LevelSums();

  // By hop and slots, ORDERS_MAX + 1 apart: a flow (0: none), and what a search proved of it.
  readonly #flow = new Float64Array(HOPS_MAX * (ORDERS_MAX + 1));
  readonly #proven = new Float64Array(HOPS_MAX * (ORDERS_MAX + 1));

  /** What looking for levels took, in work units. */
  work = 0;

  /**
   * Finds a level for each hop of a route of the first `hopCount` of `hops`, none of them empty and
   * each with all of its orders. Returns what the route gives at most (BUY: costs at least), however
   * its hops share the slots; without a margin.
   */
  begin(
    hops: readonly HopOrders[],
    hopCount: number,
    direction: HopDirection,
    amount: number,
    slots: number,
  ): number {
    this.#hops = hops;
    this.#hopCount = hopCount;
    this.#direction = direction;
    this.#amount = amount;
    this.#slots = slots;
    this.#levelCount.fill(1);
    this.#flow.fill(0);
    this.work = 0;
    this.#savings.work = 0;
    this.#startLevels();
    let best = this.#mostOfAll();
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const before = best;
      for (let hop = 0; hop < hopCount; hop += 1) {
        best = this.#raiseLevel(hop, best);
      }
      if (best === before) break;
    }
    this.work += this.#savings.work;
    return best;
  }

  /** After `begin`: more levels, for closer bounds of splits. */
  addLevels(): void {
    this.#savings.work = 0;
    for (let hop = 0; hop < this.#hopCount; hop += 1) {
      for (const offset of MORE_LEVELS) {
        const at = this.#at[hop]! + offset;
        if (at < 0 || at > this.#lastLevel(hop)) continue;
        this.#setLevel(hop, this.#levelCount[hop]!, at);
        this.#levelCount[hop]! += 1;
      }
    }
    this.work += this.#savings.work;
  }

  /**
   * Notes that the hop of `step`, with so many slots, gets no more than `value` of `flow` or any smaller
   * amount of which a part may stay unsold (BUY: that getting `flow` costs no less). It says something of
   * other flows, too: a selection is cut down to a smaller one at no less than the best price a unit.
   */
  note(step: number, flow: number, slots: number, value: number): void {
    const at = this.#hopAt(step) * (ORDERS_MAX + 1) + slots;
    this.#flow[at] = flow;
    this.#proven[at] = value;
  }

  #hopAt(step: number): number {
    return this.#direction === SELL ? step : this.#hopCount - 1 - step;
  }

  /**
   * What `flow` comes to at most (SELL: at the end; BUY: at least, at the start) from `step` on,
   * with `slots` for each hop. Whole units.
   */
  bound(step: number, flow: number, slots: Int32Array): number {
    let bound = flow;
    for (let at = step; at < this.#hopCount; at += 1) {
      const hop = this.#hopAt(at);
      bound = this.after(at, bound, slots[hop]!);
    }
    return bound;
  }

  /** The same for the hop of one step alone. */
  after(step: number, flow: number, slots: number): number {
    return this.#direction === SELL
      ? this.#mostOut(step, flow, slots)
      : this.#leastIn(this.#hopCount - 1 - step, flow, slots);
  }

  /**
   * The least (BUY: the most) that must come out of (BUY: go in at) `step` for the route to come to
   * `value`, which is at least (BUY: at most) that, with `slots` for the hops after it.
   */
  needed(step: number, value: number, slots: Int32Array): number {
    let needed = value;
    for (let at = this.#hopCount - 1; at > step; at -= 1) {
      const hop = this.#hopAt(at);
      needed =
        this.#direction === SELL
          ? this.#leastIn(hop, needed, slots[hop]!)
          : this.#mostOut(hop, needed, slots[hop]!);
    }
    return needed;
  }

  /** Whole units that a hop gives at most for `paid`. */
  #mostOut(hop: number, paid: number, slots: number): number {
    const first = hop * LEVELS;
    let most = Number.POSITIVE_INFINITY;
    for (let at = first; at < first + this.#levelCount[hop]!; at += 1) {
      const got = (paid + this.#sums[at]![slots]!) / this.#level[at]!;
      if (got < most) most = got;
    }
    return Math.floor(Math.min(most, this.#mostProven(hop, paid, slots)) * (1 + MARGIN));
  }

  #mostProven(hop: number, paid: number, slots: number): number {
    const price = this.#bestPrice(hop);
    const first = hop * (ORDERS_MAX + 1);
    let most = Number.POSITIVE_INFINITY;
    for (let at = first + slots; at <= first + this.#slots; at += 1) {
      const flow = this.#flow[at]!;
      if (flow === 0) continue;
      const proven = this.#proven[at]!;
      const got =
        this.#direction === SELL
          ? paid <= flow
            ? proven
            : proven + (paid - flow) / price + ROUNDED
          : flow + Math.max(0, paid - proven + ROUNDED) / price;
      if (got < most) most = got;
    }
    return most;
  }

  #leastProven(hop: number, got: number, slots: number): number {
    const price = this.#bestPrice(hop);
    const first = hop * (ORDERS_MAX + 1);
    let least = 0;
    for (let at = first + slots; at <= first + this.#slots; at += 1) {
      const flow = this.#flow[at]!;
      if (flow === 0) continue;
      const proven = this.#proven[at]!;
      const over = this.#direction === SELL ? got - proven - ROUNDED : got - flow;
      if (over < 0) continue;
      const paid = this.#direction === SELL ? flow + over * price : proven + over * price - ROUNDED;
      if (paid > least) least = paid;
    }
    return least;
  }

  #bestPrice(hop: number): number {
    const { columns, start } = this.#hops[hop]!;
    return columns.price[start]!;
  }

  /** Whole units that `got` of a hop costs at least. */
  #leastIn(hop: number, got: number, slots: number): number {
    const first = hop * LEVELS;
    let least = 0;
    for (let at = first; at < first + this.#levelCount[hop]!; at += 1) {
      const saved = this.#sums[at]![slots]!;
      const cost = got * this.#level[at]! * (1 - MARGIN) - saved * (1 + MARGIN);
      if (cost > least) least = cost;
    }
    return Math.ceil(Math.max(least, this.#leastProven(hop, got, slots) * (1 - MARGIN)));
  }

  /** Levels at which the orders, were they divisible and each maker's own, use up the amount. */
  #startLevels(): void {
    const sells = this.#direction === SELL;
    let flow = this.#amount;
    for (let step = 0; step < this.#hopCount; step += 1) {
      const hop = sells ? step : this.#hopCount - 1 - step;
      const { columns, start, count } = this.#hops[hop]!;
      const { most, price } = columns;
      let got = 0;
      let paid = 0;
      let at = start;
      for (; at < start + count - 1; at += 1) {
        const left = sells ? (flow - paid) / price[at]! : flow - got;
        if (left <= most[at]!) break;
        got += most[at]!;
        paid += most[at]! * price[at]!;
      }
      const left = sells ? (flow - paid) / price[at]! : flow - got;
      flow = sells ? got + left : paid + left * price[at]!;
      this.#at[hop] = at - start;
      this.#setLevel(hop, 0, at - start);
    }
  }

  #lastLevel(hop: number): number {
    return this.#hops[hop]!.count - 1 + ABOVE_MAX;
  }

  /** Makes the price of the entry `at` a hop's level of that `rank`. */
  #setLevel(hop: number, rank: number, at: number): void {
    const orders = this.#hops[hop]!;
    const { columns, start, count } = orders;
    const above = at - (count - 1);
    const price = columns.price[start + Math.min(at, count - 1)]!;
    const index = hop * LEVELS + rank;
    this.#level[index] = above > 0 ? price * ABOVE_FACTOR ** above : price;
    this.#savings.fill(this.#sums[index]!, orders, this.#level[index]!);
  }

  /** Raises a hop's level for as long as the bound gets closer; returns the bound. */
  #raiseLevel(hop: number, closest: number): number {
    let best = closest;
    const index = hop * LEVELS;
    const sums = this.#sums[index]!;
    for (let step = 1; ; step *= 2) {
      const at = this.#at[hop]! + step;
      if (at > this.#lastLevel(hop)) return best;
      this.#before.set(sums);
      const level = this.#level[index]!;
      this.#setLevel(hop, 0, at);
      const bound = this.#mostOfAll();
      if (this.#direction === SELL ? bound < best : bound > best) {
        best = bound;
        this.#at[hop] = at;
        continue;
      }
      sums.set(this.#before);
      this.#level[index] = level;
      return best;
    }
  }

  /** What the route comes to with all slots, each given to the order that saves most. */
  #mostOfAll(): number {
    const one = this.#sums[0];
    const two = this.#sums[LEVELS];
    const three = this.#sums[2 * LEVELS];
    const second = this.#level[0]!;
    const third = second * this.#level[LEVELS]!;
    let [a, b, c] = [0, 0, 0];
    for (let place = 0; place < this.#slots; place += 1) {
      const nextOne = one![a + 1]! - one![a]!;
      const nextTwo = this.#hopCount > 1 ? (two![b + 1]! - two![b]!) * second : 0;
      const nextThree = this.#hopCount > 2 ? (three![c + 1]! - three![c]!) * third : 0;
      if (nextOne >= nextTwo && nextOne >= nextThree) a += 1;
      else if (nextTwo >= nextThree) b += 1;
      else c += 1;
    }
    this.work += 1;
    const saved = one![a]! + two![b]! * second + three![c]! * third;
    const weight = [second, third, third * this.#level[2 * LEVELS]!][this.#hopCount - 1]!;
    return this.#direction === SELL
      ? (this.#amount + saved) / weight
      : this.#amount * weight - saved;
  }
}
