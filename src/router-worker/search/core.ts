// Hot path: the core of a hop (Balas and Zemel, Operations Research 28, 1980): the classes whose change
// against the relaxed solution loses no more than the optimality gap, each with its alternatives: the
// order that flips, or the maker's other choices. The largest classes come first, by powers of four; of
// a size those that lose least.
import { sortAscending } from "./hop-problem.ts";
import { ENTRIES_MAX, type HopTask } from "./hop-task.ts";
import { CHOICES_MAX } from "./maker-choices.ts";
import type { Relaxation } from "./relaxation.ts";
import { exceeds } from "./rounding.ts";

/** Alternatives of all classes: each entry and each choice is one at most. */
export const ALTERNATIVES_MAX = ENTRIES_MAX + CHOICES_MAX;

export class Core {
  /** Number of classes. */
  count = 0;

  // By place of a class.
  /** The first of its alternatives: those that lose least come first. */
  readonly from = new Int32Array(ENTRIES_MAX);
  /** Whether the place before holds an order just like it: of such the first ones change first. */
  readonly isTwin = new Uint8Array(ENTRIES_MAX);

  // By alternative.
  /** Of the first of a class: the entry, or -1 - maker; and where the class ends. */
  readonly owner = new Int32Array(ALTERNATIVES_MAX);
  readonly end = new Int32Array(ALTERNATIVES_MAX);
  /** Of a maker: the choice. */
  readonly choice = new Int32Array(ALTERNATIVES_MAX);
  /** What it loses against the relaxed solution. */
  readonly loss = new Float64Array(ALTERNATIVES_MAX);
  /** What it gets, pays and lists more, in orders. */
  readonly got = new Float64Array(ALTERNATIVES_MAX);
  readonly paid = new Float64Array(ALTERNATIVES_MAX);
  readonly size = new Int32Array(ALTERNATIVES_MAX);
  #alternatives = 0;

  // By place: of the classes from there on, each changed or not.
  /** What they can use more of the amount, slots without number. */
  readonly canAdd = new Float64Array(ENTRIES_MAX + 1);
  /** What they can use more without a further slot: another choice of a maker may take none. */
  readonly canSwap = new Float64Array(ENTRIES_MAX + 1);
  /** What one of them can use more at most with a further slot or several. */
  readonly addMost = new Float64Array(ENTRIES_MAX + 1);
  /** What they can free of the amount, and how many orders they can drop. */
  readonly canDrop = new Float64Array(ENTRIES_MAX + 1);
  readonly canEmpty = new Float64Array(ENTRIES_MAX + 1);
  readonly #sums = [this.canAdd, this.canSwap, this.addMost, this.canDrop, this.canEmpty];
  /** The least that a unit loses: used with a further slot, without one, and freed. */
  readonly addRate = new Float64Array(ENTRIES_MAX + 1);
  readonly swapRate = new Float64Array(ENTRIES_MAX + 1);
  readonly dropRate = new Float64Array(ENTRIES_MAX + 1);
  /** The least that an order loses which is dropped. */
  readonly emptyLoss = new Float64Array(ENTRIES_MAX + 1);
  readonly #rates = [this.addRate, this.swapRate, this.dropRate, this.emptyLoss];

  readonly #task: HopTask;
  readonly #relaxation: Relaxation;
  readonly #key = new Float64Array(ENTRIES_MAX);
  /** By place: what the class can give back of its maker's backing. */
  readonly #gives = new Float64Array(ENTRIES_MAX);

  constructor(task: HopTask, relaxation: Relaxation) {
    this.#task = task;
    this.#relaxation = relaxation;
  }

  /** Collects the classes that lose at most `gap`. `isIn`: the relaxed solution. */
  collect(gap: number, isIn: Uint8Array): void {
    const { candidates, groups, orders } = this.#task;
    const { amount, cost } = orders.columns;
    const { lambda, mu } = this.#relaxation;
    this.count = 0;
    this.#alternatives = 0;
    for (let entry = 0; entry < candidates; entry += 1) {
      // Most lose more, whatever the price of their maker's backing.
      if (cost[entry]! - amount[entry]! * lambda > gap - mu) continue;
      const loss = Math.abs(this.#relaxation.reducedOf(entry));
      if (loss > gap || !this.#relaxation.isClass(entry)) continue;
      const sign = isIn[entry]! === 1 ? -1 : 1;
      this.#addClass(entry);
      this.#addAlternative(loss, sign * amount[entry]!, sign * cost[entry]!, sign);
    }
    for (let maker = 0; maker < groups; maker += 1) this.#addMaker(maker, gap);
    this.#arrange();
    this.#findTwins();
    this.#sumUp();
  }

  /** Place of a class (an entry, or -1 - maker), or -1. */
  placeOf(owner: number): number {
    for (let place = 0; place < this.count; place += 1) {
      if (this.owner[this.from[place]!] === owner) return place;
    }
    return -1;
  }

  /** The maker whose backing a class draws on, or UNCONSTRAINED. */
  makerOf(place: number): number {
    const owner = this.owner[this.from[place]!]!;
    return owner < 0 ? -1 - owner : this.#task.group[owner]!;
  }

  /** Whether makers whose orders want too much can give enough of them up from a place on. */
  canRecover(from: number): boolean {
    const { budget, groupTop } = this.#task.orders.columns;
    const { choices, makerGot } = this.#relaxation;
    for (const maker of choices.priced) {
      const most = budget[groupTop[maker]!]!;
      let least = makerGot[maker]!;
      for (let place = from; least > most && place < this.count; place += 1) {
        if (this.makerOf(place) === maker) least -= this.#gives[place]!;
      }
      if (exceeds(least, most)) return false;
    }
    return true;
  }

  /** A class of which one alternative is yet to be added. */
  #addClass(owner: number): void {
    const first = this.#alternatives;
    this.owner[first] = owner;
    this.end[first] = first + 1;
    this.from[this.count] = first;
    this.count += 1;
  }

  #addAlternative(loss: number, got: number, paid: number, size: number): void {
    const at = this.#alternatives;
    this.loss[at] = loss;
    this.got[at] = got;
    this.paid[at] = paid;
    this.size[at] = size;
    this.#alternatives += 1;
  }

  /** The maker's other choices that lose at most `gap`, those that lose least first. */
  #addMaker(maker: number, gap: number): void {
    const { choices, choiceOf, bestOf } = this.#relaxation;
    const kept = choiceOf[maker]!;
    const first = this.#alternatives;
    let end = first;
    for (let choice = choices.first[maker]!; choice < choices.first[maker + 1]!; choice += 1) {
      const loss = bestOf[maker]! - this.#relaxation.choiceProfit(maker, choice);
      if (loss > gap || choice === kept) continue;
      this.loss[end] = loss;
      this.choice[end] = choice;
      end += 1;
    }
    if (end === first) return;
    sortAscending(this.loss.subarray(first, end), this.choice.subarray(first, end), end - first);
    this.#addClass(-1 - maker);
    this.end[first] = end;
    for (let at = first; at < end; at += 1) {
      const choice = this.choice[at]!;
      const got = choices.got[choice]! - choices.got[kept]!;
      const paid = choices.paid[choice]! - choices.paid[kept]!;
      this.#addAlternative(this.loss[at]!, got, paid, choices.size[choice]! - choices.size[kept]!);
    }
  }

  #arrange(): void {
    const uses = this.#task.sells ? this.paid : this.got;
    let widest = Number.MIN_VALUE;
    for (let place = 0; place < this.count; place += 1) {
      widest = Math.max(widest, this.loss[this.from[place]!]!);
    }
    for (let place = 0; place < this.count; place += 1) {
      const first = this.from[place]!;
      let most = 1;
      for (let at = first; at < this.end[first]!; at += 1) {
        most = Math.max(most, Math.abs(uses[at]!));
      }
      // Of a size by what they lose: a part of 1 at most, of 2 that a size has.
      this.#key[place] = -2 * Math.floor(Math.log2(most) / 2) + this.loss[first]! / widest;
    }
    sortAscending(this.#key, this.from, this.count);
  }

  #findTwins(): void {
    this.isTwin.fill(0, 0, this.count);
    for (let place = 1; place < this.count; place += 1) {
      const before = this.from[place - 1]!;
      const at = this.from[place]!;
      const one = this.owner[before]!;
      const other = this.owner[at]!;
      if (one < 0 || other < 0 || this.size[before] !== this.size[at]) continue;
      if (this.#task.areTwins(one, other)) this.isTwin[place] = 1;
    }
  }

  #sumUp(): void {
    const uses = this.#task.sells ? this.paid : this.got;
    for (const sums of this.#sums) sums[this.count] = 0;
    for (const rates of this.#rates) rates[this.count] = Number.POSITIVE_INFINITY;
    for (let place = this.count - 1; place >= 0; place -= 1) {
      const first = this.from[place]!;
      let add = 0;
      let swap = 0;
      let drop = 0;
      let empty = 0;
      let gives = 0;
      let addRate = this.addRate[place + 1]!;
      let swapRate = this.swapRate[place + 1]!;
      let dropRate = this.dropRate[place + 1]!;
      let emptyLoss = this.emptyLoss[place + 1]!;
      for (let at = first; at < this.end[first]!; at += 1) {
        const use = uses[at]!;
        const rate = this.loss[at]! / Math.abs(use);
        const size = this.size[at]!;
        gives = Math.max(gives, -this.got[at]!);
        if (use > 0 && size > 0) {
          add = Math.max(add, use);
          addRate = Math.min(addRate, rate);
        } else if (use > 0) {
          swap = Math.max(swap, use);
          swapRate = Math.min(swapRate, rate);
        } else if (use < 0) {
          drop = Math.max(drop, -use);
          dropRate = Math.min(dropRate, rate);
        }
        if (size < 0) {
          empty = Math.max(empty, -size);
          emptyLoss = Math.min(emptyLoss, this.loss[at]! / -size);
        }
      }
      this.#gives[place] = gives;
      this.addRate[place] = addRate;
      this.swapRate[place] = swapRate;
      this.dropRate[place] = dropRate;
      this.emptyLoss[place] = emptyLoss;
      this.canAdd[place] = this.canAdd[place + 1]! + Math.max(add, swap);
      this.canSwap[place] = this.canSwap[place + 1]! + swap;
      this.addMost[place] = Math.max(add, this.addMost[place + 1]!);
      this.canDrop[place] = this.canDrop[place + 1]! + drop;
      this.canEmpty[place] = this.canEmpty[place + 1]! + empty;
    }
  }
}
