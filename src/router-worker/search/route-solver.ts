// From an asset path to a route that settles: loads the candidates of its hops, has the best
// listing searched, and settles it in integers.
import {
  type BookView,
  ORDER_OWNER,
  ORDER_RECEIVED_BACKING,
  ORDER_SOLD_BACKING,
  ORDER_STRIDE_U32,
  SIDE_STRIDE_U32,
  SIDE_TAKER_BUYS,
  SIDE_TAKER_SELLS,
} from "../../book/shared-layout.ts";
import {
  backingBudget,
  backingHeadroom,
  orderAmount,
  orderId,
  orderPrice,
} from "../../book/shared-reader.ts";
import type { QuoteRequest, RouteHop, RouteQuote } from "../quote.ts";
import { AddressCache } from "./address-cache.ts";
import { loadHop } from "./hop-loader.ts";
import { BUY, SELL } from "./hop-search.ts";
import type { PathQueue } from "./path-queue.ts";
import { RouteSearch } from "./route-search.ts";
import { type ListedOrder, settleBuying, settleSelling } from "./settle.ts";
import { MANY_HOPS, ONE_HOP, type SideCurves } from "./side-curves.ts";

/** Search nodes for the listing of one hop, some 20 ns each. */
const NODES_MAX = 20_000;

/** Candidates beyond those that the path's bound used: enough for what rounding and backing shift. */
const CANDIDATES_MORE = 12;

export class RouteSolver {
  readonly #curves: SideCurves;
  readonly #search = new RouteSearch();
  readonly #addresses = new AddressCache();

  constructor(curves: SideCurves) {
    this.#curves = curves;
  }

  /** Undefined where no listing of the path settles. */
  solve(
    view: BookView,
    queue: PathQueue,
    path: number,
    request: QuoteRequest,
    ordersMax: number,
    now: number,
  ): RouteQuote | undefined {
    const hopCount = queue.hopCount(path);
    const orders = queue.orders(path);
    const limit = orders <= ordersMax ? orders + CANDIDATES_MORE : Number.POSITIVE_INFINITY;
    let isTight = false;
    for (let hop = 1; hop < hopCount; hop += 1) {
      if (this.#curves.isTight(queue.side(path, hop))) isTight = true;
    }
    const demand = { view, queue, path, request, ordersMax, now };
    const optimistic = this.#attempt(demand, limit, isTight);
    if (!isTight || optimistic !== undefined) return optimistic;
    return this.#attempt(demand, limit, false);
  }

  /** `credit`: counts what makers could deliver at one hop as room for the next hop's payments. */
  #attempt(demand: SolveDemand, limit: number, credit: boolean): RouteQuote | undefined {
    const { request, queue, path, ordersMax } = demand;
    this.#load(demand, limit, credit);
    const direction = request.direction === "strict_send" ? SELL : BUY;
    const routeDemand = {
      direction,
      hopCount: queue.hopCount(path),
      amount: Number(request.amount),
      ordersMax,
      nodesMax: NODES_MAX,
    } as const;
    let found = this.#search.solve(routeDemand);
    if (this.#search.truncated) {
      this.#load(demand, Number.POSITIVE_INFINITY, credit);
      found = this.#search.solve(routeDemand);
    }
    return found ? this.#settle(demand) : undefined;
  }

  #load({ view, queue, path, now }: SolveDemand, limit: number, credit: boolean): void {
    const hopCount = queue.hopCount(path);
    const use = hopCount === 1 ? ONE_HOP : MANY_HOPS;
    for (let hop = 0; hop < hopCount; hop += 1) {
      const curve = this.#curves.curveOf(view, queue.side(path, hop), use, now);
      if (limit === Number.POSITIVE_INFINITY) this.#curves.deepenFully(view, curve, now);
      const before = credit && hop > 0 ? this.#search.hops[hop - 1] : undefined;
      loadHop(this.#search.hops[hop]!, view, this.#curves, curve, limit, before);
    }
  }

  #settle({ view, queue, path, request }: SolveDemand): RouteQuote | undefined {
    const hopCount = queue.hopCount(path);
    const slots = Array.from({ length: hopCount }, (_, hop) => this.#listedSlots(hop));
    const listed = slots.map((list) => list.map((slot) => listedOrder(view, slot)));
    const settled =
      request.direction === "strict_send"
        ? settleSelling(listed, request.amount)
        : settleBuying(listed, request.amount);
    if (settled === undefined) return undefined;
    return {
      sold: settled.sold,
      bought: settled.bought,
      hops: slots.map((list, hop) =>
        this.#routeHop(view, queue.side(path, hop), list.slice(0, settled.filled[hop]!)),
      ),
    };
  }

  #listedSlots(hop: number): readonly number[] {
    const { lists, counts, hops } = this.#search;
    return Array.from(
      lists[hop]!.subarray(0, counts[hop]!),
      (candidate) => hops[hop]!.slot[candidate]!,
    );
  }

  #routeHop(view: BookView, side: number, slots: readonly number[]): RouteHop {
    const at = side * SIDE_STRIDE_U32;
    return {
      selling: this.#addresses.address(view, view.sideU32[at + SIDE_TAKER_SELLS]!),
      buying: this.#addresses.address(view, view.sideU32[at + SIDE_TAKER_BUYS]!),
      orders: slots.map((slot) => orderId(view, slot)),
      worstPrice: slots.reduce((worst, slot) => {
        const price = orderPrice(view, slot);
        return price > worst ? price : worst;
      }, 0n),
    };
  }
}

type SolveDemand = {
  readonly view: BookView;
  readonly queue: PathQueue;
  readonly path: number;
  readonly request: QuoteRequest;
  readonly ordersMax: number;
  readonly now: number;
};

function listedOrder(view: BookView, slot: number): ListedOrder {
  const at = slot * ORDER_STRIDE_U32;
  return {
    price: orderPrice(view, slot),
    amount: orderAmount(view, slot),
    maker: view.orderU32[at + ORDER_OWNER]!,
    budget: backingBudget(view, view.orderU32[at + ORDER_SOLD_BACKING]!),
    room: backingHeadroom(view, view.orderU32[at + ORDER_RECEIVED_BACKING]!),
  };
}
