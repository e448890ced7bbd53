// Hot path: the hops of routes as they are answered. Most routes cross the first few orders of a
// side whose orders stayed as they are, so those hops are kept: one costs some 10 ns, and whoever
// puts hops into text finds the same object again. A new one costs some 150 ns an order.
import {
  type BookView,
  SIDE_STRIDE_U32,
  SIDE_TAKER_BUYS,
  SIDE_TAKER_SELLS,
} from "../../book/shared-layout.ts";
import { assetAddress, orderId, orderPrice } from "../../book/shared-reader.ts";
import type { OrderId } from "../../model/order.ts";
import type { RouteHop } from "../quote.ts";
import type { SideCurves } from "./side-curves.ts";

/**
 * Hops that are kept, over all curves (guess): twenty of each of some hundred markets, of some
 * hundred bytes each and as many for their texts.
 */
const KEPT_MAX = 1 << 14;

/** Hops that list the first orders of a curve, by how many. Good for one building of it. */
type FirstHops = { readonly build: number; readonly hops: (RouteHop | undefined)[] };

export class RouteHops {
  readonly #curves: SideCurves;
  /** By curve. */
  #first: (FirstHops | undefined)[] = [];
  /** Since `#first` was empty. */
  #kept = 0;

  constructor(curves: SideCurves) {
    this.#curves = curves;
  }

  /** Lists the first `count` orders of a curve of the view. */
  first(view: BookView, curve: number, count: number): RouteHop {
    const known = this.#firstOf(curve);
    const hop = known[count];
    if (hop !== undefined) return hop;
    const { columns, start } = this.#curves;
    const first = start[curve]!;
    const orders: OrderId[] = [];
    for (let at = first; at < first + count; at += 1) {
      orders.push(orderId(view, columns.slot[at]!));
    }
    // The cheapest come first.
    const worstPrice = orderPrice(view, columns.slot[first + count - 1]!);
    const made = this.#hop(view, curve >>> 1, orders, worstPrice);
    known[count] = made;
    this.#kept += 1;
    return made;
  }

  /** Lists the orders in `orderSlots`, which are on a side. */
  listed(view: BookView, side: number, orderSlots: readonly number[]): RouteHop {
    const orders = orderSlots.map((slot) => orderId(view, slot));
    const prices = orderSlots.map((slot) => orderPrice(view, slot));
    const worst = prices.reduce((most, price) => (price > most ? price : most));
    return this.#hop(view, side, orders, worst);
  }

  #firstOf(curve: number): (RouteHop | undefined)[] {
    const build = this.#curves.headBuild[curve]!;
    const known = this.#first[curve];
    if (known !== undefined && known.build === build) return known.hops;
    if (this.#kept >= KEPT_MAX) {
      this.#first = [];
      this.#kept = 0;
    }
    const added = { build, hops: [] };
    this.#first[curve] = added;
    return added.hops;
  }

  #hop(view: BookView, side: number, orders: readonly OrderId[], worstPrice: bigint): RouteHop {
    const at = side * SIDE_STRIDE_U32;
    return {
      selling: assetAddress(view, view.sideU32[at + SIDE_TAKER_SELLS]!),
      buying: assetAddress(view, view.sideU32[at + SIDE_TAKER_BUYS]!),
      orders,
      worstPrice,
    };
  }
}
