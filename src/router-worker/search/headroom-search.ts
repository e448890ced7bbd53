// The best selection of a route on which a maker has too little headroom for what it is paid, unless it
// delivers enough of that asset at the hop before: orders may be listed there for the headroom alone,
// dear ones too. Rare, so no hot path: tries the selections of a few orders of each hop one by one.
// Numbers choose; the caller settles what is found.
import { HOPS_MAX } from "../quote.ts";
import {
  type HeadroomFlow,
  type HeadroomSelection,
  HeadroomSelections,
} from "./headroom-selections.ts";
import { type HopDirection, type HopOrders, SELL } from "./hop-problem.ts";

export type HeadroomDemand = {
  readonly direction: HopDirection;
  readonly hopCount: number;
  readonly amount: number;
  readonly ordersMax: number;
  /** Work units. */
  readonly workMax: number;
  /** What is known already: only what beats it is of use. SELL: 0, BUY: Infinity: nothing is. */
  readonly value: number;
  /** Whether a selection (the entries of each hop, in execution order) settles. */
  readonly settles: (lists: readonly (readonly number[])[]) => boolean;
};

export class HeadroomSearch {
  /** What comes out (SELL) or goes in (BUY) with the best selection found. */
  value = 0;
  /** False where the search was cut short. */
  complete = true;

  readonly #selections: readonly HeadroomSelections[] = Array.from(
    { length: HOPS_MAX },
    () => new HeadroomSelections(),
  );
  readonly #lists: (readonly number[])[] = [];
  #demand!: HeadroomDemand;

  /** Work units taken. */
  get work(): number {
    return this.#selections.reduce((sum, { work }) => sum + work, 0);
  }

  /** Hops in execution order, with no headroom but what makers have. */
  solve(hops: readonly HopOrders[], demand: HeadroomDemand): void {
    this.#demand = demand;
    this.value = demand.value;
    this.complete = true;
    for (const selections of this.#selections) selections.work = 0;
    for (let at = 0; at < demand.hopCount; at += 1) {
      this.#selections[at]!.take(hops, at, demand);
      if (this.#selections[at]!.isCut) this.complete = false;
    }
    this.#solveFrom(0, { amount: demand.amount, makers: new Map() }, demand.ordersMax);
  }

  #solveFrom(step: number, flow: HeadroomFlow, slots: number): void {
    const { direction, hopCount, workMax } = this.#demand;
    const at = direction === SELL ? step : hopCount - 1 - step;
    const stepsAfter = hopCount - 1 - step;
    const selections = this.#selections[at]!;
    if (stepsAfter === 0) {
      selections.each(flow, slots, workMax - this.work, this.value, (found) =>
        this.#end(at, found),
      );
      if (this.work > workMax) this.complete = false;
      return;
    }
    const found: HeadroomSelection[] = [];
    const worst = direction === SELL ? 0 : Number.POSITIVE_INFINITY;
    selections.each(flow, slots - stepsAfter, workMax - this.work, worst, (one) => {
      found.push(one);
      return worst;
    });
    if (this.work > workMax) this.complete = false;
    const sign = direction === SELL ? -1 : 1;
    found.sort((one, other) => sign * (one.value - other.value));
    for (const selection of found) {
      if (this.work > workMax) {
        this.complete = false;
        return;
      }
      this.#lists[at] = selection.entries;
      const next = { amount: selection.value, makers: selection.makers };
      this.#solveFrom(step + 1, next, slots - selection.entries.length);
    }
  }

  /** Takes the selection of the last step; returns what is to be beaten from now on. */
  #end(at: number, { value, entries }: HeadroomSelection): number {
    this.#lists[at] = entries;
    if (this.#demand.settles(this.#lists.slice(0, this.#demand.hopCount))) this.value = value;
    return this.value;
  }
}
