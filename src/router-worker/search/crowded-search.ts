// Hot path: the best listing of a route whose hops want more orders than the cap allows. Each way
// to share the places is bounded (place-bounds.ts); the ways are tried from the most promising on,
// until none is left that could be better than what was found. For routes of two hops or three.
import { HOPS_MAX, ORDERS_MAX } from "../quote.ts";
import { HopMemo } from "./hop-memo.ts";
import { FEW_NODES } from "./hop-search.ts";
import { nextBetter, PLACES_MAX, SELL } from "./hop-task.ts";
import { PlaceBounds } from "./place-bounds.ts";
import type { RouteTrial } from "./route-trial.ts";

/** Ways to share 20 places among three hops, each of which gets one at least. */
const WAYS_MAX = ((ORDERS_MAX - 1) * (ORDERS_MAX - 2)) / 2;
/** Search nodes for one hop, round by round: a hop that is hard leaves work for the others. */
const NODES_BY_ROUND: readonly number[] = [FEW_NODES, 1024, 8192, 1 << 16];

/** Steps of some 50 ns more where there is no answer yet: any is better than none. */
const ANY_WORK = 1 << 14;

/** What is known of a way: whether it can still give something better. */
const OPEN = 0;
const DONE = 1;
/** Selling: a hop that is paid less may give more, which is not tried here. */
const STUCK = 2;
type State = typeof OPEN | typeof DONE | typeof STUCK;

export class CrowdedSearch {
  readonly #trial: RouteTrial;
  readonly #bounds = new PlaceBounds();
  readonly #memo: HopMemo;
  #count = 0;
  /** By way: places of each hop, HOPS_MAX apart; bound; state. */
  readonly #places = new Int32Array(WAYS_MAX * HOPS_MAX);
  readonly #bound = new Float64Array(WAYS_MAX);
  readonly #state = new Uint8Array(WAYS_MAX);
  readonly #own = new Int32Array(HOPS_MAX);

  constructor(trial: RouteTrial) {
    this.#trial = trial;
    this.#memo = new HopMemo(trial);
  }

  /** Until `workEnd` at most. True where no listing is better than what was found. */
  solve(workEnd: number): boolean {
    this.#begin();
    const trial = this.#trial;
    let isStuck = false;
    for (const nodes of NODES_BY_ROUND) {
      trial.nodesMax = nodes;
      let isOpen = false;
      for (let way = this.#next(-1); way >= 0; way = this.#next(way)) {
        if (trial.work > (trial.found ? workEnd : workEnd + ANY_WORK)) return false;
        if (trial.shouldStop()) return false;
        const state = this.#try(way);
        this.#state[way] = state;
        if (state === OPEN) isOpen = true;
        if (state === STUCK) isStuck = true;
      }
      if (!isOpen) return !isStuck;
    }
    return false;
  }

  #begin(): void {
    const { hops, hopCount, direction, amount, ordersMax } = this.#trial;
    this.#bounds.begin(hops, hopCount, direction, amount, ordersMax);
    this.#bounds.addLevels();
    this.#trial.work += this.#bounds.work;
    this.#memo.clear();
    this.#count = 0;
    // By step: all ways that begin alike have that part of their bounds in common.
    for (let one = 1; one <= ordersMax - hopCount + 1; one += 1) {
      const left = ordersMax - one;
      const first = this.#bounds.after(0, amount, one);
      if (hopCount === 2) {
        this.#addWay(one, left, 0, this.#bounds.after(1, first, left));
        continue;
      }
      for (let two = 1; two < left; two += 1) {
        const second = this.#bounds.after(1, first, two);
        this.#addWay(one, two, left - two, this.#bounds.after(2, second, left - two));
      }
    }
  }

  /** `one`, `two` and `three`: places of each step; `bound`: what they come to at most. */
  #addWay(one: number, two: number, three: number, bound: number): void {
    const way = this.#count;
    const trial = this.#trial;
    const at = way * HOPS_MAX;
    this.#places[at + trial.hopAt(0)] = one;
    this.#places[at + trial.hopAt(1)] = two;
    if (trial.hopCount > 2) this.#places[at + trial.hopAt(2)] = three;
    this.#bound[way] = bound;
    this.#state[way] = OPEN;
    this.#count += 1;
  }

  /** The open way with the best bound no better than that of `after`; -1: none could be better. */
  #next(after: number): number {
    const sells = this.#trial.direction === SELL;
    const limit = after < 0 ? this.#trial.unknown : this.#bound[after]!;
    let best = -1;
    for (let way = 0; way < this.#count; way += 1) {
      if (this.#state[way] !== OPEN) continue;
      const bound = this.#bound[way]!;
      // Of equal bounds the later way comes after.
      if (sells ? bound > limit : bound < limit) continue;
      if (bound === limit && way <= after) continue;
      if (best < 0 || (sells ? bound > this.#bound[best]! : bound < this.#bound[best]!)) best = way;
    }
    return best >= 0 && this.#trial.isBetter(this.#bound[best]!) ? best : -1;
  }

  #try(way: number): State {
    const trial = this.#trial;
    const memo = this.#memo;
    const sells = trial.direction === SELL;
    const own = this.#own;
    for (let hop = 0; hop < HOPS_MAX; hop += 1) own[hop] = this.#places[way * HOPS_MAX + hop]!;
    let flow = trial.amount;
    let state: State = DONE;
    for (let step = 0; step < trial.hopCount; step += 1) {
      const hop = trial.hopAt(step);
      const target = trial.found
        ? this.#bounds.needed(step, nextBetter(trial.direction, trial.value), own)
        : trial.anything;
      const at = memo.solve(step, flow, own[hop]!, target);
      const found = memo.found[at] === 1;
      const value = memo.value[at]!;
      const free = memo.free[at]!;
      const count = memo.count[at]!;
      if (memo.complete[at] === 0) state = OPEN;
      const mayPayLess = sells && step > 0 && (!found || free > value);
      if (mayPayLess && state === DONE && this.#isHopeful(step, free)) state = STUCK;
      if (!found) return state;
      trial.keepList(step, memo.lists, at * PLACES_MAX, count);
      if (!this.#isHopeful(step, value)) return state;
      // What a hop does not need is left to the next one.
      if (step < trial.hopCount - 1) own[trial.hopAt(step + 1)]! += own[hop]! - count;
      own[hop] = count;
      flow = value;
    }
    if (trial.isBetter(flow)) trial.keepAnswer(flow);
    return state;
  }

  /** Whether the route can still beat the best listing where `step` comes to `value`. */
  #isHopeful(step: number, value: number): boolean {
    return this.#trial.isBetter(this.#bounds.bound(step + 1, value, this.#own));
  }
}
