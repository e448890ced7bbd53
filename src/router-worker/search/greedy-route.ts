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
import { EQUAL_PART } from "./route-order.ts";
import type { SideCurves } from "./side-curves.ts";

/** Sums are exact below 2^53; the comparisons leave some bits for the rounding of products. */
const GREEDY_EXACT_MAX = 2 ** 48;

/** One unit, and some for that rounding. */
const UNIT = 1.1;
/** What the rounding of all other orders of a hop can be worth on top. */
const ROUNDED = UNIT + ORDERS_MAX;

/** What an order saves at least, as a part of what its hop pays: with less it might better be left out. */
const NEGLIGIBLE_PART = 2e-9;

export class GreedyRoute {
  readonly #curves: SideCurves;

  // The answer: the first `counts[hop]` entries of each hop's curve, the last one perhaps in part.
  readonly counts = new Int32Array(HOPS_MAX);
  sold = 0;
  bought = 0;

  /** False where another selection may be better: then the answer is only a good one. */
  isProven = true;
  #sells = true;
  #hopCount = 0;

  /** What the hop being tried gives (SELL) or costs (BUY). */
  #value = 0;
  #count = 0;
  /** Its highest price, and what it pays more at least with an order less: without bound where it has one. */
  #level = 0;
  #saved = 0;
  /** Those by hop. */
  readonly #levels = new Float64Array(HOPS_MAX);
  readonly #saves = new Float64Array(HOPS_MAX);

  constructor(curves: SideCurves) {
    this.#curves = curves;
  }

  /**
   * Fills the answer for the first `hopCount` curves; `words` holds the exact prices by slot. False
   * where there is none.
   */
  solve(
    curves: Int32Array,
    hopCount: number,
    sells: boolean,
    amount: number,
    ordersMax: number,
    words: BigUint64Array,
  ): boolean {
    if (amount >= GREEDY_EXACT_MAX) return false;
    this.isProven = true;
    this.#sells = sells;
    this.#hopCount = hopCount;
    let flow = amount;
    let left = ordersMax;
    for (let stage = 0; stage < hopCount; stage += 1) {
      const hop = sells ? stage : hopCount - 1 - stage;
      if (!this.#fill(curves[hop]!, flow, left, words, sells && stage > 0)) return false;
      flow = this.#value;
      left -= this.#count;
      this.counts[hop] = this.#count;
      this.#levels[hop] = this.#level;
      this.#saves[hop] = this.#saved;
    }
    this.sold = sells ? amount : flow;
    this.bought = sells ? flow : amount;
    return !sells || this.#settle(curves, flow, words);
  }

  /**
   * Whether fewer orders certainly come to less. With one less some hop pays more by what it saves, and
   * passed on at the other hops' highest prices that is more than what each hop loses by rounding: a
   * unit of what it gets and, where a cheaper order is the break item instead, one of what it pays.
   */
  isFewest(): boolean {
    const hopCount = this.#hopCount;
    // What a unit is worth in the end; what is lost there by rounding, and with an order less.
    let [worth, rounded, lost] = [1, 0, Number.POSITIVE_INFINITY];
    for (let stage = hopCount - 1; stage >= 0; stage -= 1) {
      const hop = this.#sells ? stage : hopCount - 1 - stage;
      rounded += worth;
      if (this.#sells) worth /= this.#levels[hop]!;
      rounded += worth;
      lost = Math.min(lost, this.#saves[hop]! * worth);
      if (!this.#sells) worth *= this.#levels[hop]!;
    }
    return lost > rounded + EQUAL_PART * (this.#sells ? this.bought : this.sold);
  }

  /**
   * Fills a hop: SELL pays `flow`, BUY gets it. `canBeLess`: it can be paid less, too, and do without its
   * break item.
   */
  #fill(
    curve: number,
    flow: number,
    ordersMax: number,
    words: BigUint64Array,
    canBeLess: boolean,
  ): boolean {
    const { columns, count, share, start } = this.#curves;
    const { amount, cost, price } = columns;
    const sells = this.#sells;
    const uses = sells ? cost : amount;
    const gives = sells ? amount : cost;
    const first = start[curve]!;
    const end = first + Math.min(count[curve]!, ordersMax);
    let left = flow;
    let given = 0;
    let at = first;
    // Selling, an order that nothing is left after is whole; buying it is the break item.
    for (; at < end && (sells ? left >= uses[at]! : left > uses[at]!); at += 1) {
      if (share[at] !== amount[at]) return false;
      left -= uses[at]!;
      given += gives[at]!;
    }
    if (at === end) return false;
    const level = price[at]!;
    const gets = sells ? entryOutput(columns, at, left, words) : left;
    if (gets < 1 || gets > share[at]!) return false;
    this.#value = given + (sells ? gets : entryCost(columns, at, left, words));
    this.#count = at - first + 1;
    this.#level = level;
    this.#saved = Number.POSITIVE_INFINITY;
    if (!(this.#value < GREEDY_EXACT_MAX)) return false;
    if (at === first) return true;
    if (!this.#allSave(first, at, sells ? flow - left : given)) return false;
    if (canBeLess) this.#saved = Math.min(this.#saved, gets * level);
    if (!this.#isCertain(curve, at, left, gets)) this.isProven = false;
    return true;
  }

  /** Whether no selection is better than that in which the last order `at` takes what the cheaper ones leave. */
  #isCertain(curve: number, at: number, left: number, gets: number): boolean {
    const { columns, count, start } = this.#curves;
    const { amount, budget, cost, price } = columns;
    const sells = this.#sells;
    const level = price[at]!;
    // A unit more of output needs this much more of input than rounding can give.
    if (sells && level - (left - gets * level) >= UNIT) return true;
    // What is left counts in units of what is paid (SELL) or got (BUY).
    const dearest = price[at - 1]!;
    // A cheaper order of its maker that is filled in part leaves it the backing that it lacks.
    const isWhole = budget[at]! >= amount[at]!;
    const slack = sells ? ORDERS_MAX : 0;
    const over = (sells ? cost : amount)[at]! - left - slack;
    if (isWhole && (level - dearest) * over < ROUNDED * (sells ? dearest : 1)) return false;
    if (at + 1 === start[curve]! + count[curve]!) return this.#curves.isComplete(curve);
    const next = price[at + 1]!;
    return (left - slack) * (next - level) >= UNIT * (sells ? next : 1);
  }

  /** Whether each entry before `last` saves more than next to nothing of `paid`; notes the least. */
  #allSave(first: number, last: number, paid: number): boolean {
    const { amount, cost, price } = this.#curves.columns;
    const level = price[last]!;
    let saved = Number.POSITIVE_INFINITY;
    for (let at = first; at < last; at += 1) {
      const saves = amount[at]! * level - cost[at]!;
      if (saves < saved) saved = saves;
    }
    this.#saved = saved;
    return saved > paid * NEGLIGIBLE_PART;
  }

  /**
   * The backward plan: what the hops really pay for `bought`. False where it leaves out an order
   * that the plan forward fills: whether that one can be left out is not said here.
   */
  #settle(curves: Int32Array, bought: number, words: BigUint64Array): boolean {
    const { columns, start } = this.#curves;
    let wanted = bought;
    for (let hop = this.#hopCount - 1; hop >= 0; hop -= 1) {
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
