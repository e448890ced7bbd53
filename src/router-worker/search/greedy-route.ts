// Hot path: price priority. Most hops are filled best by their cheapest orders, one after the
// other; this finds out when that is certain, straight from the curves, some 15 ns an order. All
// arithmetic is exact: whole numbers below 2^48, or the answer is "not certain".
//
// Why it can be certain. Let `level` be the price of the order filled last. No order saves anything
// against that price but the cheaper ones, and those are all filled whole; so no selection is better
// (see hop-solver.ts), unless one of the cheaper orders, filled last in its stead, gains by
// rounding: less than one unit of what is paid. It could only be filled in part if the last order,
// whole, or dearer ones took so much that it would not fit any more, which costs more the more they
// take. Cheap orders left out to free slots count too: each can be worth a unit of rounding. Where
// all that comes to a unit or more, the greedy selection is the best one.
import { HOPS_MAX, ORDERS_MAX } from "../quote.ts";
import { entryCost, entryOutput } from "./hop-columns.ts";
import { type HopDirection, SELL } from "./hop-problem.ts";
import type { SideCurves } from "./side-curves.ts";

/** Sums are exact below 2^53; the comparisons leave some bits for the rounding of products. */
const GREEDY_EXACT_MAX = 2 ** 48;

/** One unit, and some for that rounding. */
const UNIT = 1.1;
/** What the rounding of all other orders of a hop can be worth on top. */
const ROUNDED = UNIT + ORDERS_MAX;

/** What an order saves at least, as a part of what its hop pays: with less it might better be left out. */
const NEGLIGIBLE_PART = 2e-9;
/** Results that are as near, as a part, may count as equal: one in 10^9, and what floats err by. */
export const EQUAL_PART = 1.1e-9;

export class GreedyRoute {
  readonly #curves: SideCurves;

  // The answer: the first `counts[hop]` entries of each hop's curve, the last one perhaps in part.
  readonly counts = new Int32Array(HOPS_MAX);
  sold = 0;
  bought = 0;

  /** False where another selection may be better: then the answer is only a good one. */
  isProven = true;
  #isLoose = false;

  /** What the hop being tried gives (SELL) or costs (BUY). */
  #value = 0;
  #count = 0;
  /** Its highest price, and what it pays more at least with an order less: without bound where it has one. */
  #level = 0;
  #saved = 0;
  /** What its break item is paid. */
  #broken = 0;
  /** Those by hop. */
  readonly #levels = new Float64Array(HOPS_MAX);
  readonly #saves = new Float64Array(HOPS_MAX);

  constructor(curves: SideCurves) {
    this.#curves = curves;
  }

  /**
   * Fills the answer for the first `hopCount` curves; `words` holds the exact prices by slot. False
   * where there is none or, unless `isLoose`, another may be better; then `isProven` tells.
   */
  solve(
    curves: Int32Array,
    hopCount: number,
    direction: HopDirection,
    amount: number,
    ordersMax: number,
    words: BigUint64Array,
    isLoose = false,
  ): boolean {
    if (amount >= GREEDY_EXACT_MAX) return false;
    this.isProven = true;
    this.#isLoose = isLoose;
    let total = 0;
    if (direction === SELL) {
      let paid = amount;
      for (let hop = 0; hop < hopCount; hop += 1) {
        if (!this.#sell(curves[hop]!, paid, ordersMax - total, words)) return false;
        // A later hop can be paid less, too, and do without its break item.
        if (hop > 0) this.#saved = Math.min(this.#saved, this.#broken);
        paid = this.#value;
        total += this.#count;
        this.#keepHop(hop);
      }
      this.bought = paid;
      if (!isLoose && !this.#isFewestSelling(hopCount)) return false;
      return this.#settle(curves, hopCount, paid, words);
    }
    this.bought = amount;
    let wanted = amount;
    for (let hop = hopCount - 1; hop >= 0; hop -= 1) {
      if (!this.#buy(curves[hop]!, wanted, ordersMax - total, words)) return false;
      wanted = this.#value;
      total += this.#count;
      this.#keepHop(hop);
    }
    this.sold = wanted;
    return isLoose || this.#isFewestBuying(hopCount);
  }

  #keepHop(hop: number): void {
    this.counts[hop] = this.#count;
    this.#levels[hop] = this.#level;
    this.#saves[hop] = this.#saved;
  }

  /**
   * Whether fewer orders certainly come to less. With one less some hop pays more by what it saves, and
   * passed on at the other hops' highest prices that is more than what each hop loses by rounding: a unit
   * of what it gets and, where a cheaper order is the break item instead, one of what it pays.
   */
  #isFewestSelling(hopCount: number): boolean {
    // What a unit is worth in the end; what is lost there by rounding, and with an order less.
    let [worth, rounded, lost] = [1, 0, Number.POSITIVE_INFINITY];
    for (let hop = hopCount - 1; hop >= 0; hop -= 1) {
      rounded += worth;
      worth /= this.#levels[hop]!;
      rounded += worth;
      lost = Math.min(lost, this.#saves[hop]! * worth);
    }
    return lost > rounded + EQUAL_PART * this.bought;
  }

  #isFewestBuying(hopCount: number): boolean {
    let [worth, rounded, lost] = [1, 0, Number.POSITIVE_INFINITY];
    for (let hop = 0; hop < hopCount; hop += 1) {
      rounded += 2 * worth;
      lost = Math.min(lost, this.#saves[hop]! * worth);
      worth *= this.#levels[hop]!;
    }
    return lost > rounded + EQUAL_PART * this.sold;
  }

  #sell(curve: number, paid: number, ordersMax: number, words: BigUint64Array): boolean {
    const { columns, count, share, start } = this.#curves;
    const { amount, cost, price } = columns;
    const first = start[curve]!;
    const end = first + Math.min(count[curve]!, ordersMax);
    let left = paid;
    let got = 0;
    for (let at = first; at < end; at += 1) {
      if (left >= cost[at]!) {
        if (share[at] !== amount[at]) return false;
        left -= cost[at]!;
        got += amount[at]!;
        continue;
      }
      const level = price[at]!;
      const gets = entryOutput(columns, at, left, words);
      if (gets < 1 || gets > share[at]!) return false;
      this.#value = got + gets;
      this.#count = at - first + 1;
      this.#level = level;
      this.#broken = gets * level;
      this.#saved = Number.POSITIVE_INFINITY;
      if (!(this.#value < GREEDY_EXACT_MAX)) return false;
      if (at === first) {
        this.#broken = Number.POSITIVE_INFINITY;
        return true;
      }
      if (!this.#allSave(first, at)) return false;
      // A unit more of output needs this much more of input than rounding can give.
      if (level - (left - gets * level) >= UNIT) return true;
      const dearest = price[at - 1]!;
      const isWhole = share[at] === amount[at];
      const over = cost[at]! - left - ORDERS_MAX;
      if (isWhole && (level - dearest) * over < ROUNDED * dearest) return this.#doubt();
      if (at + 1 === first + count[curve]!) return this.#curves.isComplete(curve) || this.#doubt();
      const next = price[at + 1]!;
      return (left - ORDERS_MAX) * (next - level) >= UNIT * next || this.#doubt();
    }
    return false;
  }

  #buy(curve: number, wanted: number, ordersMax: number, words: BigUint64Array): boolean {
    const { columns, count, share, start } = this.#curves;
    const { amount, cost, price } = columns;
    const first = start[curve]!;
    const end = first + Math.min(count[curve]!, ordersMax);
    let left = wanted;
    let paid = 0;
    for (let at = first; at < end; at += 1) {
      if (left > amount[at]!) {
        if (share[at] !== amount[at]) return false;
        left -= amount[at]!;
        paid += cost[at]!;
        continue;
      }
      if (left > share[at]!) return false;
      const level = price[at]!;
      this.#value = paid + entryCost(columns, at, left, words);
      this.#count = at - first + 1;
      this.#level = level;
      this.#saved = Number.POSITIVE_INFINITY;
      if (!(this.#value < GREEDY_EXACT_MAX)) return false;
      if (at === first) return true;
      if (!this.#allSave(first, at)) return false;
      const isWhole = share[at] === amount[at];
      if (isWhole && (level - price[at - 1]!) * (amount[at]! - left) < ROUNDED) {
        return this.#doubt();
      }
      if (at + 1 === first + count[curve]!) return this.#curves.isComplete(curve) || this.#doubt();
      return left * (price[at + 1]! - level) >= UNIT || this.#doubt();
    }
    return false;
  }

  /** Notes that the answer is not certain; whether it is of use all the same. */
  #doubt(): boolean {
    this.isProven = false;
    return this.#isLoose;
  }

  /** Whether each entry before `last` saves more than next to nothing against its price; notes the least. */
  #allSave(first: number, last: number): boolean {
    const { amount, cost, price } = this.#curves.columns;
    const level = price[last]!;
    let paid = 0;
    for (let at = first; at < last; at += 1) paid += cost[at]!;
    const least = paid * NEGLIGIBLE_PART;
    let saved = Number.POSITIVE_INFINITY;
    for (let at = first; at < last; at += 1) {
      const saves = amount[at]! * level - cost[at]!;
      if (saves < saved) saved = saves;
    }
    this.#saved = saved;
    return saved > least;
  }

  /**
   * The backward plan: what the hops really pay for `bought`. False where it leaves out an order
   * that the plan forward fills: whether that one can be left out is not said here.
   */
  #settle(curves: Int32Array, hopCount: number, bought: number, words: BigUint64Array): boolean {
    const { columns, start } = this.#curves;
    let wanted = bought;
    for (let hop = hopCount - 1; hop >= 0; hop -= 1) {
      const first = start[curves[hop]!]!;
      let at = first;
      let paid = 0;
      for (; wanted > columns.amount[at]!; at += 1) {
        wanted -= columns.amount[at]!;
        paid += columns.cost[at]!;
      }
      if (at - first + 1 !== this.counts[hop]) return false;
      wanted = paid + entryCost(columns, at, wanted, words);
    }
    this.sold = wanted;
    return true;
  }
}
