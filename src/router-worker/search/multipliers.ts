// Hot path: the multipliers of a hop's relaxation, a shadow price `lambda` and a slot penalty `mu`: those
// of the closest bound. Some 3 us.
//
// What the best so many orders profit at a shadow price is convex and piecewise linear in it. The
// cutting-plane method of Kelley (J. SIAM 8, 1960) finds where the bound is closest: two lines below the
// function, of orders that use up too little and of orders that use up enough, cross where it is
// evaluated next, until it lies on the crossing.
import { ORDERS_MAX } from "../quote.ts";
import type { HopTask } from "./hop-task.ts";
import { ProfitSums } from "./profit-sums.ts";

/** Crossings tried (guess): it seldom takes more than six. */
const CROSSINGS_MAX = 16;
/** Distance from a crossing, as a part, that counts as none. */
const NEAR = 1e-12;
/**
 * Until orders use up enough: prices of those so many behind the one at which divisible ones do, then one so
 * many times as high, at which the largest orders profit most.
 */
const OFFSETS: readonly number[] = [4, 16];
const HIGH = 2 ** 16;

export class Multipliers {
  lambda = 0;
  mu = 0;
  readonly #sums = new Float64Array(ORDERS_MAX + 1);
  readonly #profits = new ProfitSums();
  #task!: HopTask;
  #slots = 0;
  #closest = 0;

  /** What finding them took, in work units. */
  get work(): number {
    return this.#profits.work;
  }

  /**
   * For the orders of a hop, of which so many may be listed. One that cannot be whole says nothing of the
   * others' price.
   */
  find(task: HopTask, slots: number): void {
    this.#task = task;
    const { groups, orders, sells } = task;
    const { amount } = task.demand;
    const profits = this.#profits;
    profits.work = 0;
    this.#slots = Math.min(slots, ORDERS_MAX);
    this.#closest = Number.POSITIVE_INFINITY;
    const { columns, count } = orders;
    const end = this.#divisibleEnd(sells, amount);
    const price = columns.price[end]!;
    let best = price;
    let profit = this.#fill(price, sells, amount);
    let [gotBelow, paidBelow] = [profits.got, profits.got * price - profit];
    let isShort = this.mu > 0 || groups > 0;
    let [gotAbove, paidAbove] = [0, 0];
    let isBracketed = !isShort;
    for (let rise = 0; !isBracketed; rise += 1) {
      const entry = end + (OFFSETS[rise] ?? count);
      const lambda = entry < count ? columns.price[entry]! : price * HIGH;
      const closest = this.#closest;
      profit = this.#fill(lambda, sells, amount);
      // The highest one only brackets: at it plain numbers tell too little apart to be searched.
      if (this.#closest < closest && entry < count) best = lambda;
      const paid = profits.got * lambda - profit;
      const isEnough = (sells ? paid : profits.got) >= amount;
      isBracketed = isEnough || entry >= count;
      if (isBracketed) [gotAbove, paidAbove] = [profits.got, paid];
      else [gotBelow, paidBelow] = [profits.got, paid];
    }
    for (let at = 0; at < CROSSINGS_MAX && isShort; at += 1) {
      const lambda = (paidAbove - paidBelow) / (gotAbove - gotBelow);
      if (!(lambda > 0 && lambda < Number.POSITIVE_INFINITY)) break;
      const onLine = gotBelow * lambda - paidBelow;
      const closest = this.#closest;
      profit = this.#fill(lambda, sells, amount);
      if (this.#closest < closest) best = lambda;
      if (profit <= onLine + gotBelow * lambda * NEAR) break;
      const got = profits.got;
      const paid = got * lambda - profit;
      if ((sells ? paid : got) < amount) [gotBelow, paidBelow] = [got, paid];
      else [gotAbove, paidAbove] = [got, paid];
      isShort = this.mu > 0 || groups > 0;
    }
    if (best !== this.lambda) this.setAt(best);
  }

  /** After `find`: the multipliers at another shadow price. */
  setAt(lambda: number): void {
    this.mu = this.penaltyAt(lambda);
    this.lambda = lambda;
  }

  /** After `find`: the slot penalty of another shadow price. */
  penaltyAt(lambda: number): number {
    const [sums, slots] = [this.#sums, this.#slots];
    this.#profits.fill(sums, this.#task.orders, lambda, slots, this.#task);
    return sums[slots]! - sums[slots - 1]!;
  }

  /** Sets the multipliers to a shadow price and its slot penalty; returns the profits in all. */
  #fill(lambda: number, sells: boolean, amount: number): number {
    this.setAt(lambda);
    const profit = this.#sums[this.#slots]!;
    const bound = sells ? (amount + profit) / lambda : profit - amount * lambda;
    if (bound < this.#closest) this.#closest = bound;
    return profit;
  }

  /** The order that uses up the amount, were all divisible and slots without number. */
  #divisibleEnd(sells: boolean, amount: number): number {
    const { columns, count } = this.#task.orders;
    const { most, price } = columns;
    let used = 0;
    for (let entry = 0; entry < count - 1; entry += 1) {
      used += sells ? most[entry]! * price[entry]! : most[entry]!;
      if (used >= amount) return entry;
    }
    return count - 1;
  }
}
