// Hot path: the multipliers of a hop's relaxation, a shadow price `lambda` and a slot penalty `mu`: those
// of the closest bound. Some 3 us.
//
// What the best so many orders save against a shadow price is convex and piecewise linear in it. The
// cutting-plane method of Kelley (J. SIAM 8, 1960) finds where the bound is closest: two lines below the
// function, of orders that use up too little and of orders that use up enough, cross where it is
// evaluated next, until it lies on the crossing.
import { ORDERS_MAX } from "../quote.ts";
import { type HopDemand, type HopOrders, SELL } from "./hop-problem.ts";
import { LevelSums } from "./level-sums.ts";

/** Crossings tried (guess): it seldom takes more than six. */
const CROSSINGS_MAX = 16;
/** Distance from a crossing, as a part, that counts as none. */
const NEAR = 1e-12;
/**
 * Until orders use up enough: prices of those so many behind the one at which divisible ones do, then one so
 * many times as high, against which the largest orders save most.
 */
const OFFSETS: readonly number[] = [4, 16];
const HIGH = 2 ** 16;

export class Multipliers {
  lambda = 0;
  mu = 0;
  /** What finding them took, in work units. */
  work = 0;

  readonly #sums = new Float64Array(ORDERS_MAX + 1);
  readonly #levels = new LevelSums();
  #orders!: HopOrders;
  #canBeWhole!: Uint8Array;
  #slots = 0;
  #closest = 0;

  /**
   * For the first `count` orders of a hop, of which so many may be listed. One that cannot be whole says
   * nothing of the others' price.
   */
  find(
    hop: HopOrders,
    count: number,
    { direction, amount }: HopDemand,
    slots: number,
    canBeWhole: Uint8Array,
  ): void {
    const sells = direction === SELL;
    this.#canBeWhole = canBeWhole;
    const levels = this.#levels;
    levels.work = 0;
    this.#orders = count === hop.count ? hop : { ...hop, count };
    this.#slots = Math.min(slots, ORDERS_MAX);
    this.#closest = Number.POSITIVE_INFINITY;
    const { columns, start } = this.#orders;
    const end = this.#divisibleEnd(sells, amount);
    const price = columns.price[start + end]!;
    let best = price;
    let saved = this.#fill(price, sells, amount);
    let [gotBelow, paidBelow] = [levels.got, levels.got * price - saved];
    let isShort = this.mu > 0 || hop.groups > 0;
    let [gotAbove, paidAbove] = [0, 0];
    let isBracketed = !isShort;
    for (let rise = 0; !isBracketed; rise += 1) {
      const entry = end + (OFFSETS[rise] ?? count);
      const lambda = entry < count ? columns.price[start + entry]! : price * HIGH;
      const closest = this.#closest;
      saved = this.#fill(lambda, sells, amount);
      // The highest one only brackets: at it plain numbers tell too little apart to be searched.
      if (this.#closest < closest && entry < count) best = lambda;
      const paid = levels.got * lambda - saved;
      const isEnough = (sells ? paid : levels.got) >= amount;
      isBracketed = isEnough || entry >= count;
      if (isBracketed) [gotAbove, paidAbove] = [levels.got, paid];
      else [gotBelow, paidBelow] = [levels.got, paid];
    }
    for (let at = 0; at < CROSSINGS_MAX && isShort; at += 1) {
      const lambda = (paidAbove - paidBelow) / (gotAbove - gotBelow);
      if (!(lambda > 0 && lambda < Number.POSITIVE_INFINITY)) break;
      const onLine = gotBelow * lambda - paidBelow;
      const closest = this.#closest;
      saved = this.#fill(lambda, sells, amount);
      if (this.#closest < closest) best = lambda;
      if (saved <= onLine + gotBelow * lambda * NEAR) break;
      const got = levels.got;
      const paid = got * lambda - saved;
      if ((sells ? paid : got) < amount) [gotBelow, paidBelow] = [got, paid];
      else [gotAbove, paidAbove] = [got, paid];
      isShort = this.mu > 0 || hop.groups > 0;
    }
    if (best !== this.lambda) this.#fill(best, sells, amount);
    this.work = levels.work;
  }

  /** After `find`: the multipliers at another shadow price. */
  setAt(lambda: number): void {
    this.#levels.fill(this.#sums, this.#orders, lambda, this.#slots, this.#canBeWhole);
    this.lambda = lambda;
    this.mu = this.#sums[this.#slots]! - this.#sums[this.#slots - 1]!;
    this.work = this.#levels.work;
  }

  /** Sets the multipliers to a shadow price and its slot penalty; returns what is saved in all. */
  #fill(lambda: number, sells: boolean, amount: number): number {
    this.setAt(lambda);
    const saved = this.#sums[this.#slots]!;
    const bound = sells ? (amount + saved) / lambda : saved - amount * lambda;
    if (bound < this.#closest) this.#closest = bound;
    return saved;
  }

  /** The order that uses up the amount, were all divisible and slots without number. */
  #divisibleEnd(sells: boolean, amount: number): number {
    const { columns, start, count } = this.#orders;
    const { most, price } = columns;
    let used = 0;
    for (let entry = 0; entry < count - 1; entry += 1) {
      const at = start + entry;
      used += sells ? most[at]! * price[at]! : most[at]!;
      if (used >= amount) return entry;
    }
    return count - 1;
  }
}
