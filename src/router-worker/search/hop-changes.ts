// Hot path: the orders on their own by which a listing can differ from the base, by what each loses.
import { ALONE, CANDIDATES_MAX } from "./hop-columns.ts";
import type { HopDraft } from "./hop-draft.ts";
import { type HopTask, SELL } from "./hop-task.ts";

/** Where only few changes are wanted, those that lose least. */
const FEW_CHANGES = 32;
/** And none that change less than this part of the amount. */
const SMALL_PART = 1 / 1024;

export class HopChanges {
  readonly #task: HopTask;
  readonly #draft: HopDraft;

  // The changes, the least loss first.
  count = 0;
  readonly entry = new Int32Array(CANDIDATES_MAX);
  readonly loss = new Float64Array(CANDIDATES_MAX);
  /** What the changes from i on can put in or take out, in what the direction uses up. */
  readonly canAdd = new Float64Array(CANDIDATES_MAX + 1);
  readonly canDrop = new Float64Array(CANDIDATES_MAX + 1);
  /** The most that one of them can put in. */
  readonly addMost = new Float64Array(CANDIDATES_MAX + 1);
  /** The least that one of them loses that takes one out; Infinity: none does. */
  readonly dropLoss = new Float64Array(CANDIDATES_MAX + 1);
  /** How many of them take one out. */
  readonly drops = new Int32Array(CANDIDATES_MAX + 1);
  /** False where some were left out. */
  complete = true;

  constructor(task: HopTask, draft: HopDraft) {
    this.#task = task;
    this.#draft = draft;
  }

  /** No changes: the base as it is. */
  clear(): void {
    this.complete = true;
    this.count = 0;
    this.#sumUp();
  }

  /** Collects the changes that lose at most `spare` against a level, a place costing `charge`. */
  collect(level: number, charge: number, spare: number, few: boolean): void {
    const { columns, start, candidates } = this.#task;
    const sells = this.#task.direction === SELL;
    const least = few ? this.#task.amount * SMALL_PART : 0;
    const { amount, cost, group, price } = columns;
    this.complete = true;
    this.count = 0;
    for (let entry = 0; entry < candidates; entry += 1) {
      const at = start + entry;
      // Once some were left out, nothing is said any more by what is small or loses too much: and
      // from here on all do.
      if (!this.complete) {
        const above = sells ? 1 - level / price[at]! : price[at]! - level;
        if (above * least > spare) break;
      }
      if (group[at] !== ALONE) continue;
      const saving = amount[at]! * level - cost[at]! - charge;
      const loss = saving < 0 ? -saving : saving;
      if (loss > spare || !this.#task.canBeWhole(entry)) continue;
      if (this.#task.usedBy(entry) < least) this.complete = false;
      else if (few) this.#insert(entry, loss);
      else {
        this.entry[this.count] = entry;
        this.loss[this.count] = loss;
        this.count += 1;
      }
    }
    if (!few) sortAscending(this.loss, this.entry, this.count);
    this.#sumUp();
  }

  #insert(entry: number, loss: number): void {
    if (this.count === FEW_CHANGES) {
      this.complete = false;
      if (loss >= this.loss[this.count - 1]!) return;
    } else this.count += 1;
    let place = this.count - 1;
    while (place > 0 && this.loss[place - 1]! > loss) {
      this.loss[place] = this.loss[place - 1]!;
      this.entry[place] = this.entry[place - 1]!;
      place -= 1;
    }
    this.loss[place] = loss;
    this.entry[place] = entry;
  }

  #sumUp(): void {
    this.canAdd[this.count] = 0;
    this.canDrop[this.count] = 0;
    this.addMost[this.count] = 0;
    this.dropLoss[this.count] = Number.POSITIVE_INFINITY;
    this.drops[this.count] = 0;
    for (let place = this.count - 1; place >= 0; place -= 1) {
      const entry = this.entry[place]!;
      const uses = this.#task.usedBy(entry);
      const isIn = this.#draft.isIn[entry] === 1;
      this.canAdd[place] = this.canAdd[place + 1]! + (isIn ? 0 : uses);
      const most = this.addMost[place + 1]!;
      this.addMost[place] = isIn || uses < most ? most : uses;
      this.dropLoss[place] = isIn ? this.loss[place]! : this.dropLoss[place + 1]!;
      this.canDrop[place] = this.canDrop[place + 1]! + (isIn ? uses : 0);
      this.drops[place] = this.drops[place + 1]! + (isIn ? 1 : 0);
    }
  }
}

/** Sorts both columns by `keys`, the smallest first. */
function sortAscending(keys: Float64Array, values: Int32Array, count: number): void {
  // Shell's gaps: no recursion, no allocation.
  for (let gap = gapBelow(count); gap > 0; gap = gapBelow(gap)) {
    for (let at = gap; at < count; at += 1) {
      const key = keys[at]!;
      const value = values[at]!;
      let place = at;
      while (place >= gap && keys[place - gap]! > key) {
        keys[place] = keys[place - gap]!;
        values[place] = values[place - gap]!;
        place -= gap;
      }
      keys[place] = key;
      values[place] = value;
    }
  }
}

/** Ciura's gaps, continued by 2.25. */
function gapBelow(count: number): number {
  if (count > 701) return Math.floor(count / 2.25);
  if (count > 301) return 301;
  if (count > 132) return 132;
  if (count > 57) return 57;
  if (count > 23) return 23;
  if (count > 10) return 10;
  if (count > 4) return 4;
  return count > 1 ? 1 : 0;
}
