// What a limit order crosses (api.md, Quote, rule 10): one hop over the orders priced up to the limit, best
// first, as far as they, the cap on orders and the bytes of a call go. Integers throughout: one side, and not
// the hot path.
import { type BookView, ORDER_AMOUNT_F64, ORDER_STRIDE_F64 } from "../../book/shared-layout.ts";
import { fillBuying, fillSelling } from "../../model/settlement.ts";
import { fitsInCall } from "./call-bytes.ts";
import { listedOrder } from "./settle.ts";

export type LimitDemand = {
  readonly view: BookView;
  readonly side: number;
  readonly sells: boolean;
  /** Of what is sold, or of what is bought. */
  readonly amount: bigint;
  readonly ordersMax: number;
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

/** Takes the orders one after the other, each as far as the contract would fill it. */
export function crossInOrder(
  { view, side, sells, amount, ordersMax }: LimitDemand,
  orderSlots: Iterable<number>,
): Crossing {
  const taken: number[] = [];
  const delivered = new Map<number, bigint>();
  const received = new Map<number, bigint>();
  let [sold, bought, isCut] = [0n, 0n, false];
  for (const slot of orderSlots) {
    const left = amount - (sells ? sold : bought);
    if (left === 0n) break;
    const order = listedOrder(view, slot);
    const fill = (sells ? fillSelling : fillBuying)(left, order.amount, order.price);
    if (fill === undefined) continue;
    const delivery = (delivered.get(order.maker) ?? 0n) + fill.bought;
    const payment = (received.get(order.maker) ?? 0n) + fill.sold;
    const isPaid = order.headroom === undefined || payment <= order.headroom;
    if (!isPaid || delivery > order.budget) continue;
    if (taken.length === ordersMax || !fitsInCall(view, [side], [[...taken, slot]], true)) {
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

/** The largest `count` of the orders, in the order that they have. */
export function largestOf(
  { orderF64 }: BookView,
  orderSlots: readonly number[],
  count: number,
): readonly number[] {
  const amountOf = (slot: number) => orderF64[slot * ORDER_STRIDE_F64 + ORDER_AMOUNT_F64]!;
  const bySize = orderSlots.toSorted((one, other) => amountOf(other) - amountOf(one));
  const largest = new Set(bySize.slice(0, count));
  return orderSlots.filter((slot) => largest.has(slot));
}
