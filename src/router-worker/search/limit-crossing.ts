// What a limit order crosses (api.md, Quote, rule 10): one hop over the orders priced up to the limit, best
// first, as far as they, the cap on orders and the bytes of a call go. Integers throughout: one side, and not
// the hot path.
import type { BookView } from "../../book/shared-layout.ts";
import { orderPrice } from "../../book/shared-reader.ts";
import { fillBuying, fillSelling } from "../../model/settlement.ts";
import { listedOrder } from "./settle.ts";
import type { SideCurves } from "./side-curves.ts";

export type LimitDemand = {
  readonly sells: boolean;
  /** Of what is sold, or of what is bought. */
  readonly amount: bigint;
  readonly ordersMax: number;
  /** Whether a call that lists these orders is one that the network carries. */
  readonly fits: (orderSlots: readonly number[]) => boolean;
};

export type Crossing = {
  /**
   * Where the book's memory holds the orders (not the slots that a route has), in selection order; each is filled,
   * all but the last one whole.
   */
  readonly orderSlots: readonly number[];
  readonly sold: bigint;
  readonly bought: bigint;
  /** Orders had to be left out for want of slots or of bytes of the call, and an amount is left. */
  readonly isCut: boolean;
};

/** How many entries of the curve are priced up to the limit: the first ones. */
export function entriesUpTo(
  view: BookView,
  curves: SideCurves,
  curve: number,
  priceMax: bigint,
): number {
  const start = curves.start[curve]!;
  let low = 0;
  let high = curves.count[curve]!;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (orderPrice(view, curves.columns.slot[start + middle]!) <= priceMax) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Takes the orders one after the other, each as far as the contract would fill it. */
export function crossInOrder(
  view: BookView,
  orderSlots: readonly number[],
  demand: LimitDemand,
): Crossing {
  const taken: number[] = [];
  const delivered = new Map<number, bigint>();
  const received = new Map<number, bigint>();
  let [sold, bought, isCut] = [0n, 0n, false];
  for (const slot of orderSlots) {
    const left = demand.amount - (demand.sells ? sold : bought);
    if (left === 0n) break;
    const order = listedOrder(view, slot);
    const fill = demand.sells
      ? fillSelling(left, order.amount, order.price)
      : fillBuying(left, order.amount, order.price);
    if (fill === undefined) continue;
    const delivery = (delivered.get(order.maker) ?? 0n) + fill.bought;
    const payment = (received.get(order.maker) ?? 0n) + fill.sold;
    const isPaid = order.headroom === undefined || payment <= order.headroom;
    if (!isPaid || delivery > order.budget) continue;
    if (taken.length === demand.ordersMax || !demand.fits([...taken, slot])) {
      isCut = true;
      break;
    }
    taken.push(slot);
    delivered.set(order.maker, delivery);
    received.set(order.maker, payment);
    sold += fill.sold;
    bought += fill.bought;
    // A part of an order uses up what is left but for less than a unit's worth at its price; what
    // a cheaper order listed later could still take of that is not worth breaking the order.
    if (fill.bought < order.amount) break;
  }
  return { orderSlots: taken, sold, bought, isCut };
}
