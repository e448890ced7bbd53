// Hot path: how much a hop's largest orders can take: tells routes apart that cannot do before any
// listing of theirs is searched. One pass over a hop's orders, some 2 ns each.
import { ORDERS_MAX } from "../quote.ts";
import { type HopDirection, type HopOrders, insertDescending, SELL } from "./hop-task.ts";

/** More orders than any route lists. */
const NO_PLACES = 1 << 20;

/** Relative room for the rounding of sums. */
const MARGIN = 2 ** -40;

export class HopCapacity {
  readonly #largest = new Float64Array(ORDERS_MAX);

  /**
   * False where a route's places cannot be enough: each hop takes as many orders as its largest
   * ones need for the least that can flow there.
   */
  hasPlaces(
    hops: readonly HopOrders[],
    {
      direction,
      hopCount,
      amount,
      ordersMax,
    }: {
      readonly direction: HopDirection;
      readonly hopCount: number;
      readonly amount: number;
      readonly ordersMax: number;
    },
  ): boolean {
    const sells = direction === SELL;
    const few = Math.min(ORDERS_MAX, Math.floor(ordersMax / hopCount));
    let flow = amount;
    let orders = 0;
    for (let step = 0; step < hopCount; step += 1) {
      const hop = hops[sells ? step : hopCount - 1 - step]!;
      if (hop.count === 0) return false;
      orders += this.#fewestOrders(hop, sells, flow, few);
      if (orders + hopCount - 1 - step > ordersMax) return false;
      const priceMax = priceMaxOf(hop);
      // SELL: all of it at the highest price, less what rounding and an unsold rest can take.
      const least = sells
        ? (flow - priceMax - ordersMax) / priceMax - ordersMax
        : flow * hop.columns.price[hop.start]!;
      flow = Math.max(1, Math.floor(least * (1 - MARGIN)));
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

  /**
   * How many of the hop's orders it takes at least to use up `flow`, or where `few` are enough no
   * more than those; `NO_PLACES`: all are too few.
   */
  #fewestOrders(hop: HopOrders, sells: boolean, flow: number, few: number): number {
    const wanted = sells ? flow * (1 - MARGIN) - priceMaxOf(hop) : flow;
    const enough = this.#fewOfFirst(hop, sells, wanted, few);
    if (enough > 0) return enough;
    const held = this.#collectLargest(hop, sells);
    let left = wanted;
    for (let place = 0; place < held; place += 1) {
      left -= this.#largest[place]!;
      if (left <= 0) return place + 1;
    }
    return NO_PLACES;
  }

  /** Mostly some of the cheapest orders are enough, and the others need no look; 0: they are not. */
  #fewOfFirst(
    { columns, start, count }: HopOrders,
    sells: boolean,
    wanted: number,
    few: number,
  ): number {
    const largest = this.#largest;
    let held = 0;
    let used = 0;
    for (let at = start; at < start + count; at += 1) {
      const uses = sells ? columns.most[at]! * columns.price[at]! : columns.most[at]!;
      if (held < few) held += 1;
      else if (uses <= largest[held - 1]!) continue;
      else used -= largest[held - 1]!;
      used += uses;
      insertDescending(largest, held, uses);
      if (used >= wanted) return held;
    }
    return 0;
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

/** The highest price of a hop that has orders. */
function priceMaxOf({ columns, start, count }: HopOrders): number {
  return columns.price[start + count - 1]!;
}
