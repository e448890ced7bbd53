// Hot path: a hop's plain listing: best price first, each order as far as it goes. Some 10 ns an
// order it looks at.
import { ALONE, CANDIDATES_MAX } from "./hop-columns.ts";
import type { HopDraft } from "./hop-draft.ts";
import { BUY, type HopTask, SELL } from "./hop-task.ts";

export class PlainListing {
  readonly #task: HopTask;
  readonly #draft: HopDraft;
  /** By group: what its maker has left. */
  readonly #budgetLeft = new Float64Array(CANDIDATES_MAX);
  readonly #roomLeft = new Float64Array(CANDIDATES_MAX);
  /** What the base gets and pays. */
  #got = 0;
  #paid = 0;

  constructor(task: HopTask, draft: HopDraft) {
    this.#task = task;
    this.#draft = draft;
  }

  /**
   * Drafts it. Returns the entry filled last, or -1 - n where the entry n found no place, or, n
   * being 0, the amount was not used up.
   */
  list(): number {
    const draft = this.#draft;
    const { candidates, places } = this.#task;
    this.#begin();
    for (let entry = 0; entry < candidates; entry += 1) {
      this.#take(entry);
      if (this.#complete() && this.#isUsedUp(entry)) return entry;
      if (!draft.fitsWhole(this.#got, this.#paid)) continue;
      if (draft.baseCount === places) return -1 - entry;
      this.#keep(entry);
    }
    return -1;
  }

  /** Drafts the largest orders that go into the amount, and the cheapest one that takes the rest. */
  listLargest(): void {
    const draft = this.#draft;
    const { candidates, places, topEntry } = this.#task;
    this.#begin();
    const held = this.#task.topUses();
    for (let place = 0; place < held && draft.baseCount < places; place += 1) {
      const entry = topEntry[place]!;
      this.#take(entry);
      if (draft.fitsWhole(this.#got, this.#paid)) this.#keep(entry);
    }
    for (let entry = 0; entry < candidates && !draft.found; entry += 1) {
      if (draft.isIn[entry] === 1) continue;
      this.#take(entry);
      this.#complete();
    }
  }

  #begin(): void {
    const { groups } = this.#task;
    for (let at = 0; at < groups; at += 1) this.#budgetLeft[at] = -1;
    this.#got = 0;
    this.#paid = 0;
  }

  /** Whether the base and the last order settle. */
  #complete(): boolean {
    return this.#draft.complete(this.#got, this.#paid, this.#draft.baseCount);
  }

  /** Makes `entry` the last order, with what its maker has left beside the base. */
  #take(entry: number): void {
    this.#draft.setLast(entry);
    const maker = this.#draft.lastGroup;
    if (maker !== ALONE) this.#lendToLast(maker);
  }

  /** Puts the last order into the base. */
  #keep(entry: number): void {
    const { columns, start } = this.#task;
    const amount = columns.amount[start + entry]!;
    const cost = columns.cost[start + entry]!;
    const maker = this.#draft.lastGroup;
    if (maker !== ALONE) {
      this.#budgetLeft[maker]! -= amount;
      this.#roomLeft[maker]! -= cost;
    }
    this.#draft.addToBase(entry);
    this.#got += amount;
    this.#paid += cost;
  }

  /** All at the best price there is, and a part of one order: nothing can be better. */
  isBest(last: number): boolean {
    const { columns, start, direction, amount } = this.#task;
    if (last !== 0 || !this.#draft.found) return false;
    // A whole order may have been rounded up to the amount.
    return direction === BUY || amount < columns.cost[start]!;
  }

  /** The last order has what its maker's cheaper ones have left. */
  #lendToLast(maker: number): void {
    const draft = this.#draft;
    if (this.#budgetLeft[maker] === -1) {
      this.#budgetLeft[maker] = draft.lastBudget;
      this.#roomLeft[maker] = draft.lastRoom;
    }
    draft.lastBudget = this.#budgetLeft[maker]!;
    draft.lastRoom = this.#roomLeft[maker]!;
  }

  /** Whether filling `entry` on top leaves nothing for another order. */
  #isUsedUp(entry: number): boolean {
    const { direction, amount } = this.#task;
    return amount - (direction === SELL ? this.#paid : this.#got) <= this.#task.usedBy(entry);
  }
}
