// Hot path: the core of a hop (Balas and Zemel, Operations Research 28, 1980): the classes whose change
// against the relaxed solution loses no more than the optimality gap, each with its alternatives: the
// order that flips, or the maker's other choices. The largest classes come first, by powers of four; of
// a size those that lose least.
import { sortAscending } from "./hop-problem.ts";
import { exceeds } from "./hop-selection.ts";
import { ENTRIES_MAX, type HopTask } from "./hop-task.ts";
import { CHOICES_MAX } from "./maker-choices.ts";
import type { Relaxation } from "./relaxation.ts";

/** Alternatives of all classes: each entry and each choice is one at most. */
export const ALTERNATIVES_MAX = ENTRIES_MAX + CHOICES_MAX;

export class Core {
  /** Number of classes. */
  count = 0;

  // By place of a class.
  /** The entry, or -1 - maker. */
  readonly owner = new Int32Array(ENTRIES_MAX);
  /** The first of its alternatives. */
  readonly from = new Int32Array(ENTRIES_MAX);
  /** How many alternatives it has. */
  readonly size = new Int32Array(ENTRIES_MAX);
  /** What the best of them loses. */
  readonly loss = new Float64Array(ENTRIES_MAX);
  /** The first place of the next smaller size. */
  readonly nextSize = new Int32Array(ENTRIES_MAX);
  /** Whether the place before holds an order just like it: of such the first ones change first. */
  readonly isTwin = new Uint8Array(ENTRIES_MAX);

  // By place: of the classes from there on, each changed or not.
  /** What they can use more of the amount, slots without number. */
  readonly canAdd = new Float64Array(ENTRIES_MAX + 1);
  /** What they can use more without a further slot: another choice of a maker may take none. */
  readonly canSwap = new Float64Array(ENTRIES_MAX + 1);
  /** What one of them can use more at most with a further slot or several. */
  readonly addMost = new Float64Array(ENTRIES_MAX + 1);
  /** What they can free of the amount. */
  readonly canDrop = new Float64Array(ENTRIES_MAX + 1);
  /** How many orders they can drop. */
  readonly canEmpty = new Int32Array(ENTRIES_MAX + 1);
  /** The least that a unit loses which is used without a further slot. */
  readonly swapRate = new Float64Array(ENTRIES_MAX + 1);
  /** The least that a unit loses which is used with one. */
  readonly addRate = new Float64Array(ENTRIES_MAX + 1);
  /** The least that a unit loses which is freed. */
  readonly dropRate = new Float64Array(ENTRIES_MAX + 1);
  /** The least that an order loses which is dropped. */
  readonly emptyLoss = new Float64Array(ENTRIES_MAX + 1);

  // By alternative.
  /** Of a maker: the choice. */
  readonly altChoice = new Int32Array(ALTERNATIVES_MAX);
  /** What it loses against the relaxed solution. */
  readonly altLoss = new Float64Array(ALTERNATIVES_MAX);
  /** What it gets more. */
  readonly altGot = new Float64Array(ALTERNATIVES_MAX);
  /** What it pays more. */
  readonly altPaid = new Float64Array(ALTERNATIVES_MAX);
  /** How many orders it has more. */
  readonly altSize = new Int32Array(ALTERNATIVES_MAX);
  #alternatives = 0;

  readonly #task: HopTask;
  readonly #relaxation: Relaxation;
  readonly #key = new Float64Array(ENTRIES_MAX);
  /** Before the sort: by class. */
  readonly #id = new Int32Array(ENTRIES_MAX);
  readonly #owner = new Int32Array(ENTRIES_MAX);
  readonly #from = new Int32Array(ENTRIES_MAX);
  readonly #size = new Int32Array(ENTRIES_MAX);
  readonly #loss = new Float64Array(ENTRIES_MAX);
  /** By place and maker whose backing is priced: what its orders from there on can give back. */
  #giveBack = new Float64Array(1024);

  constructor(task: HopTask, relaxation: Relaxation) {
    this.#task = task;
    this.#relaxation = relaxation;
  }

  /** Collects the classes that lose at most `gap`. `isIn`: the relaxed solution. */
  collect(gap: number, isIn: Uint8Array): void {
    const { candidates, orders } = this.#task;
    const { reduced } = this.#relaxation;
    this.count = 0;
    this.#alternatives = 0;
    for (let entry = 0; entry < candidates; entry += 1) {
      const loss = Math.abs(reduced[entry]!);
      if (loss > gap || !this.#relaxation.isClass(entry)) continue;
      this.#addEntry(entry, loss, isIn[entry]! === 1);
    }
    for (let maker = 0; maker < orders.groups; maker += 1) this.#addMaker(maker, gap);
    this.#arrange(gap);
    this.#findTwins();
    this.#sumUp();
  }

  /** Place of a class (an entry, or -1 - maker), or -1. */
  placeOf(owner: number): number {
    for (let place = 0; place < this.count; place += 1) {
      if (this.owner[place] === owner) return place;
    }
    return -1;
  }

  /** Whether makers whose orders want too much can give enough of them up from a place on. */
  canRecover(from: number): boolean {
    const { columns } = this.#task.orders;
    const { choices, makerGot } = this.#relaxation;
    const { priced } = choices;
    for (let at = 0; at < priced.length; at += 1) {
      const maker = priced[at]!;
      const budget = columns.budget[columns.groupTop[maker]!]!;
      const least = makerGot[maker]! - this.#giveBack[from * priced.length + at]!;
      if (exceeds(least, budget)) return false;
    }
    return true;
  }

  #addEntry(entry: number, loss: number, isIn: boolean): void {
    const { columns } = this.#task.orders;
    const alternative = this.#alternatives;
    const sign = isIn ? -1 : 1;
    this.#alternatives += 1;
    this.altLoss[alternative] = loss;
    this.altGot[alternative] = sign * columns.amount[entry]!;
    this.altPaid[alternative] = sign * columns.cost[entry]!;
    this.altSize[alternative] = sign;
    this.#addClass(entry, alternative, 1, loss);
  }

  #addClass(owner: number, from: number, size: number, loss: number): void {
    const at = this.count;
    this.#owner[at] = owner;
    this.#from[at] = from;
    this.#size[at] = size;
    this.#loss[at] = loss;
    this.count += 1;
  }

  /** The maker's other choices that lose at most `gap`, those that lose least first. */
  #addMaker(maker: number, gap: number): void {
    const { choices, choiceOf, bestOf } = this.#relaxation;
    const kept = choiceOf[maker]!;
    const best = bestOf[maker]!;
    const first = this.#alternatives;
    for (let choice = choices.first[maker]!; choice < choices.first[maker + 1]!; choice += 1) {
      const loss = best - this.#relaxation.choiceProfit(maker, choice);
      if (loss > gap || choice === kept) continue;
      this.altChoice[this.#alternatives] = choice;
      this.altLoss[this.#alternatives] = loss;
      this.#alternatives += 1;
    }
    const end = this.#alternatives;
    if (end === first) return;
    sortAscending(
      this.altLoss.subarray(first, end),
      this.altChoice.subarray(first, end),
      end - first,
    );
    for (let at = first; at < end; at += 1) {
      const choice = this.altChoice[at]!;
      this.altGot[at] = choices.got[choice]! - choices.got[kept]!;
      this.altPaid[at] = choices.paid[choice]! - choices.paid[kept]!;
      this.altSize[at] = choices.size[choice]! - choices.size[kept]!;
    }
    this.#addClass(-1 - maker, first, end - first, this.altLoss[first]!);
  }

  #arrange(gap: number): void {
    const uses = this.#task.sells ? this.altPaid : this.altGot;
    let widest = gap;
    if (gap === Number.POSITIVE_INFINITY) {
      widest = 0;
      for (let id = 0; id < this.count; id += 1) widest = Math.max(widest, this.#loss[id]!);
    }
    for (let id = 0; id < this.count; id += 1) {
      let most = 1;
      const first = this.#from[id]!;
      for (let at = first; at < first + this.#size[id]!; at += 1) {
        most = Math.max(most, Math.abs(uses[at]!));
      }
      this.#id[id] = id;
      // Of a size by what they lose, whatever the gap: a part of 1 at most, of 2 that a size has.
      const part = widest > 0 ? this.#loss[id]! / widest : 0;
      this.#key[id] = -2 * Math.floor(Math.log2(most) / 2) + part;
    }
    sortAscending(this.#key, this.#id, this.count);
    let end = this.count;
    for (let place = end - 1; place >= 0; place -= 1) {
      const id = this.#id[place]!;
      this.owner[place] = this.#owner[id]!;
      this.from[place] = this.#from[id]!;
      this.size[place] = this.#size[id]!;
      this.loss[place] = this.#loss[id]!;
      const size = Math.floor(this.#key[place]! / 2);
      if (place + 1 < this.count && size !== Math.floor(this.#key[place + 1]! / 2)) end = place + 1;
      this.nextSize[place] = end;
    }
  }

  #findTwins(): void {
    for (let place = 0; place < this.count; place += 1) {
      const [one, other] = [this.owner[place - 1] ?? -1, this.owner[place]!];
      const isAlike = place > 0 && one >= 0 && other >= 0 && this.#task.areTwins(one, other);
      const isSameWay = this.altSize[this.from[place - 1]!] === this.altSize[this.from[place]!];
      this.isTwin[place] = isAlike && isSameWay ? 1 : 0;
    }
  }

  #sumUp(): void {
    const end = this.count;
    this.canAdd[end] = 0;
    this.canSwap[end] = 0;
    this.addMost[end] = 0;
    this.canDrop[end] = 0;
    this.canEmpty[end] = 0;
    this.swapRate[end] = Number.POSITIVE_INFINITY;
    this.addRate[end] = Number.POSITIVE_INFINITY;
    this.dropRate[end] = Number.POSITIVE_INFINITY;
    this.emptyLoss[end] = Number.POSITIVE_INFINITY;
    const uses = this.#task.sells ? this.altPaid : this.altGot;
    for (let place = end - 1; place >= 0; place -= 1) {
      const first = this.from[place]!;
      let [add, swap, drop, empty] = [0, 0, 0, 0];
      let swapRate = this.swapRate[place + 1]!;
      let addRate = this.addRate[place + 1]!;
      let dropRate = this.dropRate[place + 1]!;
      let emptyLoss = this.emptyLoss[place + 1]!;
      for (let at = first; at < first + this.size[place]!; at += 1) {
        const use = uses[at]!;
        const loss = this.altLoss[at]!;
        const size = this.altSize[at]!;
        if (size > 0 && use > add) add = use;
        if (size <= 0 && use > swap) swap = use;
        if (-use > drop) drop = -use;
        if (-size > empty) empty = -size;
        if (size > 0 && use > 0 && loss / use < addRate) addRate = loss / use;
        if (size <= 0 && use > 0 && loss / use < swapRate) swapRate = loss / use;
        if (use < 0 && loss / -use < dropRate) dropRate = loss / -use;
        if (size < 0 && loss / -size < emptyLoss) emptyLoss = loss / -size;
      }
      this.swapRate[place] = swapRate;
      this.addRate[place] = addRate;
      this.dropRate[place] = dropRate;
      this.emptyLoss[place] = emptyLoss;
      this.canAdd[place] = this.canAdd[place + 1]! + Math.max(add, swap);
      this.canSwap[place] = this.canSwap[place + 1]! + swap;
      this.addMost[place] = Math.max(add, this.addMost[place + 1]!);
      this.canDrop[place] = this.canDrop[place + 1]! + drop;
      this.canEmpty[place] = this.canEmpty[place + 1]! + empty;
    }
    if (this.#relaxation.choices.priced.length > 0) this.#sumUpPriced();
  }

  #sumUpPriced(): void {
    const { priced } = this.#relaxation.choices;
    const pricedCount = priced.length;
    const end = this.count;
    if (this.#giveBack.length < (end + 1) * pricedCount) {
      this.#giveBack = new Float64Array(2 * (end + 1) * pricedCount);
    }
    this.#giveBack.fill(0, end * pricedCount, (end + 1) * pricedCount);
    const { columns } = this.#task.orders;
    for (let place = end - 1; place >= 0; place -= 1) {
      const owner = this.owner[place]!;
      const maker = owner < 0 ? -1 - owner : columns.group[owner]!;
      const first = this.from[place]!;
      let gives = 0;
      for (let at = first; at < first + this.size[place]!; at += 1) {
        gives = Math.max(gives, -this.altGot[at]!);
      }
      for (let at = 0; at < pricedCount; at += 1) {
        const own = priced[at] === maker ? gives : 0;
        this.#giveBack[place * pricedCount + at] =
          this.#giveBack[(place + 1) * pricedCount + at]! + own;
      }
    }
  }
}
