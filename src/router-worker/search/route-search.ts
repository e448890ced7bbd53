// Hot path: the best listing of one route: which orders of each hop, the cap on orders being
// shared by the hops. Numbers only; the caller settles the answer in integers.
//
// Getting one unit more of a hop never costs less, so a route's hops are solved one after the
// other: from the first hop on when selling, from the last one back when buying. Where they want
// more orders than the cap allows, crowded-search.ts shares the places. Selling has one exception:
// what a hop is paid must be used up, so a hop that cannot use up what the one before it gives best
// may do with less. Then smaller outputs of that hop are tried, the largest first.
import { ORDERS_MAX } from "../quote.ts";
import { CrowdedSearch } from "./crowded-search.ts";
import { HopCapacity } from "./hop-capacity.ts";
import { FEW_NODES } from "./hop-search.ts";
import { type HopOrders, SELL } from "./hop-task.ts";
import { type RouteDemand, RouteTrial } from "./route-trial.ts";

/** Smaller outputs of one hop that are tried where the next hop cannot use up the best one. */
const OUTPUTS_TRIED_MAX = 256;
/** Search nodes for one hop: at first, and in the rounds there is work for. */
const NODES_FIRST = FEW_NODES;
const NODES_BY_ROUND: readonly number[] = [512, 4096, 1 << 16];

export class RouteSearch {
  readonly #trial = new RouteTrial();
  readonly #crowded = new CrowdedSearch(this.#trial);
  readonly #capacity = new HopCapacity();
  #nodesOfRound = 0;
  /** What is known to be out of reach: no listing gets more, or costs less. */
  #bound = 0;

  /** To be filled by the caller, in execution order. */
  get hops(): readonly HopOrders[] {
    return this.#trial.hops;
  }

  // The answer.
  /** SELL: what comes out; BUY: what goes in. */
  get value(): number {
    return this.#trial.value;
  }

  /** Entries of each hop in listing order, relative to its block: the first `counts[hop]`. */
  get lists(): readonly Int32Array[] {
    return this.#trial.lists;
  }

  get counts(): Int32Array {
    return this.#trial.counts;
  }

  /** False where a better listing may exist: the search was cut short. */
  get complete(): boolean {
    return this.#trial.complete;
  }

  /** What the search took, in steps of some 50 ns. */
  get work(): number {
    return this.#trial.work;
  }

  /** To be called for another request: what was asked before changes no answer. */
  beginRequest(): void {
    this.#trial.beginRequest();
  }

  /** False where no listing was found that settles. */
  solve(demand: RouteDemand): boolean {
    const trial = this.#trial;
    trial.begin(demand);
    if (trial.ordersMax < demand.hopCount) return false;
    if (!this.#capacity.hasPlaces(trial.hops, demand)) return false;
    const isCrowded = this.#isCrowded();
    trial.nodesMax = NODES_FIRST;
    trial.complete = true;
    const first = isCrowded ? CROWDED : this.#solveAlone();
    if (first === NEVER) return false;
    if (first === SETTLED) return true;
    if (first === CROWDED) {
      trial.complete = this.#crowded.solve(Math.max(demand.workMax, trial.work + demand.firstWork));
      if (trial.complete) return trial.found;
    }
    this.#improveInRounds();
    return trial.found;
  }

  /** A hop that is hard to be sure of leaves work for the others: each has little of it at first. */
  #improveInRounds(): void {
    const trial = this.#trial;
    trial.complete = false;
    for (const nodes of NODES_BY_ROUND) {
      if (trial.complete || trial.work >= trial.workMax) return;
      trial.complete = true;
      this.#nodesOfRound = nodes;
      this.#improve(0, trial.amount, trial.ordersMax);
    }
  }

  /** Whether the hops want more orders, best price first, than the cap allows. */
  #isCrowded(): boolean {
    const trial = this.#trial;
    this.#bound = trial.unknown;
    if (trial.hopCount === 1) return false;
    trial.nodesMax = 0;
    let flow = trial.amount;
    let orders = 0;
    for (let step = 0; step < trial.hopCount; step += 1) {
      if (!trial.solveHop(step, flow, ORDERS_MAX, Number.POSITIVE_INFINITY)) break;
      flow = trial.searchOf(step).value;
      orders += trial.searchOf(step).count;
      if (step === trial.hopCount - 1 && orders > trial.ordersMax) return true;
    }
    return false;
  }

  /** Each hop with as many orders as there could be for it. */
  #solveAlone(): First {
    const trial = this.#trial;
    const most = trial.ordersMax - trial.hopCount + 1;
    const sells = trial.direction === SELL;
    let flow = trial.amount;
    let orders = 0;
    let isOpen = false;
    for (let step = 0; step < trial.hopCount; step += 1) {
      const found = trial.solveHop(step, flow, most, Number.POSITIVE_INFINITY);
      const search = trial.searchOf(step);
      if (!found) {
        if (!sells || step === 0) return search.complete ? NEVER : OPEN;
        this.#bound = Number.POSITIVE_INFINITY;
        return OPEN;
      }
      if (sells && step > 0 && search.free > search.value) isOpen = true;
      trial.keepStep(step);
      flow = search.value;
      orders += search.count;
    }
    this.#bound = isOpen || !trial.complete ? trial.unknown : flow;
    if (orders > trial.ordersMax) return CROWDED;
    trial.keepAnswer(flow);
    return isOpen || !trial.complete ? OPEN : SETTLED;
  }

  /**
   * Tries every way to share `orders` from `step` on that may beat the answer. Returns at least what
   * `flow` could give with them (or SELL: any smaller amount), or no better than the answer.
   */
  #improve(step: number, flow: number, orders: number): number {
    const trial = this.#trial;
    const search = trial.searchOf(step);
    const stepsAfter = trial.hopCount - 1 - step;
    const sells = trial.direction === SELL;
    let bound = sells ? 0 : Number.POSITIVE_INFINITY;
    for (let most = orders - stepsAfter; most >= 1; most -= 1) {
      let below = this.#usableBelow(step, orders - 1);
      let largest = 0;
      for (let tried = 0; tried < OUTPUTS_TRIED_MAX; tried += 1) {
        if (trial.work > trial.workMax) {
          trial.complete = false;
          return trial.unknown;
        }
        trial.nodesMax = Math.min(this.#nodesOfRound, trial.workMax - trial.work + NODES_FIRST);
        const found = trial.solveHop(step, flow, most, below);
        const { value, count, free } = search;
        if (sells && tried === 0 && (!found || free > value)) {
          bound = stepsAfter === 0 ? Math.max(bound, free) : Number.POSITIVE_INFINITY;
        }
        if (!found) break;
        if (count > largest) largest = count;
        trial.keepStep(step);
        if (stepsAfter === 0) {
          if (trial.isBetter(value)) trial.keepAnswer(value);
          return sells ? Math.max(bound, value) : value;
        }
        if (!trial.isBetter(this.#boundAfter(step, value, trial.ordersMax - trial.hopCount + 1))) {
          // Fewer orders here give no more, so no fewer can help either.
          if (tried === 0) return bound;
          break;
        }
        const left = orders - count;
        if (!trial.isBetter(this.#boundAfter(step, value, left - stepsAfter + 1))) break;
        const rest = this.#improve(step + 1, value, left);
        if (sells ? rest > bound : rest < bound) bound = rest;
        // SELL: paying the rest of the route less cannot get more. BUY: nor can wanting more.
        if (!sells || !trial.isBetter(rest)) break;
        below = value;
      }
      if (trial.value === this.#bound) return bound;
      // With any number of places that all of these fit into they would be found again.
      if (largest > 0) most = Math.min(most, largest);
    }
    return bound;
  }

  /** What a hop gives must be less than this for the next hop to use it up. */
  #usableBelow(step: number, orders: number): number {
    const trial = this.#trial;
    const stepsAfter = trial.hopCount - 1 - step;
    if (trial.direction !== SELL || stepsAfter === 0) return Number.POSITIVE_INFINITY;
    return this.#capacity.mostPaid(trial.hops[step + 1]!, orders - stepsAfter + 1) + 1;
  }

  /** What `flow` gives at best after `step`, each hop having `orders` for itself. */
  #boundAfter(step: number, flow: number, orders: number): number {
    const trial = this.#trial;
    const sells = trial.direction === SELL;
    let bound = flow;
    for (let next = step + 1; next < trial.hopCount; next += 1) {
      const found = trial.solveHop(next, bound, orders, Number.POSITIVE_INFINITY);
      const search = trial.searchOf(next);
      if (sells) bound = search.complete ? search.free : Number.POSITIVE_INFINITY;
      else if (search.complete) bound = found ? search.value : Number.POSITIVE_INFINITY;
      else return 0;
    }
    return bound;
  }
}

/** What solving each hop alone came to. */
const NEVER = 0;
/** The best listing there is. */
const SETTLED = 1;
/** It wants more orders than the cap allows. */
const CROWDED = 2;
/** A better listing may exist. */
const OPEN = 3;
type First = typeof NEVER | typeof SETTLED | typeof CROWDED | typeof OPEN;
