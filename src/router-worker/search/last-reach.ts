// Hot path: what a hop's last order can still come to while the whole orders change: whether it can
// take what they leave, and what it adds at most. Some nanoseconds a call; both only ever promise
// too much.
import type { HopChanges } from "./hop-changes.ts";
import type { HopDraft } from "./hop-draft.ts";
import { BUY, type HopTask, SELL } from "./hop-task.ts";

/** Relative room for the rounding of some products. */
const MARGIN = 2 ** -48;

export class LastReach {
  readonly #task: HopTask;
  readonly #draft: HopDraft;
  readonly #changes: HopChanges;

  /** The price level that orders save against; to be set before use. */
  level = 0;
  /** By how much a unit of the last order saves, if it does, and its units at most. */
  #gain = 0;
  #units = 0;

  constructor(task: HopTask, draft: HopDraft, changes: HopChanges) {
    this.#task = task;
    this.#draft = draft;
    this.#changes = changes;
  }

  /** Takes up the draft's last order, with what its maker has left for it. */
  measure(): void {
    const { direction, amount } = this.#task;
    const { last, lastMost, lastBudget, isLastAlone } = this.#draft;
    const price = this.#task.priceOf(last);
    const wanted = direction === SELL ? amount / price : amount;
    this.#gain = Math.max(0, this.level - price);
    this.#units = isLastAlone ? Math.min(lastMost, wanted) : Math.min(lastMost, lastBudget);
  }

  /**
   * At most what listings save that change more from `from` on: those with too many orders take
   * some out, and what the last order adds is no more than what can be left to it. `saved` counts
   * all that the last order could add. After `measure`.
   */
  most(from: number, saved: number, used: number, orders: number): number {
    const { direction, amount, places } = this.#task;
    const changes = this.#changes;
    const over = orders - places;
    const most = over > 0 ? saved - over * changes.dropLoss[from]! : saved;
    if (this.#gain === 0) return most;
    const left = amount - used + changes.canDrop[from]!;
    const units = direction === SELL ? left / this.#task.priceOf(this.#draft.last) : left;
    if (units >= this.#units) return most;
    return most - this.#gain * (this.#units - units) * (1 - MARGIN);
  }

  /**
   * Whether the last order can take what is left once `least` to `most` of the amount is used up
   * by `orders` orders at least, and changes from `from` on are made. Notes what a smaller amount
   * could get where it cannot.
   */
  canFit(least: number, most: number, from: number, orders: number, saved: number): boolean {
    const { direction, amount, places, priceMax } = this.#task;
    const draft = this.#draft;
    const changes = this.#changes;
    const usedLeast = least - changes.canDrop[from]!;
    const canAdd = (places - orders + changes.drops[from]!) * changes.addMost[from]!;
    const usedMost = most + Math.min(canAdd, changes.canAdd[from]!);
    if (direction === BUY) return amount - usedLeast >= 1 && amount - usedMost <= draft.lastMost;
    const price = this.#task.priceOf(draft.last);
    if (amount - usedLeast < price * (1 - MARGIN)) return false;
    const usable = (usedMost + draft.lastMost * price + 1) * (1 + MARGIN);
    if (amount - usable < priceMax) return true;
    // Nothing here settles, but a smaller amount might.
    const free = Math.floor((usable + saved) / this.level);
    if (free > draft.free) draft.free = free;
    return false;
  }
}
