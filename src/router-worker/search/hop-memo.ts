// Hot path: what the hops of one route gave for an amount and so many places, while ways to share
// the places are tried: many ways have the same first hops. Some nanoseconds an entry looked at.
import { PLACES_MAX, SELL } from "./hop-task.ts";
import type { RouteTrial } from "./route-trial.ts";

/** Results kept; past it the oldest make place (a guess: a route seldom has more). */
const RESULTS_MAX = 256;

export class HopMemo {
  readonly #trial: RouteTrial;
  #next = 0;
  #count = 0;

  // By result: what was asked.
  readonly #step = new Int8Array(RESULTS_MAX);
  readonly #amount = new Float64Array(RESULTS_MAX);
  readonly #places = new Int32Array(RESULTS_MAX);
  readonly #target = new Float64Array(RESULTS_MAX);
  readonly #nodes = new Int32Array(RESULTS_MAX);
  // And the answer (see HopSearch).
  readonly found = new Uint8Array(RESULTS_MAX);
  readonly complete = new Uint8Array(RESULTS_MAX);
  readonly value = new Float64Array(RESULTS_MAX);
  readonly free = new Float64Array(RESULTS_MAX);
  readonly count = new Int32Array(RESULTS_MAX);
  /** The listing of each result: `count` entries from `PLACES_MAX` times its place on. */
  readonly lists = new Int32Array(RESULTS_MAX * PLACES_MAX);

  constructor(trial: RouteTrial) {
    this.#trial = trial;
  }

  /** Another route. */
  clear(): void {
    this.#count = 0;
    this.#next = 0;
  }

  /**
   * Solves the hop of `step` unless a result says as much already. Returns the result, which stays
   * until so many others were asked for.
   */
  solve(step: number, amount: number, places: number, target: number): number {
    for (let at = 0; at < this.#count; at += 1) {
      if (this.#step[at] !== step || this.#amount[at] !== amount) continue;
      if (this.#says(at, places, target)) return at;
    }
    const trial = this.#trial;
    const at = this.#next;
    const found = trial.solveHop(step, amount, places, Number.POSITIVE_INFINITY, target);
    const { value, free, count, complete, list } = trial.searchOf(step);
    this.#next = (at + 1) % RESULTS_MAX;
    if (this.#count < RESULTS_MAX) this.#count += 1;
    this.#step[at] = step;
    this.#amount[at] = amount;
    this.#places[at] = places;
    this.#target[at] = target;
    this.#nodes[at] = trial.nodesMax;
    this.found[at] = found ? 1 : 0;
    this.complete[at] = complete ? 1 : 0;
    this.value[at] = value;
    this.free[at] = free;
    this.count[at] = found ? count : 0;
    for (let place = 0; found && place < count; place += 1) {
      this.lists[at * PLACES_MAX + place] = list[place]!;
    }
    return at;
  }

  /** Whether a result for the same amount holds for so many places and that target, too. */
  #says(at: number, places: number, target: number): boolean {
    const known = this.#target[at]!;
    const sells = this.#trial.direction === SELL;
    if (this.complete[at] === 0) {
      const isLess = sells ? target < known : target > known;
      return places === this.#places[at] && this.#nodes[at]! >= this.#trial.nodesMax && !isLess;
    }
    if (places > this.#places[at]! || places < this.count[at]!) return false;
    const value = this.value[at]!;
    // The best listing, or none that reaches what is asked for.
    if (this.found[at] === 1 && (sells ? value >= known : value <= known)) return true;
    return sells ? target >= known : target <= known;
  }
}
