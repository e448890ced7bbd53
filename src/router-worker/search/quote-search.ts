// The quote engine: a request and a copy of the book in, up to ten routes out. Synchronous and
// bounded; any thread that is inside the copy. Keeps what it derives from the book between calls,
// so a thread has one engine for all its quotes.
//
// Asset paths are solved in the order of what they can give at most, until ten routes are at least
// as good as anything that is left. Numbers choose; integers settle what is answered.
import { type BookView, NONE } from "../../book/shared-layout.ts";
import { findAsset } from "../../book/shared-lookup.ts";
import { bookCloseTime, bookLedger, isFrozen, mayBeBought } from "../../book/shared-reader.ts";
import { I128_MAX } from "../../model/settlement.ts";
import {
  ORDERS_MAX,
  type QuoteRequest,
  type QuoteResult,
  ROUTES_MAX,
  type RouteQuote,
} from "../quote.ts";
import { BUY, SELL } from "./hop-search.ts";
import { PathQueue } from "./path-queue.ts";
import { PathSearch } from "./path-search.ts";
import { RouteSolver } from "./route-solver.ts";
import { SideCurves } from "./side-curves.ts";

export class QuoteSearch {
  readonly #curves: SideCurves;
  readonly #queue = new PathQueue();
  readonly #paths: PathSearch;
  readonly #solver: RouteSolver;
  readonly #ordersMax: number;

  /** For views of the capacity of `view`. `ordersMax`: orders of a route. */
  constructor(view: BookView, ordersMax: number = ORDERS_MAX) {
    this.#curves = new SideCurves(view.capacity.sides);
    this.#paths = new PathSearch(this.#curves, this.#queue, view.capacity.assets);
    this.#solver = new RouteSolver(this.#curves);
    this.#ordersMax = ordersMax;
  }

  /** `nowMs`: UNIX milliseconds; a book whose ledger closed later counts as of its close. */
  quote(view: BookView, request: QuoteRequest, nowMs: number): QuoteResult {
    const ledger = bookLedger(view);
    if (isFrozen(view)) return { status: "rejected", ledger, reason: "frozen" };
    const selling = findAsset(view, request.sellingAsset);
    const buying = findAsset(view, request.buyingAsset);
    if (buying !== NONE && !mayBeBought(view, buying)) {
      return { status: "rejected", ledger, reason: "contract_cannot_hold" };
    }
    if (selling === NONE || buying === NONE || request.amount > I128_MAX) {
      return { status: "unfeasible", ledger };
    }
    const now = Math.max(nowMs / 1000, bookCloseTime(view));
    this.#paths.find(view, {
      direction: request.direction === "strict_send" ? SELL : BUY,
      selling,
      buying,
      amount: Number(request.amount),
      direct: request.direct,
      now,
    });
    const routes = this.#solveBest(view, request, now);
    return routes.length === 0
      ? { status: "unfeasible", ledger }
      : { status: "success", ledger, routes };
  }

  #solveBest(view: BookView, request: QuoteRequest, now: number): RouteQuote[] {
    const queue = this.#queue;
    const selling = request.direction === "strict_send";
    const routes: RouteQuote[] = [];
    while (queue.count > 0) {
      const worst = routes[ROUTES_MAX - 1];
      const path = queue.top;
      // A key holds a margin, so a path whose key is no better is no better.
      if (worst !== undefined && queue.key(path) <= Number(keyOf(worst, selling))) break;
      queue.removeTop();
      const route = this.#solver.solve(view, queue, path, request, this.#ordersMax, now);
      if (route === undefined) continue;
      insertRoute(routes, route, selling);
    }
    return routes;
  }
}

function keyOf(route: RouteQuote, selling: boolean): bigint {
  return selling ? route.bought : -route.sold;
}

/** Keeps the list sorted, best first, and at most `ROUTES_MAX` long. */
function insertRoute(routes: RouteQuote[], route: RouteQuote, selling: boolean): void {
  let place = routes.length;
  while (place > 0 && isBetter(route, routes[place - 1]!, selling)) place -= 1;
  routes.splice(place, 0, route);
  if (routes.length > ROUTES_MAX) routes.pop();
}

/** Of equal results the one that pays less, then the one with fewer hops, then fewer orders. */
function isBetter(one: RouteQuote, other: RouteQuote, selling: boolean): boolean {
  const oneKey = keyOf(one, selling);
  const otherKey = keyOf(other, selling);
  if (oneKey !== otherKey) return oneKey > otherKey;
  if (one.sold !== other.sold) return one.sold < other.sold;
  if (one.hops.length !== other.hops.length) return one.hops.length < other.hops.length;
  return orderCount(one) < orderCount(other);
}

function orderCount(route: RouteQuote): number {
  return route.hops.reduce((sum, { orders }) => sum + orders.length, 0);
}
