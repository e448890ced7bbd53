// Hot path: a route's hops while its listing is searched: solves them one after the other, in steps,
// from the first hop on when selling, from the last one back when buying; holds the listing being
// tried and the best one so far.
import { HOPS_MAX, ORDERS_MAX } from "../quote.ts";
import { HopColumns } from "./hop-columns.ts";
import { HopSearch } from "./hop-search.ts";
import { type HopDemand, type HopDirection, type HopOrders, SELL } from "./hop-task.ts";

export type RouteDemand = {
  readonly direction: HopDirection;
  /** Number of hops: the first ones of `hops`. */
  readonly hopCount: number;
  readonly amount: number;
  readonly ordersMax: number;
  /** Steps of some 50 ns for the first answer of a route that wants more orders than it may list. */
  readonly firstWork: number;
  /** Steps to spend on more than the first answer. */
  readonly workMax: number;
  /** See `QuoteContext`. */
  readonly shouldStop: () => boolean;
};

/** What a route costs before and after its listing is searched. */
const ROUTE_WORK = 100;

const NO_COLUMNS = new HopColumns(0);
const NO_WORDS = new BigUint64Array(0);

export class RouteTrial {
  /** To be filled by the caller, in execution order. */
  readonly hops: readonly HopOrders[] = Array.from({ length: HOPS_MAX }, () => ({
    columns: NO_COLUMNS,
    start: 0,
    count: 0,
    groups: 0,
    words: NO_WORDS,
  }));

  direction: HopDirection = SELL;
  hopCount = 0;
  amount = 0;
  ordersMax = 0;
  workMax = 0;
  shouldStop: () => boolean = () => false;

  // The best listing so far.
  found = false;
  /** SELL: what comes out; BUY: what goes in. */
  value = 0;
  /** Entries of each hop in listing order, relative to its block: the first `counts[hop]`. */
  readonly lists: readonly Int32Array[] = this.hops.map(() => new Int32Array(2 * ORDERS_MAX));
  readonly counts = new Int32Array(HOPS_MAX);

  /** False once a hop's search was cut short. */
  complete = true;
  /** What was done, in steps of some 50 ns. */
  work = 0;
  /** Search nodes for one hop. */
  nodesMax = 0;

  readonly #search = this.hops.map(() => new HopSearch());
  readonly #demand: HopDemand = {
    direction: SELL,
    amount: 0,
    ordersMax: 0,
    below: 0,
    target: 0,
    nodesMax: 0,
  };
  // By step.
  readonly #trial = this.hops.map(() => new Int32Array(2 * ORDERS_MAX));
  readonly #trialCounts = new Int32Array(HOPS_MAX);

  /** To be called for another request: what was asked before changes no answer. */
  beginRequest(): void {
    for (const search of this.#search) search.beginRequest();
  }

  begin(demand: RouteDemand): void {
    this.direction = demand.direction;
    this.hopCount = demand.hopCount;
    this.amount = demand.amount;
    this.ordersMax = Math.min(demand.ordersMax, ORDERS_MAX);
    this.workMax = demand.workMax;
    this.shouldStop = demand.shouldStop;
    this.work = ROUTE_WORK;
    this.complete = true;
    this.found = false;
    this.value = this.anything;
  }

  /** A value that says nothing: of what comes out at most, or goes in at least. */
  get unknown(): number {
    return this.direction === SELL ? Number.POSITIVE_INFINITY : 0;
  }

  /** A target that everything reaches; the value where there is no listing yet. */
  get anything(): number {
    return this.direction === SELL ? 0 : Number.POSITIVE_INFINITY;
  }

  hopAt(step: number): number {
    return this.direction === SELL ? step : this.hopCount - 1 - step;
  }

  searchOf(step: number): HopSearch {
    return this.#search[this.hopAt(step)]!;
  }

  /** As `HopDemand` has it. */
  solveHop(
    step: number,
    amount: number,
    ordersMax: number,
    below: number,
    target: number = this.anything,
  ): boolean {
    const search = this.searchOf(step);
    const demand = this.#demand;
    demand.direction = this.direction;
    demand.amount = amount;
    demand.ordersMax = ordersMax;
    demand.below = below;
    demand.target = target;
    demand.nodesMax = this.nodesMax;
    const found = search.solve(this.hops[this.hopAt(step)]!, demand);
    this.work += search.work;
    if (!search.complete) this.complete = false;
    return found;
  }

  /** Whether a listing of that value would be better than the best one. */
  isBetter(value: number): boolean {
    return this.direction === SELL ? value > this.value : value < this.value;
  }

  /** Takes what the hop of `step` found last into the listing being tried. */
  keepStep(step: number): void {
    const { list, count } = this.searchOf(step);
    this.keepList(step, list, 0, count);
  }

  /** Takes `count` entries of `list` for the hop of `step` into the listing being tried. */
  keepList(step: number, list: Int32Array, from: number, count: number): void {
    const trial = this.#trial[step]!;
    for (let place = 0; place < count; place += 1) trial[place] = list[from + place]!;
    this.#trialCounts[step] = count;
  }

  /** Makes the listing being tried the best one. */
  keepAnswer(value: number): void {
    this.value = value;
    this.found = true;
    for (let step = 0; step < this.hopCount; step += 1) {
      const hop = this.hopAt(step);
      const count = this.#trialCounts[step]!;
      for (let place = 0; place < count; place += 1) {
        this.lists[hop]![place] = this.#trial[step]![place]!;
      }
      this.counts[hop] = count;
    }
  }
}
