// Hot path: what a route can give at most when its hops share a number of orders. A closer bound
// than the curves' where more orders would be needed; some microseconds.
//
// As in hop-search.ts, against a price level at each hop: orders save something, the rest is bought
// at the level. Taken together, a unit of a hop's input is worth the levels before it, so the
// savings of all hops compare; no listing has more of them than the largest ones add up to. That
// holds for any levels. Those of the divisible listing are the start; higher ones are tried hop by
// hop as long as the bound gets closer.
import type { BookView } from "../../book/shared-layout.ts";
import { HOPS_MAX, ORDERS_MAX } from "../quote.ts";
import { type HopDirection, SELL } from "./hop-task.ts";
import type { SideCurves } from "./side-curves.ts";

/** Rounds over the hops in search of better levels. */
const ROUNDS_MAX = 3;

export class CappedBound {
  readonly #curves: SideCurves;
  /** By hop: the entry whose price is the level. */
  readonly #level = new Int32Array(HOPS_MAX);
  readonly #top = new Float64Array(ORDERS_MAX);

  constructor(curves: SideCurves) {
    this.#curves = curves;
  }

  /** At most what comes out (SELL), or at least what goes in (BUY). Without a margin. */
  bound(
    view: BookView,
    curves: Int32Array,
    hopCount: number,
    direction: HopDirection,
    amount: number,
    ordersMax: number,
    now: number,
  ): number {
    this.#start(view, curves, hopCount, direction, amount, now);
    const sells = direction === SELL;
    let best = this.#evaluate(curves, hopCount, sells, amount, ordersMax);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const before = best;
      for (let hop = 0; hop < hopCount; hop += 1) {
        const last = this.#curves.start[curves[hop]!]! + this.#curves.count[curves[hop]!]! - 1;
        for (let step = 1; this.#level[hop]! + step <= last; step *= 2) {
          this.#level[hop]! += step;
          const value = this.#evaluate(curves, hopCount, sells, amount, ordersMax);
          if (sells ? value < best : value > best) best = value;
          else {
            this.#level[hop]! -= step;
            break;
          }
        }
      }
      if (best === before) break;
    }
    return best;
  }

  /** The levels of the divisible listing: the prices that the curves reach. */
  #start(
    view: BookView,
    curves: Int32Array,
    hopCount: number,
    direction: HopDirection,
    amount: number,
    now: number,
  ): void {
    let flow = amount;
    for (let step = 0; step < hopCount; step += 1) {
      const hop = direction === SELL ? step : hopCount - 1 - step;
      const curve = curves[hop]!;
      flow =
        direction === SELL
          ? this.#curves.sell(view, curve, flow, now)
          : this.#curves.buy(view, curve, flow, now);
      this.#level[hop] = this.#curves.start[curve]! + Math.max(1, this.#curves.used) - 1;
    }
  }

  #evaluate(
    curves: Int32Array,
    hopCount: number,
    sells: boolean,
    amount: number,
    ordersMax: number,
  ): number {
    const { columns, start } = this.#curves;
    const { amount: amounts, budget, price } = columns;
    const top = this.#top;
    let held = 0;
    let saved = 0;
    let weight = 1;
    for (let hop = 0; hop < hopCount; hop += 1) {
      const level = price[this.#level[hop]!]!;
      for (let at = start[curves[hop]!]!; price[at]! < level && at < this.#level[hop]!; at += 1) {
        const most = amounts[at]! < budget[at]! ? amounts[at]! : budget[at]!;
        const saving = weight * most * (level - price[at]!);
        if (held < ordersMax) {
          held += 1;
          saved += saving;
        } else if (saving > top[held - 1]!) saved += saving - top[held - 1]!;
        else continue;
        let place = held - 1;
        while (place > 0 && top[place - 1]! < saving) {
          top[place] = top[place - 1]!;
          place -= 1;
        }
        top[place] = saving;
      }
      weight *= level;
    }
    return sells ? (amount + saved) / weight : amount * weight - saved;
  }
}
