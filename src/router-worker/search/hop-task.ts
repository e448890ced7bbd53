// Hot path: one hop's orders and what is wanted of them, with the passes over the orders that do
// not depend on any listing.
import { ALONE, CANDIDATES_MAX, type HopColumns } from "./hop-columns.ts";

export const SELL = 0;
export const BUY = 1;
export type HopDirection = typeof SELL | typeof BUY;

/** A hop's orders: a block of the columns. `words` holds exact prices (see hop-columns.ts). */
export type HopOrders = {
  columns: HopColumns;
  start: number;
  count: number;
  groups: number;
  words: BigUint64Array;
};

export type HopDemand = {
  direction: HopDirection;
  /** SELL: what is paid, all of it but less than one unit's worth. BUY: what is got, exactly. */
  amount: number;
  ordersMax: number;
  /** SELL: the answer must get less than this. Infinity: no bound. */
  below: number;
  /** SELL: what gets less than this, BUY: what costs more, is of no use. 0 or Infinity: all is. */
  target: number;
  /** 0: the plain listing alone, best price first. */
  nodesMax: number;
};

/** Orders that a listing can hold at most, in any of the scratch below and elsewhere. */
export const PLACES_MAX = 32;

/** How far above the highest price a level is looked for, and how closely: guesses. */
const LEVEL_RISE_MAX = 1e6;
const LEVEL_STEPS = 12;

/** No order: none is left out. */
export const NONE_OUT = -1;

export class HopTask {
  columns!: HopColumns;
  words!: BigUint64Array;
  start = 0;
  groups = 0;
  direction: HopDirection = SELL;
  amount = 0;
  /** Places for whole orders: one less than may be listed. */
  places = 0;
  below = 0;
  target = 0;
  /** Entries that can be filled at all: the first ones; and the highest price among them. */
  candidates = 0;
  priceMax = 0;

  /** Where `findLevel` found one the last time. */
  #levelBefore = 0;
  // Entries that are worth a try as the last order, cheapest first, as far as they were asked for.
  readonly #lasts = new Int32Array(CANDIDATES_MAX);
  #lastCount = 0;
  #lastsLookedAt = 0;
  readonly #largest = new Float64Array(PLACES_MAX);
  #largestCount = 0;

  /** What `topSavings` found: the largest savings and their entries. */
  readonly top = new Float64Array(2 * PLACES_MAX);
  readonly topEntry = new Int32Array(2 * PLACES_MAX);

  /** Where levels lay for another request must change nothing. */
  forgetLevel(): void {
    this.#levelBefore = 0;
  }

  begin(orders: HopOrders, demand: HopDemand): void {
    this.columns = orders.columns;
    this.words = orders.words;
    this.start = orders.start;
    this.groups = orders.groups;
    this.direction = demand.direction;
    this.amount = demand.amount;
    this.places = Math.min(demand.ordersMax, PLACES_MAX) - 1;
    this.below = demand.below;
    this.target = demand.target;
    this.#lastCount = 0;
    this.#lastsLookedAt = 0;
    this.#largestCount = 0;
    this.candidates = this.#countCandidates(Math.min(orders.count, CANDIDATES_MAX));
    this.priceMax = this.candidates === 0 ? 0 : this.priceOf(this.candidates - 1);
  }

  /**
   * The orders that are worth a try as the last one, cheapest first; -1: no more. All, but for those
   * that are no better than some other of the cheaper ones: of as many that can take as much as there
   * are places one is left in any listing.
   */
  lastAt(at: number): number {
    while (at >= this.#lastCount) {
      if (this.#lastsLookedAt === this.candidates) return -1;
      this.#lookAtLast(this.#lastsLookedAt);
      this.#lastsLookedAt += 1;
    }
    return this.#lasts[at]!;
  }

  #lookAtLast(entry: number): void {
    const { group, price } = this.columns;
    const at = this.start + entry;
    const places = this.places + 1;
    const takes = this.mostUsedBy(entry);
    // A whole order may leave up to its price unsold, and be rounded up by a unit.
    const takesMost = this.direction === SELL ? takes + price[at]! + 1 : takes;
    // What may get so much at most does not want the cheapest last order.
    const all = this.below < Number.POSITIVE_INFINITY;
    const held = this.#largestCount;
    if (!all && held === places && takesMost <= this.#largest[held - 1]!) return;
    this.#lasts[this.#lastCount] = entry;
    this.#lastCount += 1;
    if (group[at] !== ALONE) return;
    if (held < places) this.#largestCount += 1;
    insertDescending(this.#largest, this.#largestCount, takes);
  }

  priceOf(entry: number): number {
    return this.columns.price[this.start + entry]!;
  }

  /** SELL: an order whose unit costs more than all that is paid cannot be filled. */
  #countCandidates(count: number): number {
    if (this.direction === BUY) return count;
    const price = this.columns.price;
    let low = this.start;
    let high = low + count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (price[middle]! <= this.amount) low = middle + 1;
      else high = middle;
    }
    return low - this.start;
  }

  /** What a whole fill uses up of the amount. */
  usedBy(entry: number): number {
    const at = this.start + entry;
    return this.direction === SELL ? this.columns.cost[at]! : this.columns.amount[at]!;
  }

  /** What it uses up of the amount at most, by itself; rounding apart. */
  mostUsedBy(entry: number): number {
    const { most, price } = this.columns;
    const at = this.start + entry;
    return this.direction === SELL ? most[at]! * price[at]! : most[at]!;
  }

  /** Whether an order can be filled whole and leave something for the last one. */
  canBeWhole(entry: number): boolean {
    const at = this.start + entry;
    return this.columns.most[at]! >= this.columns.amount[at]! && this.usedBy(entry) < this.amount;
  }

  /** False where even the largest orders cannot use up the amount. */
  isEnoughInAll(): boolean {
    const { most, price } = this.columns;
    const sells = this.direction === SELL;
    const slack = sells ? this.priceMax : 0;
    const places = this.places + 1;
    let held = 0;
    let used = 0;
    for (let at = this.start; at < this.start + this.candidates; at += 1) {
      // Rounding adds less than a unit to each payment.
      const absorbs = sells ? most[at]! * price[at]! + 1 : most[at]!;
      if (held < places) held += 1;
      else if (absorbs > this.top[held - 1]!) used -= this.top[held - 1]!;
      else continue;
      used += absorbs;
      insertDescending(this.top, held, absorbs);
      if (used * (1 + 2 ** -48) + slack > this.amount) return true;
    }
    return used >= this.amount;
  }

  /** The largest amounts that the places can get in all. */
  mostGotInAll(): number {
    const { most } = this.columns;
    const places = this.places + 1;
    let held = 0;
    let got = 0;
    for (let at = this.start; at < this.start + this.candidates; at += 1) {
      if (held < places) held += 1;
      else if (most[at]! > this.top[held - 1]!) got -= this.top[held - 1]!;
      else continue;
      got += most[at]!;
      insertDescending(this.top, held, most[at]!);
    }
    return got;
  }

  /**
   * The order at whose price listing what saves most changes from too little to enough: the last
   * one, were orders divisible among each other. Orders before `from` are known to be too little.
   */
  findLevel(from: number): number {
    let low = from;
    let high = this.candidates - 1;
    // A hop is solved over and over for much the same amount: its level is mostly near the last one.
    let step = 1;
    let next = Math.min(this.#levelBefore, high - 1);
    while (next >= low && next < high) {
      const isEnough = this.#isEnough(next);
      if (isEnough) high = next;
      else low = next + 1;
      next = isEnough ? next - step : next + step;
      step *= 2;
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isEnough(middle)) high = middle;
      else low = middle + 1;
    }
    this.#levelBefore = low;
    return low;
  }

  /**
   * A level at which what saves most uses up the amount: the price of the entry `last`, or more
   * where places are so short that size counts for more than price. `last` is of `findLevel`.
   */
  levelFor(last: number): number {
    const price = this.priceOf(last);
    if (last < this.candidates - 1 || this.#isEnough(last)) return price;
    const part = this.#largestPart();
    let low = price;
    let high = 2 * price;
    while (!this.#isEnoughAt(high, part)) {
      low = high;
      high *= 2;
      if (high > LEVEL_RISE_MAX * price) return price;
    }
    for (let step = 0; step < LEVEL_STEPS; step += 1) {
      const middle = (low + high) / 2;
      if (this.#isEnoughAt(middle, part)) high = middle;
      else low = middle;
    }
    return high;
  }

  /** The most that an order uses up of the amount that can only be the last one. */
  #largestPart(): number {
    let largest = 0;
    for (let entry = 0; entry < this.candidates; entry += 1) {
      if (this.canBeWhole(entry)) continue;
      const uses = this.mostUsedBy(entry);
      if (uses > largest) largest = uses;
    }
    return largest;
  }

  /**
   * Whether what saves most at a level above all prices is enough, the last order being one of
   * them or one that uses up `part`.
   */
  #isEnoughAt(level: number, part: number): boolean {
    const held = this.topSavings(level, this.places + 1, NONE_OUT);
    let used = 0;
    for (let place = 0; place < held; place += 1) {
      const uses = this.usedBy(this.topEntry[place]!);
      used += place === this.places ? Math.max(uses, part) : uses;
    }
    if (held <= this.places) used += part;
    return used >= this.amount;
  }

  /** Whether what saves most at the price of `last`, and all of `last`, use up the amount. */
  #isEnough(last: number): boolean {
    const level = this.priceOf(last);
    const held = this.topSavings(level, this.places, last);
    const most = this.columns.most[this.start + last]!;
    let used = this.direction === SELL ? most * level : most;
    for (let place = 0; place < held; place += 1) used += this.usedBy(this.topEntry[place]!);
    return used >= this.amount;
  }

  /**
   * Puts what orders save most against a price level, each filled whole, in `top`; returns how many
   * save anything, `places` at most. `out` is left out.
   */
  topSavings(level: number, places: number, out: number): number {
    const { amount, cost, most, price } = this.columns;
    let held = 0;
    for (let entry = 0; entry < this.candidates; entry += 1) {
      const at = this.start + entry;
      if (price[at]! > level) break;
      if (most[at]! < amount[at]! || entry === out) continue;
      const saving = amount[at]! * level - cost[at]!;
      if (saving > 0) held = this.#insertTop(saving, entry, held, places);
    }
    return held;
  }

  /**
   * Puts what the largest orders use up that can be filled whole in `top`; returns how many there
   * are, twice the places at most.
   */
  topUses(): number {
    let held = 0;
    for (let entry = 0; entry < this.candidates; entry += 1) {
      if (!this.canBeWhole(entry)) continue;
      held = this.#insertTop(this.usedBy(entry), entry, held, 2 * (this.places + 1));
    }
    return held;
  }

  /** Keeps the `most` largest of `top`, of which `held` are there; returns how many are. */
  #insertTop(value: number, entry: number, held: number, most: number): number {
    const { top, topEntry } = this;
    if (held === most && (most === 0 || value <= top[held - 1]!)) return held;
    const count = held < most ? held + 1 : held;
    let place = count - 1;
    while (place > 0 && top[place - 1]! < value) {
      top[place] = top[place - 1]!;
      topEntry[place] = topEntry[place - 1]!;
      place -= 1;
    }
    top[place] = value;
    topEntry[place] = entry;
    return count;
  }
}

/** What is better than a value by as little as it can be. */
export function nextBetter(direction: HopDirection, value: number): number {
  // Beyond 2^53 one unit more is the same number.
  const unit = Math.max(1, value * 2 ** -50);
  return direction === SELL ? value + unit : value - unit;
}

/** Puts `value` into the descending `values`, whose place `held - 1` is free. */
export function insertDescending(values: Float64Array, held: number, value: number): void {
  let place = held - 1;
  while (place > 0 && values[place - 1]! < value) {
    values[place] = values[place - 1]!;
    place -= 1;
  }
  values[place] = value;
}
