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
import type { QuoteContext } from "../quote-engine.ts";
import { PathQueue } from "./path-queue.ts";
import { PathSearch } from "./path-search.ts";
import { insertRoute, isBetter, isEqual, keyOf, leastEqual } from "./route-order.ts";
import { RouteSolver, type SolveContext } from "./route-solver.ts";
import { SideCurves } from "./side-curves.ts";
import { OUT_OF_WORK } from "./work-budget.ts";

/** What a hop of a path that cannot be the first may stay behind its optimum: all three together less than 10^-6. */
const HOP_GAP = 2.5e-7;

export class QuoteSearch {
  /**
   * Unproven paths of the last quote: a better selection may exist, since the work for it was cut short
   * or some of the candidates were left out. 0 where the search was stopped (`isCut`) and of a limit order.
   */
  unprovenPaths = 0;
  /** Whether the last quote left paths unsolved for want of work or time. */
  isCut = false;

  readonly #curves: SideCurves;
  readonly #queue: PathQueue;
  readonly #paths: PathSearch;
  readonly #solver: RouteSolver;
  readonly #ordersMax: number;
  /** Of the quote at hand: whether one was found. */
  #hasRoutes = false;

  /** For views of the capacity of `view`. `ordersMax`: orders of a route. */
  constructor(view: BookView, ordersMax: number = ORDERS_MAX, entriesMax?: number) {
    this.#curves = new SideCurves(view.capacity.sides, entriesMax);
    this.#queue = new PathQueue(view.capacity.sides);
    this.#paths = new PathSearch(this.#curves, this.#queue, view.capacity.assets);
    this.#solver = new RouteSolver(this.#curves);
    this.#ordersMax = ordersMax;
  }

  /**
   * As `QuoteEngine`; a book whose ledger closed after `now` counts as of its close. Told to stop,
   * the search ends with what it has found, and fails where that is nothing.
   */
  quote(view: BookView, request: QuoteRequest, context: QuoteContext): QuoteResult {
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
    const now = Math.max(context.now, bookCloseTime(view));
    this.#hasRoutes = false;
    const shouldStop = () => context.shouldStop(this.#hasRoutes);
    const sells = request.direction === "strict_send";
    const task = { view, request, sells, ordersMax: this.#ordersMax, shouldStop };
    this.#curves.begin(view, context.skipWindow, now);
    this.#solver.begin();
    this.unprovenPaths = 0;
    this.isCut = false;
    if (request.direct && request.maxPrice !== undefined) {
      const side = findSide(view, selling, buying);
      const route = side === NONE ? undefined : this.#solver.cross(task, side, request.maxPrice);
      return route === undefined
        ? { status: "unfeasible", ledger }
        : { status: "success", ledger, routes: [route] };
    }
    this.#paths.find(view, {
      sells,
      selling,
      buying,
      amount: Number(request.amount),
      direct: request.direct,
    });
    const routes = this.#solveBest(task);
    const isFound = routes.length > 0;
    if (!isFound && shouldStop()) return { status: "failed", message: "The quote took too long." };
    const result: QuoteResult = isFound
      ? { status: "success", ledger, routes }
      : { status: "unfeasible", ledger };
    const isUnproven = this.unprovenPaths > 0 || this.isCut;
    return isUnproven ? { ...result, isUnproven } : result;
  }

  /**
   * The same answer, or undefined where it would take more than so many work units. Of
   * `context` only what an answer depends on: nothing stops it but that.
   */
  quoteWithin(
    work: number,
    view: BookView,
    request: QuoteRequest,
    context: Omit<QuoteContext, "shouldStop">,
  ): QuoteResult | undefined {
    const { workBudget } = this.#curves;
    workBudget.left = work;
    try {
      const { now, skipWindow } = context;
      return this.quote(view, request, { now, skipWindow, shouldStop: never });
    } catch (error) {
      if (error !== OUT_OF_WORK) throw error;
      this.#paths.forget();
      return undefined;
    } finally {
      workBudget.left = Number.POSITIVE_INFINITY;
    }
  }

  /** Best first. */
  #solveBest(context: SolveContext): readonly RouteQuote[] {
    const queue = this.#queue;
    const solver = this.#solver;
    const { sells } = context;
    const routes: RouteQuote[] = [];
    // Keys of paths of which a better selection may exist.
    const open: number[] = [];
    let best = Number.NEGATIVE_INFINITY;
    // Once there are as many routes as are answered: the key of the last one.
    let worst = Number.NEGATIVE_INFINITY;
    while (queue.count > 0 && solver.workLeft > 0) {
      const path = queue.top;
      const key = queue.key(path);
      const isFull = routes.length === ROUTES_MAX;
      // A key holds a margin, so a path whose key is no better is no better.
      if (isFull && key <= worst) break;
      if (context.shouldStop()) {
        this.isCut = true;
        return routes;
      }
      if (isFull && queue.orders(path) > this.#ordersMax) {
        queue.capTop(solver.cappedKey(context, queue.sides(path)));
        continue;
      }
      queue.removeTop();
      // No better than the best known: it cannot be the first.
      solver.gap = key <= best ? HOP_GAP : 0;
      const route = solver.solve(context, queue.sides(path), key);
      if (route !== undefined) {
        insertRoute(routes, route, sells);
        this.#hasRoutes = true;
        best = Number(keyOf(routes[0]!, sells));
        if (routes.length === ROUTES_MAX) {
          const last = routes[ROUTES_MAX - 1]!;
          worst = Number(keyOf(last, sells));
          // Of results that count as equal the one of fewer orders is answered.
          solver.cutoff = leastEqual(last, sells);
        }
      }
      // No path is better than its key.
      const isBest = route !== undefined && key <= Number(keyOf(route, sells));
      if (solver.isOpen && !isBest) open.push(key);
    }
    this.isCut = queue.count > 0 && queue.key(queue.top) > worst;
    this.unprovenPaths = open.filter((key) => key > worst).length;
    if (!solver.hasSearched || context.shouldStop()) return routes;
    const [first] = routes;
    const exchanged = routes.map((route) => {
      const better = solver.improve(context, route);
      // Another path's, too, where it counts as equal: it comes first then.
      const mayBeFirst = isEqual(better, first!, sells) || isBetter(better, first!, sells);
      return mayBeFirst ? solver.fewest(context, better, route) : better;
    });
    if (exchanged.every((route, at) => route === routes[at])) return routes;
    const sorted: RouteQuote[] = [];
    for (const route of exchanged) insertRoute(sorted, route, sells);
    return sorted;
  }
}

function never(): boolean {
  return false;
}
