// The quote engine: a request and a copy of the book in, up to ten routes out. Synchronous and
// bounded; any thread that is inside the copy. Keeps what it derives from the book between calls,
// so a thread has one engine for all its quotes.
//
// Asset paths are solved in the order of what they can give at most, until ten routes are at least
// as good as anything that is left. Numbers choose; integers settle what is answered.
import { type BookView, NONE } from "../../book/shared-layout.ts";
import { findAsset, findSide } from "../../book/shared-lookup.ts";
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
import { RouteSolver, type SolveContext } from "./route-solver.ts";
import { SideCurves } from "./side-curves.ts";

/**
 * Steps of some 20 ns that the searches for better listings may take for one quote, on top of a
 * first answer for each path (a guess between the time of an answer and the last unit of it).
 */
const WORK_MAX = 1 << 17;

const NEVER_STOP = () => false;

/** Best first. */
type Found = { readonly routes: RouteQuote[]; readonly stopped: boolean };

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

  /**
   * `nowMs`: UNIX milliseconds; a book whose ledger closed later counts as of its close.
   * `shouldStop` ends the search with what it has found; it fails where that is nothing.
   */
  quote(
    view: BookView,
    request: QuoteRequest,
    nowMs: number,
    shouldStop: () => boolean = NEVER_STOP,
  ): QuoteResult {
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
    const context = { view, request, ordersMax: this.#ordersMax, now };
    this.#solver.workLeft = WORK_MAX;
    if (request.direct && request.maxPrice !== undefined) {
      const side = findSide(view, selling, buying);
      const route = side === NONE ? undefined : this.#solver.cross(context, side, request.maxPrice);
      return route === undefined
        ? { status: "unfeasible", ledger }
        : { status: "success", ledger, routes: [route] };
    }
    this.#paths.find(view, {
      direction: request.direction === "strict_send" ? SELL : BUY,
      selling,
      buying,
      amount: Number(request.amount),
      direct: request.direct,
      now,
    });
    const { routes, stopped } = this.#solveBest(context, shouldStop);
    if (routes.length > 0) return { status: "success", ledger, routes };
    return stopped
      ? { status: "failed", message: "The quote took too long." }
      : { status: "unfeasible", ledger };
  }

  #solveBest(context: SolveContext, shouldStop: () => boolean): Found {
    const queue = this.#queue;
    const selling = context.request.direction === "strict_send";
    const routes: RouteQuote[] = [];
    while (queue.count > 0) {
      if (shouldStop()) return { routes, stopped: true };
      const worst = routes[ROUTES_MAX - 1];
      const path = queue.top;
      // A key holds a margin, so a path whose key is no better is no better.
      if (worst !== undefined && queue.key(path) <= Number(keyOf(worst, selling))) break;
      if (queue.orders(path) > this.#ordersMax && worst !== undefined) {
        queue.markCapped(path);
        queue.lowerTop(Math.min(queue.key(path), this.#solver.cappedKey(context, queue, path)));
        continue;
      }
      // The paths that are left are the least promising ones.
      if (this.#solver.workLeft < -WORK_MAX) break;
      queue.removeTop();
      const route = this.#solver.solve(context, queue, path);
      if (route === undefined) continue;
      insertRoute(routes, route, selling);
    }
    return { routes, stopped: false };
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
