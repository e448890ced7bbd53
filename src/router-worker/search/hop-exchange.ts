// Local search of one hop where branch and bound is cut short: replaces, adds or drops one order of the
// incumbent, in exact amounts, while that makes it better.
import type { HopSelection } from "./hop-selection.ts";
import type { HopTask } from "./hop-task.ts";

/** Exchanges of single orders in a row (guess: it seldom takes more than three). */
const EXCHANGES_MAX = 16;
/** Entries passed over that take as long as a node. */
const NODE_ENTRIES = 8;

export class HopExchange {
  /** What it took, in work units. */
  work = 0;
  readonly #task: HopTask;
  readonly #selection: HopSelection;
  /** The selection that is changed. */
  readonly #from = new Int32Array(64);

  constructor(task: HopTask, selection: HopSelection) {
    this.#task = task;
    this.#selection = selection;
  }

  /** Leaves no order of the selection in. */
  improve(): void {
    const selection = this.#selection;
    for (let round = 0; round < EXCHANGES_MAX && selection.found; round += 1) {
      const count = selection.count;
      this.#from.set(selection.list.subarray(0, count));
      const { value, exactValue } = selection;
      for (let at = -1; at < count; at += 1) {
        this.work += this.#task.candidates / NODE_ENTRIES;
        if (this.#exchange(count, at)) break;
      }
      if (selection.value === value && selection.exactValue === exactValue) break;
    }
    selection.clear();
  }

  /** Tries each order in the place of the one at `leaving`, -1: none; ends with a better one. */
  #exchange(count: number, leaving: number): boolean {
    const { columns, start } = this.#task.orders;
    const { amount, cost } = columns;
    const { isIn } = this.#selection;
    const from = this.#from;
    const last = from[count - 1]!;
    const isBreakOut = leaving === count - 1;
    this.#selection.clear();
    let [got, paid, whole] = [0, 0, 0];
    for (let place = 0; place < count - 1; place += 1) {
      if (place === leaving) continue;
      isIn[from[place]!] = 1;
      got += amount[start + from[place]!]!;
      paid += cost[start + from[place]!]!;
      whole += 1;
    }
    if (!isBreakOut && leaving >= 0 && this.#complete(last, got, paid, whole)) return true;
    for (let place = 0; isBreakOut && place < count - 1; place += 1) {
      const entry = from[place]!;
      const at = start + entry;
      isIn[entry] = 0;
      if (this.#complete(entry, got - amount[at]!, paid - cost[at]!, whole - 1)) return true;
      isIn[entry] = 1;
    }
    for (let entry = 0; entry < this.#task.candidates; entry += 1) {
      if (entry === last || isIn[entry] === 1) continue;
      if (leaving >= 0 && entry === from[leaving]) continue;
      if (isBreakOut) {
        if (this.#complete(entry, got, paid, whole)) return true;
        continue;
      }
      if (this.#completeBeside(last, entry, got, paid, whole)) return true;
      if (this.#completeBeside(entry, last, got, paid, whole)) return true;
    }
    return false;
  }

  /** Completes with `last`, beside a further whole order. */
  #completeBeside(last: number, entry: number, got: number, paid: number, whole: number): boolean {
    if (whole + 1 > this.#task.demand.slots - 1 || this.#task.canBeWhole[entry] === 0) return false;
    const { columns, start } = this.#task.orders;
    const at = start + entry;
    const { amount, cost } = columns;
    const { isIn } = this.#selection;
    const left = this.#task.leftFor(entry, isIn);
    if (left.budget < amount[at]! || left.headroom < cost[at]!) return false;
    isIn[entry] = 1;
    if (this.#complete(last, got + amount[at]!, paid + cost[at]!, whole + 1)) return true;
    isIn[entry] = 0;
    return false;
  }

  #complete(last: number, got: number, paid: number, whole: number): boolean {
    if (whole > this.#task.demand.slots - 1) return false;
    const { columns, start } = this.#task.orders;
    const { budget, headroom } = this.#task.leftFor(last, this.#selection.isIn);
    const most = Math.min(columns.most[start + last]!, budget);
    return this.#selection.complete(last, most, headroom, got, paid, whole);
  }
}
