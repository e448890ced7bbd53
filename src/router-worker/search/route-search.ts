// Hot path: the best listing of one route: which orders of each hop, the cap on orders being
// shared by the hops. Numbers only; the caller settles the answer in integers.
//
// Getting one unit more of a hop never costs less, so a route's hops are solved one after the
// other: from the first hop on when selling, from the last one back when buying. Where they want
// more orders than the cap allows, the places go to the orders that save most, at first; then other
// ways to share them are tried as far as bounds and the work allowed leave any hope. Selling has
// one exception: what a hop is paid must be used up, so a hop that cannot use up what the one
// before it gives best may do with less. Then smaller outputs of that hop are tried, the largest
// first.
import { HOPS_MAX, ORDERS_MAX } from "../quote.ts";
import { HopCapacity } from "./hop-capacity.ts";
import { HopColumns } from "./hop-columns.ts";
import { HopSearch } from "./hop-search.ts";
import { type HopDemand, type HopDirection, type HopOrders, SELL } from "./hop-task.ts";
import { PlaceShares } from "./place-shares.ts";

/** Smaller outputs of one hop that are tried where the next hop cannot use up the best one. */
const OUTPUTS_TRIED_MAX = 256;
/** Search nodes for one hop: at first, and in the rounds there is work for. */
const NODES_FIRST = 64;
const NODES_BY_ROUND: readonly number[] = [512, 4096, 1 << 16];
/** What a route costs before and after its listing is searched. */
const ROUTE_WORK = 100;
/** Times the places are shared out anew by what orders save. */
const SHARES_MAX = 2;
/** Places moved at once, and the part of the work that may be spent on it. */
const MOVES: readonly number[] = [3, 1];
const MOVES_PART = 1 / 2;

export type RouteDemand = {
  readonly direction: HopDirection;
  /** Number of hops: the first ones of `hops`. */
  readonly hopCount: number;
  readonly amount: number;
  readonly ordersMax: number;
  /** Steps of some 50 ns to spend on more than the first answer. */
  readonly workMax: number;
};

const NO_COLUMNS = new HopColumns(0);
const NO_WORDS = new BigUint64Array(0);

export class RouteSearch {
  /** To be filled by the caller, in execution order. */
  readonly hops: readonly HopOrders[] = Array.from({ length: HOPS_MAX }, () => ({
    columns: NO_COLUMNS,
    start: 0,
    count: 0,
    groups: 0,
    words: NO_WORDS,
  }));

  // The answer.
  /** SELL: what comes out; BUY: what goes in. */
  value = 0;
  /** Entries of each hop in listing order, relative to its block: the first `counts[hop]`. */
  readonly lists: readonly Int32Array[] = this.hops.map(() => new Int32Array(2 * ORDERS_MAX));
  readonly counts = new Int32Array(HOPS_MAX);
  /** False where a better listing may exist: the search was cut short. */
  complete = true;
  /** What the search took, in steps of some 50 ns. */
  work = 0;

  readonly #search = this.hops.map(() => new HopSearch());
  readonly #demand: HopDemand = { direction: SELL, amount: 0, ordersMax: 0, below: 0, nodesMax: 0 };
  #direction: HopDirection = SELL;
  #hopCount = 0;
  #amount = 0;
  #ordersMax = 0;
  #workMax = 0;
  #nodesMax = 0;
  #nodesOfRound = 0;
  #found = false;
  /** What is known to be out of reach: no listing gets more, or costs less. */
  #bound = 0;

  // By step: hops in the order in which they are solved.
  readonly #trial = this.hops.map(() => new Int32Array(2 * ORDERS_MAX));
  readonly #trialCounts = new Int32Array(HOPS_MAX);
  readonly #capacity = new HopCapacity();
  readonly #shares = new PlaceShares();

  /** False where no listing was found that settles. */
  solve(demand: RouteDemand): boolean {
    this.#direction = demand.direction;
    this.#hopCount = demand.hopCount;
    this.#amount = demand.amount;
    this.#ordersMax = Math.min(demand.ordersMax, ORDERS_MAX);
    this.#workMax = demand.workMax;
    this.work = ROUTE_WORK;
    this.complete = true;
    this.#found = false;
    this.value = demand.direction === SELL ? 0 : Number.POSITIVE_INFINITY;
    if (this.#ordersMax < demand.hopCount) return false;
    if (!this.#capacity.hasPlaces(this.hops, demand)) return false;
    const isCrowded = this.#isCrowded();
    this.#nodesMax = NODES_FIRST;
    this.complete = true;
    const first = isCrowded ? CROWDED : this.#solveAlone();
    if (first === NEVER) return false;
    if (first === SETTLED) return true;
    if (first === CROWDED) this.#sharePlaces();
    if (first === CROWDED && this.work < this.#workMax) this.#movePlaces();
    this.#improveInRounds();
    return this.#found;
  }

  /** A hop that is hard to be sure of leaves work for the others: each has little of it at first. */
  #improveInRounds(): void {
    this.complete = false;
    for (const nodes of NODES_BY_ROUND) {
      if (this.complete || this.work >= this.#workMax) return;
      this.complete = true;
      this.#nodesOfRound = nodes;
      this.#improve(0, this.#amount, this.#ordersMax);
    }
  }

  /** Whether the hops want more orders, best price first, than the cap allows. */
  #isCrowded(): boolean {
    this.#nodesMax = 0;
    this.#bound = this.#worst();
    let flow = this.#amount;
    let orders = 0;
    for (let step = 0; step < this.#hopCount; step += 1) {
      if (!this.#solveHop(step, flow, ORDERS_MAX, Number.POSITIVE_INFINITY)) break;
      flow = this.#searchOf(step).value;
      orders += this.#searchOf(step).count;
      if (step === this.#hopCount - 1 && orders > this.#ordersMax) return true;
    }
    return false;
  }

  /** Each hop with as many orders as there could be for it. */
  #solveAlone(): First {
    const most = this.#ordersMax - this.#hopCount + 1;
    let flow = this.#amount;
    let orders = 0;
    let isOpen = false;
    for (let step = 0; step < this.#hopCount; step += 1) {
      const found = this.#solveHop(step, flow, most, Number.POSITIVE_INFINITY);
      const search = this.#searchOf(step);
      const sells = this.#direction === SELL;
      if (!found) {
        if (!sells || step === 0) return search.complete ? NEVER : OPEN;
        this.#bound = Number.POSITIVE_INFINITY;
        return OPEN;
      }
      if (sells && step > 0 && search.free > search.value) isOpen = true;
      this.#keepTrial(step);
      flow = search.value;
      orders += search.count;
    }
    this.#bound = isOpen || !this.complete ? this.#worst() : flow;
    if (orders > this.#ordersMax) return CROWDED;
    this.#keepAnswer(flow);
    return isOpen || !this.complete ? OPEN : SETTLED;
  }

  /** A bound that bounds nothing. */
  #worst(): number {
    return this.#direction === SELL ? Number.POSITIVE_INFINITY : 0;
  }

  /** Gives the places to the orders that save most, and solves the hops with them. */
  #sharePlaces(): void {
    for (let round = 0; round < SHARES_MAX; round += 1) {
      for (let hop = 0; hop < this.#hopCount; hop += 1) {
        this.#shares.level[hop] = this.#search[hop]!.level;
      }
      const changed = this.#shares.share(this.hops, this.#hopCount, this.#ordersMax);
      if (round > 0 && !changed) return;
      this.#solveShared();
    }
  }

  /**
   * Moves places from hop to hop as long as that makes the answer better: orders are not divisible,
   * so the share by what they save can be some places off.
   */
  #movePlaces(): void {
    const places = this.#shares.places;
    const end = this.work + (this.#workMax - this.work) * MOVES_PART;
    for (const step of MOVES) {
      let moved = true;
      while (moved) {
        moved = false;
        for (let from = 0; from < this.#hopCount; from += 1) {
          for (let to = 0; to < this.#hopCount; to += 1) {
            if (from === to || places[from]! <= step) continue;
            if (this.work > end) return;
            const before = this.value;
            places[from]! -= step;
            places[to]! += step;
            this.#solveShared();
            if (this.#found && this.value !== before) {
              moved = true;
              continue;
            }
            places[from]! += step;
            places[to]! -= step;
          }
        }
      }
    }
  }

  /** The hops with their places as shared out. Keeps the answer where it is better. */
  #solveShared(): void {
    let flow = this.#amount;
    let over = 0;
    for (let step = 0; step < this.#hopCount; step += 1) {
      // What a hop does not need is left to the next one.
      const places = this.#shares.places[this.#hopAt(step)]! + over;
      if (!this.#solveHop(step, flow, places, Number.POSITIVE_INFINITY)) return;
      this.#keepTrial(step);
      flow = this.#searchOf(step).value;
      over = places - this.#searchOf(step).count;
    }
    if (this.#isBetter(flow)) this.#keepAnswer(flow);
  }

  /**
   * Tries every way to share `orders` from `step` on that may beat the answer. Returns at least what
   * `flow` could give with them (or SELL: any smaller amount), or no better than the answer.
   */
  #improve(step: number, flow: number, orders: number): number {
    const search = this.#searchOf(step);
    const stepsAfter = this.#hopCount - 1 - step;
    const sells = this.#direction === SELL;
    let bound = sells ? 0 : Number.POSITIVE_INFINITY;
    for (let most = orders - stepsAfter; most >= 1; most -= 1) {
      let below = this.#usableBelow(step, orders - 1);
      let fewest = most;
      for (let tried = 0; tried < OUTPUTS_TRIED_MAX; tried += 1) {
        if (this.work > this.#workMax) {
          this.complete = false;
          return this.#worst();
        }
        this.#nodesMax = Math.min(this.#nodesOfRound, this.#workMax - this.work + NODES_FIRST);
        const found = this.#solveHop(step, flow, most, below);
        const { value, count, free } = search;
        if (sells && tried === 0 && (!found || free > value)) {
          bound = stepsAfter === 0 ? Math.max(bound, free) : Number.POSITIVE_INFINITY;
        }
        if (!found) break;
        if (count < fewest) fewest = count;
        this.#keepTrial(step);
        if (stepsAfter === 0) {
          if (this.#isBetter(value)) this.#keepAnswer(value);
          return sells ? Math.max(bound, value) : value;
        }
        if (!this.#isBetter(this.#boundAfter(step, value, this.#ordersMax - this.#hopCount + 1))) {
          // Fewer orders here give no more, so no fewer can help either.
          if (tried === 0) return bound;
          break;
        }
        const left = orders - count;
        if (!this.#isBetter(this.#boundAfter(step, value, left - stepsAfter + 1))) break;
        const rest = this.#improve(step + 1, value, left);
        if (sells ? rest > bound : rest < bound) bound = rest;
        // SELL: paying the rest of the route less cannot get more. BUY: nor can wanting more.
        if (!sells || !this.#isBetter(rest)) break;
        below = value;
      }
      if (this.value === this.#bound) return bound;
      most = Math.min(most, fewest);
    }
    return bound;
  }

  /** What a hop gives must be less than this for the next hop to use it up. */
  #usableBelow(step: number, orders: number): number {
    const stepsAfter = this.#hopCount - 1 - step;
    if (this.#direction !== SELL || stepsAfter === 0) return Number.POSITIVE_INFINITY;
    return this.#capacity.mostPaid(this.hops[step + 1]!, orders - stepsAfter + 1) + 1;
  }

  /** What `flow` gives at best after `step`, each hop having `orders` for itself. */
  #boundAfter(step: number, flow: number, orders: number): number {
    const sells = this.#direction === SELL;
    let bound = flow;
    for (let next = step + 1; next < this.#hopCount; next += 1) {
      const found = this.#solveHop(next, bound, orders, Number.POSITIVE_INFINITY);
      const search = this.#searchOf(next);
      if (sells) bound = search.complete ? search.free : Number.POSITIVE_INFINITY;
      else if (search.complete) bound = found ? search.value : Number.POSITIVE_INFINITY;
      else return 0;
    }
    return bound;
  }

  #isBetter(value: number): boolean {
    if (!this.#found)
      return this.#direction === SELL ? value > 0 : value < Number.POSITIVE_INFINITY;
    return this.#direction === SELL ? value > this.value : value < this.value;
  }

  #hopAt(step: number): number {
    return this.#direction === SELL ? step : this.#hopCount - 1 - step;
  }

  #searchOf(step: number): HopSearch {
    return this.#search[this.#hopAt(step)]!;
  }

  #solveHop(step: number, amount: number, ordersMax: number, below: number): boolean {
    const search = this.#searchOf(step);
    const demand = this.#demand;
    demand.direction = this.#direction;
    demand.amount = amount;
    demand.ordersMax = ordersMax;
    demand.below = below;
    demand.nodesMax = this.#nodesMax;
    const found = search.solve(this.hops[this.#hopAt(step)]!, demand);
    this.work += search.work;
    if (!search.complete) this.complete = false;
    return found;
  }

  #keepTrial(step: number): void {
    const { list, count } = this.#searchOf(step);
    const trial = this.#trial[step]!;
    for (let place = 0; place < count; place += 1) trial[place] = list[place]!;
    this.#trialCounts[step] = count;
  }

  #keepAnswer(value: number): void {
    this.value = value;
    this.#found = true;
    for (let step = 0; step < this.#hopCount; step += 1) {
      const hop = this.#hopAt(step);
      const count = this.#trialCounts[step]!;
      for (let place = 0; place < count; place += 1) {
        this.lists[hop]![place] = this.#trial[step]![place]!;
      }
      this.counts[hop] = count;
    }
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
