// Hot path: the multipliers of a hop's relaxation: pairs of a shadow price and a slot penalty. The
// first pair is the one of the closest bound; the others, around it, bound what is left of a hop once
// part of it is decided. Some 10 us.
import { ORDERS_MAX } from "../quote.ts";
import { type HopDemand, type HopOrders, SELL } from "./hop-problem.ts";
import { LevelSums } from "./level-sums.ts";

/** Shadow prices beside the first one, by how far they lie from it as parts of the price spread. */
const OFFSETS: readonly number[] = [-0.6, -0.2, -0.05, 0.05, 0.2, 0.8, 3];
/**
 * The first pair is the one that a break item is searched with, the last one its own, at its price: set
 * for each. The second one is that of the closest bound of all.
 */
export const OWN_PAIR = 2 + OFFSETS.length;
export const PAIRS = OWN_PAIR + 1;
/** Least spread, as a part of the price; first step upward; and steps of the golden section. */
const SPREAD_MIN = 1e-4;
const RISES_MAX = 40;
const SECTIONS = 12;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

export class MultiplierPairs {
  readonly lambda = new Float64Array(PAIRS);
  readonly mu = new Float64Array(PAIRS);
  /** What finding them took, in work units. */
  work = 0;

  readonly #sums = new Float64Array(ORDERS_MAX + 1);
  readonly #levels = new LevelSums();
  #orders: HopOrders = {} as HopOrders;
  #amount = 0;
  #sells = true;
  #slots = 0;

  /** For the first `count` orders, of which so many may be listed. */
  find(orders: HopOrders, count: number, { direction, amount }: HopDemand, slots: number): void {
    this.#orders = count === orders.count ? orders : { ...orders, count };
    this.#amount = amount;
    this.#sells = direction === SELL;
    this.#slots = Math.min(slots, ORDERS_MAX);
    this.#levels.work = 0;
    const first = orders.columns.price[orders.start]!;
    const best = this.#closest(this.#divisibleLevel(), first);
    this.#setPair(1, best);
    const spread = Math.max(best - first, best * SPREAD_MIN);
    for (let at = 0; at < OFFSETS.length; at += 1) {
      this.#setPair(at + 2, Math.max(best + OFFSETS[at]! * spread, first * (1 - SPREAD_MIN)));
    }
    this.work = this.#levels.work;
  }

  /** The own pair of a break item: at its price, so that it gains nothing. */
  setOwn(lambda: number): void {
    this.#setPair(OWN_PAIR, lambda);
    this.work = this.#levels.work;
  }

  #setPair(pair: number, lambda: number): void {
    this.#levels.fill(this.#sums, this.#orders, lambda);
    this.lambda[pair] = lambda;
    this.mu[pair] = this.#sums[this.#slots]! - this.#sums[this.#slots - 1]!;
  }

  /** The bound at a shadow price: lower is closer. */
  #bound(lambda: number): number {
    this.#levels.fill(this.#sums, this.#orders, lambda);
    const profits = this.#sums[this.#slots]!;
    return this.#sells ? (this.#amount + profits) / lambda : profits - this.#amount * lambda;
  }

  /** Price of the order that uses up the amount, were all divisible and slots without number. */
  #divisibleLevel(): number {
    const { columns, start, count } = this.#orders;
    const { most, price } = columns;
    let used = 0;
    for (let at = start; at < start + count; at += 1) {
      used += this.#sells ? most[at]! * price[at]! : most[at]!;
      if (used >= this.#amount) return price[at]!;
    }
    return price[start + count - 1]!;
  }

  /** The shadow price of the closest bound: the bound is unimodal, and closest at `from` or above. */
  #closest(from: number, first: number): number {
    let step = Math.max(from - first, from * SPREAD_MIN) / 4;
    let low = from;
    let middle = from;
    let high = from + step;
    let best = this.#bound(from);
    for (let rise = 0; rise < RISES_MAX; rise += 1) {
      const bound = this.#bound(high);
      if (bound > best) break;
      low = middle;
      middle = high;
      best = bound;
      step *= 2;
      high += step;
    }
    let one = high - GOLDEN * (high - low);
    let other = low + GOLDEN * (high - low);
    let atOne = this.#bound(one);
    let atOther = this.#bound(other);
    for (let section = 0; section < SECTIONS; section += 1) {
      if (atOne <= atOther) {
        high = other;
        other = one;
        atOther = atOne;
        one = high - GOLDEN * (high - low);
        atOne = this.#bound(one);
      } else {
        low = one;
        one = other;
        atOne = atOther;
        other = low + GOLDEN * (high - low);
        atOther = this.#bound(other);
      }
    }
    return Math.min(atOne, atOther) < best ? (atOne <= atOther ? one : other) : middle;
  }
}
