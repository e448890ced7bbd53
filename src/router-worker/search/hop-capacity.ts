// Hot path: how much a hop's largest orders can take: tells routes apart that cannot do before any
// listing of theirs is searched. One pass over a hop's orders, some 2 ns each.
import { ORDERS_MAX } from "../quote.ts";
import { type HopDirection, type HopOrders, insertDescending, SELL } from "./hop-task.ts";

/** More orders than any route lists. */
const NO_PLACES = 1 << 20;

/** Relative room for the rounding of sums. */
const MARGIN = 2 ** -40;

export type CapacityDemand = {
  readonly direction: HopDirection;
  readonly hopCount: number;
  readonly amount: number;
  readonly ordersMax: number;
};

export class HopCapacity {
  readonly #largest = new Float64Array(ORDERS_MAX);

  /**
   * False where a route's places cannot be enough: each hop takes as many orders as its largest
   * ones need for the least that can flow there.
   */
  hasPlaces(hops: readonly HopOrders[], demand: CapacityDemand): boolean {
    // Mostly an equal share of the places is enough for each hop, which is told sooner.
    const share = Math.min(ORDERS_MAX, Math.floor(demand.ordersMax / demand.hopCount));
    return this.#hasPlaces(hops, demand, share) || this.#hasPlaces(hops, demand, undefined);
  }

  /** Each hop with `share` orders, where that is given, or with the fewest that it takes. */
  #hasPlaces(
    hops: readonly HopOrders[],
    { direction, hopCount, amount, ordersMax }: CapacityDemand,
    share: number | undefined,
  ): boolean {
    const sells = direction === SELL;
    let flow = amount;
    let orders = 0;
    for (let step = 0; step < hopCount; step += 1) {
      const hop = hops[sells ? step : hopCount - 1 - step]!;
      if (hop.count === 0) return false;
      if (share === undefined) orders += this.#fewestOrders(hop, sells, flow);
      else orders += this.#canUse(hop, sells, flow, share) ? share : NO_PLACES;
      if (orders + hopCount - 1 - step > ordersMax) return false;
      flow = leastAfter(hop, sells, flow, ordersMax);
    }
    return true;
  }

  /** Selling: at least what the hop can use up with so many orders. */
  mostPaid(hop: HopOrders, orders: number): number {
    const held = Math.min(this.#collectLargest(hop, true), orders);
    // What may stay unsold is worth less than a unit at some price.
    let paid = priceMaxOf(hop);
    for (let place = 0; place < held; place += 1) paid += this.#largest[place]!;
    return paid * (1 + MARGIN);
  }

  /** How many of the hop's orders it takes at least to use up `flow`; `NO_PLACES`: all are too few. */
  #fewestOrders(hop: HopOrders, sells: boolean, flow: number): number {
    const held = this.#collectLargest(hop, sells);
    let left = leastUse(hop, sells, flow);
    for (let place = 0; place < held; place += 1) {
      left -= this.#largest[place]!;
      if (left <= 0) return place + 1;
    }
    return NO_PLACES;
  }

  /** Whether so many of the hop's orders can use up `flow`. Ends once the cheapest ones show it. */
  #canUse(hop: HopOrders, sells: boolean, flow: number, orders: number): boolean {
    const { columns, start, count } = hop;
    const wanted = leastUse(hop, sells, flow);
    const largest = this.#largest;
    let held = 0;
    let used = 0;
    for (let at = start; at < start + count; at += 1) {
      const uses = sells ? columns.most[at]! * columns.price[at]! : columns.most[at]!;
      if (held < orders) held += 1;
      else if (uses <= largest[held - 1]!) continue;
      else used -= largest[held - 1]!;
      used += uses;
      insertDescending(largest, held, uses);
      if (used >= wanted) return true;
    }
    return false;
  }

  /** Puts what the hop's largest orders use up in `#largest`; returns how many there are. */
  #collectLargest({ columns, start, count }: HopOrders, sells: boolean): number {
    const largest = this.#largest;
    let held = 0;
    for (let at = start; at < start + count; at += 1) {
      const uses = sells ? columns.most[at]! * columns.price[at]! + 1 : columns.most[at]!;
      if (held < ORDERS_MAX) held += 1;
      else if (uses <= largest[held - 1]!) continue;
      insertDescending(largest, held, uses);
    }
    return held;
  }
}

/** What a hop must use up of `flow` at least: selling, the rest may stay unsold. */
function leastUse(hop: HopOrders, sells: boolean, flow: number): number {
  return sells ? flow * (1 - MARGIN) - priceMaxOf(hop) : flow;
}

/** The least that can flow at the next step. */
function leastAfter(hop: HopOrders, sells: boolean, flow: number, ordersMax: number): number {
  const priceMax = priceMaxOf(hop);
  // SELL: all of it at the highest price, less what rounding and an unsold rest can take.
  const least = sells
    ? (flow - priceMax - ordersMax) / priceMax - ordersMax
    : flow * hop.columns.price[hop.start]!;
  return Math.max(1, Math.floor(least * (1 - MARGIN)));
}

/** The highest price of a hop that has orders. */
function priceMaxOf({ columns, start, count }: HopOrders): number {
  return columns.price[start + count - 1]!;
}
