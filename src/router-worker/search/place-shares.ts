// Hot path: how a route's hops share the places in its listing. A place is worth what the order in
// it saves against its hop's level, in terms of what goes in at the first hop: a unit of a hop's
// input is worth the levels before it. So the places go to the orders that save most.
import { HOPS_MAX, ORDERS_MAX } from "../quote.ts";
import { type HopOrders, insertDescending } from "./hop-task.ts";

export class PlaceShares {
  /** By hop: its price level, for the caller to set. */
  readonly level = new Float64Array(HOPS_MAX);
  /** By hop: the places it got, the one of its last order included. */
  readonly places = new Int32Array(HOPS_MAX);

  readonly #savings = Array.from({ length: HOPS_MAX }, () => new Float64Array(ORDERS_MAX));
  readonly #counts = new Int32Array(HOPS_MAX);
  readonly #taken = new Int32Array(HOPS_MAX);

  /** Shares `ordersMax` places out. Returns whether that differs from the time before. */
  share(hops: readonly HopOrders[], hopCount: number, ordersMax: number): boolean {
    let weight = 1;
    for (let hop = 0; hop < hopCount; hop += 1) {
      this.#collect(hops[hop]!, hop, weight);
      weight *= this.level[hop]!;
      this.#taken[hop] = 0;
    }
    for (let place = hopCount; place < ordersMax; place += 1) {
      this.#taken[this.#neediest(hopCount)]! += 1;
    }
    let changed = false;
    for (let hop = 0; hop < hopCount; hop += 1) {
      const places = 1 + this.#taken[hop]!;
      if (this.places[hop] !== places) changed = true;
      this.places[hop] = places;
    }
    return changed;
  }

  /** The hop whose best order without a place saves most. */
  #neediest(hopCount: number): number {
    let best = 0;
    let most = -1;
    for (let hop = 0; hop < hopCount; hop += 1) {
      const next = this.#taken[hop]!;
      const saving = next < this.#counts[hop]! ? this.#savings[hop]![next]! : 0;
      if (saving > most) {
        most = saving;
        best = hop;
      }
    }
    return best;
  }

  /** The largest savings of the hop's orders, each filled whole. */
  #collect({ columns, start, count }: HopOrders, hop: number, weight: number): void {
    const { amount, cost, most, price } = columns;
    const level = this.level[hop]!;
    const savings = this.#savings[hop]!;
    let held = 0;
    for (let at = start; at < start + count && price[at]! < level; at += 1) {
      if (most[at]! < amount[at]!) continue;
      const saving = weight * (amount[at]! * level - cost[at]!);
      if (saving <= 0) continue;
      if (held < ORDERS_MAX) held += 1;
      else if (saving <= savings[held - 1]!) continue;
      insertDescending(savings, held, saving);
    }
    this.#counts[hop] = held;
  }
}
