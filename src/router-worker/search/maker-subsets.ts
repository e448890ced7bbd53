// Hot path: a maker's orders at one hop that draw on the same backing. Which of them are filled
// whole is a choice of its own: this finds the choice that saves most, and lists those that save
// nearly as much. "Saving" is against a price level, less a charge for each place in the listing.
import type { HopTask } from "./hop-task.ts";

/** Choices kept for all makers of a hop together (a guess). */
const CHOICES_MAX = 1024;
/** Orders of one maker that are looked at; its dearest are left out. */
const ORDERS_MAX_OF_MAKER = 48;

/** Steps of looking at one of the orders that are left. */
const STEPS_PER_ORDER = 1 / 32;

/** No order of the maker is the hop's last one. */
export const NO_LAST = -1;

export class MakerSubsets {
  // The choices listed: what each saves, uses up and holds.
  count = 0;
  readonly saved = new Float64Array(CHOICES_MAX);
  readonly got = new Float64Array(CHOICES_MAX);
  readonly paid = new Float64Array(CHOICES_MAX);
  readonly size = new Int32Array(CHOICES_MAX);
  /** Its entries, relative to the block: `size` of them from `from`. */
  readonly from = new Int32Array(CHOICES_MAX);
  readonly entries = new Int32Array(CHOICES_MAX * 8);
  #entriesUsed = 0;
  /** Orders that the choice `best` found holds. */
  bestSize = 0;
  /** False where choices were left out for want of space or steps. */
  complete = true;
  /** Whether a maker had more orders than are looked at: what `best` says is no bound then. */
  isCut = false;

  /** Steps of some 50 ns that one search for a maker may take; and all of them together. */
  stepsMax = 0;
  stepsLeft = 0;

  // The maker at hand: its orders that can be filled whole, the cheapest first.
  #budget = 0;
  #room = 0;
  #orders = 0;
  readonly #entry = new Int32Array(ORDERS_MAX_OF_MAKER);
  readonly #amount = new Float64Array(ORDERS_MAX_OF_MAKER);
  readonly #cost = new Float64Array(ORDERS_MAX_OF_MAKER);
  /** What one unit saves, rounding and places apart; and what a whole fill really saves. */
  readonly #gain = new Float64Array(ORDERS_MAX_OF_MAKER);
  readonly #saving = new Float64Array(ORDERS_MAX_OF_MAKER);

  // The walk.
  #last = NO_LAST;
  #lastGain = 0;
  #lastMost = 0;
  #best = 0;
  #lists = false;
  #steps = 0;
  readonly #stack = new Int32Array(ORDERS_MAX_OF_MAKER);

  clear(): void {
    this.count = 0;
    this.#entriesUsed = 0;
    this.complete = true;
  }

  /** Forgets the choices from `at` on. */
  dropFrom(at: number): void {
    if (at < this.count) this.#entriesUsed = this.from[at]!;
    this.count = at;
  }

  /** Takes up the maker of a group. */
  take(task: HopTask, group: number, level: number, charge: number): void {
    const { columns, start, candidates } = task;
    let orders = 0;
    const top = columns.groupTop[start + group]!;
    this.#budget = columns.budget[start + top]!;
    this.#room = columns.room[start + top]!;
    for (let at = top; at >= 0; at = columns.previous[start + at]!) {
      if (at >= candidates || !task.canBeWhole(at)) continue;
      if (orders === ORDERS_MAX_OF_MAKER) {
        // From dear to cheap: the dearest makes place.
        this.complete = false;
        this.isCut = true;
        this.#entry.copyWithin(0, 1, orders);
        orders -= 1;
      }
      this.#entry[orders] = at;
      orders += 1;
    }
    this.#reverseEntries(orders);
    for (let at = 0; at < orders; at += 1) {
      const entry = start + this.#entry[at]!;
      const amount = columns.amount[entry]!;
      const cost = columns.cost[entry]!;
      this.#amount[at] = amount;
      this.#cost[at] = cost;
      this.#gain[at] = level - columns.price[entry]!;
      this.#saving[at] = amount * level - cost - charge;
    }
    this.#orders = orders;
    this.lastIs(NO_LAST, 0, 0);
  }

  #reverseEntries(count: number): void {
    const entries = this.#entry;
    for (let at = 0; at < count >> 1; at += 1) {
      const other = entries[count - 1 - at]!;
      entries[count - 1 - at] = entries[at]!;
      entries[at] = other;
    }
  }

  /**
   * The hop's last order is the maker's `last`: no choice holds it, each leaves some backing for
   * it, and saves on top what it can then save. `gain` is what a unit of it saves, `most` how much
   * it can be filled with at most.
   */
  lastIs(last: number, gain: number, most: number): void {
    this.#last = last;
    this.#lastGain = gain;
    this.#lastMost = most;
  }

  /** What the best choice saves, or at least that; -Infinity: there is none. */
  best(): number {
    this.#lists = false;
    this.#best = Number.NEGATIVE_INFINITY;
    this.#walkAll();
    if (this.#steps < 0) {
      this.complete = false;
      this.#best = this.#mostOf(0, this.#budget) + Math.max(0, this.#lastGain) * this.#lastMost;
    }
    return this.#best;
  }

  /** Lists the choices that save at least `least`, and their number; after those listed before. */
  list(least: number): number {
    const before = this.count;
    this.#lists = true;
    this.#best = least;
    this.#walkAll();
    if (this.#steps < 0) this.complete = false;
    return this.count - before;
  }

  /** Lists the choice of no order; returns as `list` does. */
  listNone(): number {
    const before = this.count;
    this.#keep(0, 0, 0, 0);
    return this.count - before;
  }

  /** Leaves `#steps` below 0 where they did not reach. */
  #walkAll(): void {
    const steps = Math.min(this.stepsMax, this.stepsLeft);
    this.#steps = steps;
    this.#walk(0, 0, 0, 0, 0);
    this.stepsLeft -= steps - this.#steps;
  }

  /** The choices that hold the first `size` orders of the stack and others from `from` on. */
  #walk(from: number, size: number, saved: number, got: number, paid: number): void {
    this.#steps -= 1;
    if (this.#steps < 0) return;
    const budget = this.#budget - got;
    const total = saved + this.#lastSaving(budget, this.#room - paid);
    if (total >= this.#best) {
      if (this.#lists) this.#keep(size, total, got, paid);
      else {
        this.#best = total;
        this.bestSize = size;
      }
    }
    const lastMost = Math.max(0, this.#lastGain) * this.#lastMost;
    for (let at = from; at < this.#orders; at += 1) {
      if (this.#entry[at] === this.#last) continue;
      this.#steps -= (this.#orders - at) * STEPS_PER_ORDER;
      if (saved + this.#mostOf(at, budget) + this.#lossFrom(at) + lastMost < this.#best) return;
      if (this.#amount[at]! > budget || paid + this.#cost[at]! > this.#room) continue;
      this.#stack[size] = at;
      this.#walk(
        at + 1,
        size + 1,
        saved + this.#saving[at]!,
        got + this.#amount[at]!,
        paid + this.#cost[at]!,
      );
    }
  }

  /** An order that saves nothing may be wanted all the same: the least that one from `at` on loses. */
  #lossFrom(at: number): number {
    let least = Number.NEGATIVE_INFINITY;
    for (let order = at; order < this.#orders; order += 1) {
      const saving = this.#saving[order]!;
      if (saving >= 0) return 0;
      if (saving > least) least = saving;
    }
    return least;
  }

  /** At least what orders from `from` on can save with that much backing left. */
  #mostOf(from: number, budget: number): number {
    let left = budget;
    let divided = 0;
    let whole = 0;
    for (let at = from; at < this.#orders; at += 1) {
      const saving = this.#saving[at]!;
      if (saving > 0) whole += saving;
      const amount = this.#amount[at]! < left ? this.#amount[at]! : left;
      const gain = this.#gain[at]!;
      if (gain > 0) divided += amount * gain;
      left -= amount;
    }
    return divided < whole ? divided : whole;
  }

  #lastSaving(budget: number, room: number): number {
    if (this.#last === NO_LAST) return 0;
    if (budget < 1 || room < 1) return Number.NEGATIVE_INFINITY;
    if (this.#lastGain <= 0) return this.#lastGain;
    return this.#lastGain * (budget < this.#lastMost ? budget : this.#lastMost);
  }

  #keep(size: number, saved: number, got: number, paid: number): void {
    if (this.count === CHOICES_MAX || this.#entriesUsed + size > this.entries.length) {
      this.complete = false;
      return;
    }
    const at = this.count;
    this.saved[at] = saved;
    this.got[at] = got;
    this.paid[at] = paid;
    this.size[at] = size;
    this.from[at] = this.#entriesUsed;
    for (let place = 0; place < size; place += 1) {
      this.entries[this.#entriesUsed + place] = this.#entry[this.#stack[place]!]!;
    }
    this.#entriesUsed += size;
    this.count += 1;
  }
}
