// Hot path: further pairs of multipliers, around the ones of the relaxed solution. Once some of a hop's
// classes are decided, the bound at another shadow price is closer: each node asks all pairs. What they
// take is worth it for searches that do not end at once.
import { ALTERNATIVES_MAX, type Core } from "./core.ts";
import { UNCONSTRAINED } from "./hop-columns.ts";
import { ENTRIES_MAX, type HopTask } from "./hop-task.ts";
import type { Relaxation } from "./relaxation.ts";

/** By how much the shadow prices lie from the first one, as parts of the price spread (measured). */
const OFFSETS: readonly number[] = [-0.6, -0.2, -0.05, 0.05, 0.2, 0.8, 3];
export const PAIRS = OFFSETS.length;
/** Least spread, as a part of the price. */
const SPREAD_MIN = 1e-4;

export class SidePairs {
  readonly lambda = new Float64Array(PAIRS);
  readonly mu = new Float64Array(PAIRS);
  /** What the relaxed solution profits. */
  readonly relaxed = new Float64Array(PAIRS);
  /** What the alternatives add, and what the classes from a place on add at most, PAIRS apart. */
  readonly altProfit = new Float64Array(ALTERNATIVES_MAX * PAIRS);
  readonly gainFrom = new Float64Array((ENTRIES_MAX + 1) * PAIRS);
  readonly #task: HopTask;
  readonly #relaxation: Relaxation;

  constructor(task: HopTask, relaxation: Relaxation) {
    this.#task = task;
    this.#relaxation = relaxation;
  }

  /** Finds the pairs around the relaxed solution's. */
  find(): void {
    const { columns } = this.#task.orders;
    const { lambda } = this.#relaxation;
    const first = columns.price[0]!;
    const spread = Math.max(lambda - first, lambda * SPREAD_MIN);
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const at = Math.max(lambda + OFFSETS[pair]! * spread, first * (1 - SPREAD_MIN));
      this.lambda[pair] = at;
      this.mu[pair] = this.#relaxation.penaltyAt(at);
    }
  }

  /** Takes up the core of the relaxed solution at hand. `whole`: slots for whole orders. */
  take(core: Core, whole: number): void {
    const { got, paid, count, backingLeft } = this.#relaxation;
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const emptied = (whole - count) * this.mu[pair]!;
      this.relaxed[pair] = got * this.lambda[pair]! - paid + emptied + backingLeft;
      this.gainFrom[core.count * PAIRS + pair] = 0;
    }
    for (let place = core.count - 1; place >= 0; place -= 1) {
      const maker = core.makerOf(place);
      const first = core.from[place]!;
      for (let pair = 0; pair < PAIRS; pair += 1) {
        let gain = 0;
        for (let at = first; at < core.end[first]!; at += 1) {
          const own = this.profitOf(pair, maker, core.got[at]!, core.paid[at]!, core.size[at]!);
          this.altProfit[at * PAIRS + pair] = own;
          if (own > gain) gain = own;
        }
        const next = this.gainFrom[(place + 1) * PAIRS + pair]!;
        this.gainFrom[place * PAIRS + pair] = next + gain;
      }
    }
  }

  /** What orders of a maker, or UNCONSTRAINED, profit: `size` of them. */
  profitOf(pair: number, maker: number, got: number, paid: number, size: number): number {
    const nu = maker === UNCONSTRAINED ? 0 : this.#relaxation.nu[maker]!;
    return got * (this.lambda[pair]! - nu) - paid - size * this.mu[pair]!;
  }
}
