// Hot path: the best listing of one route: which orders of each hop, the cap on orders being
// shared by the hops. Numbers only; the caller settles the answer in integers.
//
// Getting one unit more of a hop never costs less, so a route's hops can be solved one after the
// other for each way to share the orders. Selling has one exception: what a hop is paid must be
// used up, so a hop that cannot use up what the one before it gives best may do with less. Then
// the smaller outputs of that hop are tried too, the largest first.
import { HOPS_MAX } from "../quote.ts";
import { HopProblem } from "./hop-problem.ts";
import { BUY, type HopDirection, HopSearch, SELL } from "./hop-search.ts";

/** Smaller outputs of one hop that are tried where the next hop cannot use up the best one. */
const OUTPUTS_TRIED_MAX = 256;

export type RouteDemand = {
  readonly direction: HopDirection;
  /** Number of hops: the first ones of `hops`. */
  readonly hopCount: number;
  readonly amount: number;
  readonly ordersMax: number;
  /** Search nodes for each hop's listing. */
  readonly nodesMax: number;
};

export class RouteSearch {
  /** To be filled by the caller, in execution order. */
  readonly hops: readonly HopProblem[] = Array.from({ length: HOPS_MAX }, () => new HopProblem());

  // The answer.
  /** SELL: what comes out; BUY: what goes in. */
  value = 0;
  /** Candidates of each hop in listing order: the first `counts[hop]` entries. */
  readonly lists: readonly Int32Array[] = this.hops.map(() => new Int32Array(64));
  readonly counts = new Int32Array(HOPS_MAX);
  /** False where a better listing may exist: the search ran out of nodes. */
  complete = true;
  /** True where candidates that a hop left out could make a better listing. */
  truncated = false;

  readonly #search = this.hops.map((hop) => new HopSearch(hop));
  readonly #trial = this.hops.map(() => new Int32Array(64));
  readonly #trialCounts = new Int32Array(HOPS_MAX);
  #hopCount = 0;
  #nodesMax = 0;
  #found = false;

  /** False where no listing was found that settles. */
  solve(demand: RouteDemand): boolean {
    const { direction, hopCount, amount, ordersMax } = demand;
    this.#hopCount = hopCount;
    this.#nodesMax = demand.nodesMax;
    this.#found = false;
    this.complete = true;
    this.truncated = false;
    if (ordersMax < hopCount) return false;
    if (direction === SELL) {
      this.value = 0;
      this.#sellFrom(0, amount, ordersMax);
    } else {
      this.value = Number.POSITIVE_INFINITY;
      this.#buyUpTo(hopCount - 1, amount, ordersMax);
    }
    return this.#found;
  }

  /** Buys exactly `wanted` of hop `at`, and of the hops before it what that costs. */
  #buyUpTo(at: number, wanted: number, orders: number): void {
    const search = this.#search[at]!;
    for (let most = orders - at; most >= 1; most -= 1) {
      if (!this.#solveHop(at, BUY, wanted, most, Number.POSITIVE_INFINITY)) return;
      const { value: cost, count } = search;
      this.#keepTrial(at);
      if (at === 0) {
        if (cost < this.value) this.#keepAnswer(cost);
        return;
      }
      // With fewer orders here the cost can only rise; the rest costs at least this much.
      const least = this.#leastCost(at - 1, cost, orders - 1);
      if (least >= this.value) return;
      this.#buyUpTo(at - 1, cost, orders - count);
      if (this.value <= least) return;
      most = count;
    }
  }

  /** What buying `wanted` up to hop `at` costs at least, were the orders not shared by the hops. */
  #leastCost(at: number, wanted: number, orders: number): number {
    let cost = wanted;
    for (let hop = at; hop >= 0; hop -= 1) {
      if (!this.#solveHop(hop, BUY, cost, orders, Number.POSITIVE_INFINITY)) {
        return Number.POSITIVE_INFINITY;
      }
      cost = this.#search[hop]!.value;
    }
    return cost;
  }

  /**
   * Sells all of `paid` to hop `at` and on along the route. Returns at least what `paid` or any
   * smaller amount could get with these orders, or less than the best answer known.
   */
  #sellFrom(at: number, paid: number, orders: number): number {
    const search = this.#search[at]!;
    const isLast = at === this.#hopCount - 1;
    let bound = 0;
    for (let most = orders - (this.#hopCount - 1 - at); most >= 1; most -= 1) {
      let below = Number.POSITIVE_INFINITY;
      let fewest = most;
      for (let tried = 0; tried < OUTPUTS_TRIED_MAX; tried += 1) {
        const found = this.#solveHop(at, SELL, paid, most, below);
        const { value: got, count, free } = search;
        if (tried === 0 && (!found || free > got)) {
          bound = isLast ? Math.max(bound, free) : Number.POSITIVE_INFINITY;
        }
        if (!found) break;
        if (count < fewest) fewest = count;
        this.#keepTrial(at);
        if (isLast) {
          if (got > this.value) this.#keepAnswer(got);
          return Math.max(bound, got);
        }
        if (this.#freeOutput(at + 1, got, orders - 1) <= this.value) {
          if (tried === 0) return bound;
          break;
        }
        const rest = this.#sellFrom(at + 1, got, orders - count);
        if (rest > bound) bound = rest;
        // Paying the rest of the route less cannot get more.
        if (rest <= this.value) break;
        below = got;
      }
      most = Math.min(most, fewest);
    }
    return bound;
  }

  /** What the hops from `at` on give of `paid` or less at most, orders not being shared. */
  #freeOutput(at: number, paid: number, orders: number): number {
    let output = paid;
    for (let hop = at; hop < this.#hopCount; hop += 1) {
      this.#solveHop(hop, SELL, output, orders, Number.POSITIVE_INFINITY);
      output = this.#search[hop]!.free;
    }
    return output;
  }

  #solveHop(
    at: number,
    direction: HopDirection,
    amount: number,
    ordersMax: number,
    below: number,
  ): boolean {
    const search = this.#search[at]!;
    const nodesMax = this.#nodesMax;
    const found = search.solve(this.hops[at]!, { direction, amount, ordersMax, below, nodesMax });
    if (!search.complete) this.complete = false;
    if (search.truncated) this.truncated = true;
    return found;
  }

  #keepTrial(at: number): void {
    const { list, count } = this.#search[at]!;
    const trial = this.#trial[at]!;
    for (let place = 0; place < count; place += 1) trial[place] = list[place]!;
    this.#trialCounts[at] = count;
  }

  #keepAnswer(value: number): void {
    this.value = value;
    this.#found = true;
    for (let hop = 0; hop < this.#hopCount; hop += 1) {
      const count = this.#trialCounts[hop]!;
      for (let place = 0; place < count; place += 1) {
        this.lists[hop]![place] = this.#trial[hop]![place]!;
      }
      this.counts[hop] = count;
    }
  }
}
