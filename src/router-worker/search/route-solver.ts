// From an asset path to a route that settles: loads the candidates of its hops, has the best
// selection searched, and settles it in integers.
import type { BookView } from "../../book/shared-layout.ts";
import { orderPrice } from "../../book/shared-reader.ts";
import { HOPS_MAX, type QuoteRequest, type RouteQuote } from "../quote.ts";
import { fillBytesMax, fitsInCall, ORDER_BYTES_MAX } from "./call-bytes.ts";
import { CandidateSets } from "./candidates.ts";
import { GreedyRoute } from "./greedy-route.ts";
import { HeadroomSearch } from "./headroom-search.ts";
import { CreditedHops, useCandidates, wantReleasing } from "./hop-loader.ts";
import type { HopOrders } from "./hop-problem.ts";
import { KnownProfits } from "./known-profits.ts";
import { type Crossing, crossInOrder, type LimitDemand, largestOf } from "./limit-crossing.ts";
import { oneExchanges } from "./one-exchange.ts";
import { RouteHops } from "./route-hops.ts";
import { isBetter, leastEqual } from "./route-order.ts";
import { listedOrder, type Settled, settle } from "./settle.ts";
import { MANY_HOPS, ONE_HOP, type SideCurves } from "./side-curves.ts";
import { type RouteDemand, SlotSplitSearch } from "./slot-split-search.ts";
import { UNKNOWN_WORK } from "./work-budget.ts";

/** Work units for the selection of a limit crossing that is cut short. */
const LIMIT_WORK_MAX = 1 << 14;

/**
 * Work units that selection searches may take for one quote, and the part of what is left of them that each
 * search may take, those of the most promising paths first: a path has up to ROUNDS_MAX of them, and one where
 * headroom is to be released, each once more where the call's bytes bound it. A choice between the time of an
 * answer and the last unit of it. Greedy paths take none.
 */
const WORK_MAX = 1 << 18;
const SEARCH_PART = 1 / 4;
const SEARCH_MIN = 1 << 12;

/** Work units to look for headroom that can be released, for all paths of a quote and for one of them. */
const HEADROOM_WORK_MAX = 1 << 17;
const HEADROOM_WORK_PATH_MAX = 1 << 15;

/** Work units of a greedy route, and of a bound that takes the cap on orders into account. */
const GREEDY_WORK = 40;
const CAPPED_WORK = 100;
/** Work units of an order that a limit order crosses. */
const CROSSED_WORK = 4;

/** Searches of a path, each with orders that the one before it missed (guess). */
const ROUNDS_MAX = 4;

/** How far the route of a path that cannot be the first may stay behind the path's optimum, as a part. */
const FURTHER_GAP = 1e-6;

/** Selections that the 1-exchange of a route settles at most (guess). */
const EXCHANGES_MAX = 256;

/** The orders that a route lists. */
type Listed = {
  readonly sides: readonly number[];
  /** By hop: where the book's memory holds the orders, in matching order; not the slots that a route has. */
  readonly orderSlots: readonly (readonly number[])[];
  readonly flows: readonly bigint[];
};

/** What all paths of one request share. */
export type SolveContext = {
  readonly view: BookView;
  readonly request: QuoteRequest;
  /** Whether the amount is what is sold. */
  readonly sells: boolean;
  readonly ordersMax: number;
  /** See `QuoteContext`. */
  readonly shouldStop: () => boolean;
};

export class RouteSolver {
  /** Falls by the work units that selection searches take. */
  workLeft = WORK_MAX;
  /** A proven gap at which a hop's search may stop: 0 for a path that may give the best route. */
  gap = 0;
  /** What a path must come to at least (BUY: at most) to be of use; undefined: whatever it is. */
  cutoff: number | undefined;
  /** Whether the path solved last may have a better selection: work was cut short, or candidates were left out. */
  isOpen = false;
  /** Whether some were. */
  #isThinned = false;
  readonly #curves: SideCurves;
  readonly #search = new SlotSplitSearch();
  readonly #greedy: GreedyRoute;
  readonly #curvesOfPath = new Int32Array(HOPS_MAX);
  readonly #credits = new CreditedHops();
  #headroomWorkLeft = 0;
  readonly #hops: RouteHops;
  readonly #candidates: CandidateSets;
  /** Of the quote's routes that were searched. */
  readonly #listed = new Map<RouteQuote, Listed>();
  /** Of them those that are as near to their path's optimum as they must be. */
  readonly #proven = new Set<RouteQuote>();

  constructor(curves: SideCurves) {
    this.#curves = curves;
    this.#hops = new RouteHops(curves);
    this.#candidates = new CandidateSets(curves);
    this.#greedy = new GreedyRoute(curves);
  }

  /** To be called for another request, and once the view may be another one. */
  begin(): void {
    this.workLeft = WORK_MAX;
    this.gap = 0;
    this.cutoff = undefined;
    this.#headroomWorkLeft = HEADROOM_WORK_MAX;
    this.#candidates.begin();
    // Clearing an empty one makes it anew.
    if (!this.hasSearched) return;
    this.#listed.clear();
    this.#proven.clear();
  }

  /** Whether routes of the quote were searched: `improve` and `fewest` leave those by price priority as they are. */
  get hasSearched(): boolean {
    return this.#listed.size > 0;
  }

  /** A path's key (see path-search.ts) with regard to the cap on orders. */
  cappedKey(context: SolveContext, sides: readonly number[]): number {
    const { request, sells, ordersMax } = context;
    this.#curves.workBudget.take(CAPPED_WORK);
    this.#isThinned = false;
    this.#loadWithCredit(context, sides);
    // What was left out could give more.
    if (this.#isThinned) return Number.POSITIVE_INFINITY;
    const amount = Number(request.amount);
    const bound = this.#search.boundOf(sides.length, sells, amount, ordersMax);
    return sells ? bound : -bound;
  }

  /** The best route of a path with this key, or undefined where no selection of it was found that settles. */
  solve(context: SolveContext, sides: readonly number[], key: number): RouteQuote | undefined {
    this.isOpen = false;
    this.#isThinned = false;
    const { workBudget } = this.#curves;
    workBudget.take(GREEDY_WORK);
    const greedy = this.#solveGreedily(context, sides, key);
    if (greedy !== undefined) return greedy;
    workBudget.take(UNKNOWN_WORK);
    const route = this.#searchRoute(context, sides);
    if (this.#isThinned) this.isOpen = true;
    if (route !== undefined && !this.isOpen) this.#proven.add(route);
    return route;
  }

  #searchRoute(context: SolveContext, sides: readonly number[]): RouteQuote | undefined {
    const isTight = this.#loadWithCredit(context, sides);
    if (isTight && wantReleasing(this.#search.hops, sides.length)) {
      this.#loadWithCredit(context, sides);
    }
    const route = this.#attemptAll(context, sides);
    // Nothing reaches the cutoff, even with all the headroom there could be.
    const isUseless = this.cutoff !== undefined && !this.isOpen;
    if (!isTight || route !== undefined || isUseless) return route;
    // What headroom an order takes or releases counts as much as its price and its size.
    this.#wantAll(sides);
    this.#load(context, sides);
    const known = this.#attempt(context, sides);
    return this.#releaseHeadroom(context, sides, known) ?? known;
  }

  /** As `#attempt`, and again with the orders that were missed, unless it is not proven anyway. */
  #attemptAll(context: SolveContext, sides: readonly number[]): RouteQuote | undefined {
    let route = this.#attempt(context, sides);
    for (let round = 1; this.#search.hasMissed; round += 1) {
      if (round === ROUNDS_MAX) this.isOpen = true;
      if (this.isOpen) {
        for (const [hop] of sides.entries()) this.#search.hops[hop]!.dropped?.clear();
        break;
      }
      const value = context.sells ? route?.bought : route?.sold;
      const cutoff = value === undefined ? undefined : Number(value);
      this.#loadWithCredit(context, sides);
      route = this.#attempt(context, sides, cutoff) ?? route;
    }
    return route;
  }

  /** A better route than `known` on which orders are listed for the headroom they release. */
  #releaseHeadroom(
    context: SolveContext,
    sides: readonly number[],
    known: RouteQuote | undefined,
  ): RouteQuote | undefined {
    if (this.#headroomWorkLeft <= 0) {
      this.isOpen = true;
      return undefined;
    }
    const { request, sells, ordersMax } = context;
    const hops = this.#search.hops.slice(0, sides.length);
    let route: RouteQuote | undefined;
    const { work, complete } = new HeadroomSearch(hops, {
      sells,
      amount: Number(request.amount),
      ordersMax,
      workMax: Math.min(HEADROOM_WORK_PATH_MAX, this.#headroomWorkLeft),
      value: sells ? Number(known?.bought ?? 0n) : Number(known?.sold ?? Number.POSITIVE_INFINITY),
      settles: (lists) => {
        const orderSlots = lists.map((list, hop) => list.map((entry) => slotOf(hops[hop]!, entry)));
        const better = this.#routeOf(context, sides, orderSlots);
        if (better !== undefined) route = better;
        return better !== undefined;
      },
    });
    this.#headroomWorkLeft -= work;
    // It tries every selection, whatever the searches before it left open.
    this.isOpen = !complete;
    return route;
  }

  /**
   * Best price first, where that is certainly the best selection, or of a path that cannot be the first as near to
   * the path's bound as it must be.
   */
  #solveGreedily(
    context: SolveContext,
    sides: readonly number[],
    key: number,
  ): RouteQuote | undefined {
    const { view, request, sells, ordersMax } = context;
    const greedy = this.#greedy;
    const amount = Number(request.amount);
    const curves = this.#findCurves(sides, false);
    const found = greedy.solve(curves, sides.length, sells, amount, ordersMax, view.orderU64);
    if (!found) return undefined;
    const isNear = sells
      ? greedy.bought >= key * (1 - FURTHER_GAP)
      : greedy.sold <= -key * (1 + FURTHER_GAP);
    const isGood = this.gap > 0 ? greedy.isProven || isNear : greedy.isProven && greedy.isFewest();
    if (!isGood || !this.#fitsGreedily(view, sides)) return undefined;
    const { sold, bought, counts } = greedy;
    return {
      sold: sold === amount ? request.amount : BigInt(sold),
      bought: bought === amount ? request.amount : BigInt(bought),
      hops: sides.map((_, hop) => this.#hops.first(view, curves[hop]!, counts[hop]!)),
    };
  }

  /**
   * The route with one order replaced, added or dropped, where that is better; again and again,
   * but never worse than the first one by more than counts as equal. A proven route only drops
   * orders: no other exchange can make it better.
   */
  improve(context: SolveContext, first: RouteQuote): RouteQuote {
    const { sells } = context;
    let left = EXCHANGES_MAX;
    let best = first;
    const dropsOnly = this.#proven.has(first);
    for (;;) {
      const listed = this.#listed.get(best);
      if (listed === undefined) return best;
      if (!dropsOnly) this.#loadWithCredit(context, listed.sides);
      const before = best;
      for (const orderSlots of this.#exchangesOf(context, listed, dropsOnly)) {
        left -= 1;
        if (left < 0) return best;
        const other = this.#routeOf(context, listed.sides, orderSlots);
        if (other === undefined || !isBetter(other, best, sells) || !isBetter(other, first, sells))
          continue;
        best = other;
        break;
      }
      if (best === before) return best;
    }
  }

  /**
   * The route of the fewest orders along the sides of `found` that is better than it and `first`, which it
   * was made of: of those that count as equal. As far as there is work and time left.
   */
  fewest(context: SolveContext, found: RouteQuote, first: RouteQuote): RouteQuote {
    const { sells } = context;
    const equal = leastEqual(found, sells);
    this.gap = 0;
    let best = found;
    let slots = Number.POSITIVE_INFINITY;
    while (this.workLeft > 0 && !context.shouldStop()) {
      const listed = this.#listed.get(best);
      if (listed === undefined) break;
      const { sides, orderSlots } = listed;
      slots = Math.min(slots, orderSlots.flat().length - 1);
      if (slots < sides.length) break;
      this.#loadWithCredit(context, sides);
      this.isOpen = false;
      const other = this.#attempt({ ...context, ordersMax: slots }, sides, equal);
      if (other !== undefined && isBetter(other, found, sells) && isBetter(other, first, sells)) {
        best = other;
      } else if (this.isOpen || this.#search.hasMissed) {
        // A search that is cut short, or lacks orders, says nothing of fewer.
        slots = Math.floor(slots / 2);
      } else break;
    }
    return best;
  }

  *#exchangesOf(
    { view, sells, ordersMax }: SolveContext,
    { orderSlots, flows }: Listed,
    dropsOnly: boolean,
  ): Generator<readonly (readonly number[])[]> {
    const left = ordersMax - orderSlots.flat().length;
    for (const [hop, list] of orderSlots.entries()) {
      const candidates = dropsOnly ? undefined : this.#search.hops[hop]!;
      const amount = Number(flows[hop]);
      const demand = { sells, amount, slots: list.length + left, candidates };
      for (const changed of oneExchanges(view, list, demand)) yield orderSlots.with(hop, changed);
    }
  }

  /** Whether the network carries the call of what greedy lists. */
  #fitsGreedily(view: BookView, sides: readonly number[]): boolean {
    const { columns, start } = this.#curves;
    const { counts } = this.#greedy;
    const listed = sides.reduce((sum, _, hop) => sum + counts[hop]!, 0);
    if (listed * ORDER_BYTES_MAX <= fillBytesMax(view, sides, false)) return true;
    const orderSlots = sides.map((_, hop) => {
      const first = start[this.#curvesOfPath[hop]!]!;
      return Array.from(columns.slot.subarray(first, first + counts[hop]!));
    });
    return fitsInCall(view, sides, orderSlots, false);
  }

  /** What a limit order crosses on a side; undefined: nothing. */
  cross(context: SolveContext, side: number, priceMax: bigint): RouteQuote | undefined {
    const { view, request } = context;
    const curve = this.#curves.wholeCurveOf(side, ONE_HOP);
    const demand = { ...context, side, amount: request.amount };
    const inOrder = crossInOrder(demand, this.#slotsUpTo(view, curve, priceMax));
    const { orderSlots, sold, bought } = inOrder.isCut
      ? this.#crossMore(context, demand, curve, priceMax, inOrder)
      : inOrder;
    if (orderSlots.length === 0) return undefined;
    return { sold, bought, hops: [this.#hops.listed(view, side, orderSlots)] };
  }

  /** Where slots or the call's bytes end best price first: a selection that fills the amount, or more of it. */
  #crossMore(
    context: SolveContext,
    demand: LimitDemand,
    curve: number,
    priceMax: bigint,
    inOrder: Crossing,
  ): Pick<Crossing, "orderSlots" | "sold" | "bought"> {
    const { view, ordersMax } = context;
    this.#curves.workBudget.take(UNKNOWN_WORK);
    const hop = this.#search.hops[0]!;
    useCandidates(hop, view, this.#candidates.of(curve), true);
    while (hop.count > 0 && orderPrice(view, slotOf(hop, hop.count - 1)) > priceMax) hop.count -= 1;
    hop.profits = new KnownProfits();
    const bytes = fillBytesMax(view, [demand.side], true);
    const limits = { bytes, workMax: LIMIT_WORK_MAX };
    const [found] = this.#searchSelections(context, [demand.side], limits) ?? [];
    if (found !== undefined) {
      const settled = settleListed(context, [found]);
      if (settled !== undefined) return { ...settled, orderSlots: found };
    }
    const all = [...this.#slotsUpTo(view, curve, priceMax)];
    const largest = crossInOrder(demand, largestOf(view, all, ordersMax));
    return largest.bought > inOrder.bought ? largest : inOrder;
  }

  /** Where the book holds the orders of a curve that are priced up to a limit, cheapest first. */
  *#slotsUpTo(view: BookView, curve: number, priceMax: bigint): Generator<number> {
    const { columns, count, start, workBudget } = this.#curves;
    const first = start[curve]!;
    for (let at = first; at < first + count[curve]!; at += 1) {
      const slot = columns.slot[at]!;
      if (orderPrice(view, slot) > priceMax) return;
      workBudget.take(CROSSED_WORK);
      yield slot;
    }
  }

  /**
   * With the hops as they are loaded: first as if the call carried everything. Where it does not carry what is
   * best then, with all orders and what it does: one of a maker who is listed already takes fewer bytes.
   */
  #attempt(
    context: SolveContext,
    sides: readonly number[],
    cutoff: number | undefined = this.cutoff,
  ): RouteQuote | undefined {
    const bytes = fillBytesMax(context.view, sides, false);
    const { isOpen } = this;
    const limits = cutoff === undefined ? {} : { cutoff };
    let orderSlots = this.#searchSelections(context, sides, limits);
    if (orderSlots === undefined) return undefined;
    // The call carries it, too, where some of the orders are not needed.
    let route = this.#routeOf(context, sides, orderSlots);
    if (route === undefined && this.#search.bytes > bytes) {
      this.isOpen = isOpen;
      if (this.#wantAll(sides)) this.#loadWithCredit(context, sides);
      orderSlots = this.#searchSelections(context, sides, { ...limits, bytes });
      if (orderSlots === undefined) return undefined;
      route = this.#routeOf(context, sides, orderSlots);
    }
    // Another selection may settle.
    if (route === undefined) this.isOpen = true;
    return route;
  }

  /** Whether there are orders that were not wanted before. */
  #wantAll(sides: readonly number[]): boolean {
    let isNew = false;
    for (const [hop] of sides.entries()) {
      if (this.#search.hops[hop]!.dropped?.wantAll() === true) isNew = true;
    }
    return isNew;
  }

  /** The route that lists these orders, or undefined where they do not settle. */
  #routeOf(
    context: SolveContext,
    sides: readonly number[],
    orderSlots: readonly (readonly number[])[],
  ): RouteQuote | undefined {
    const settled = settleListed(context, orderSlots);
    if (settled === undefined) return undefined;
    const { sold, bought } = settled;
    const needed = neededOrderSlots(context, orderSlots, settled);
    if (needed === undefined || !fitsInCall(context.view, sides, needed, false)) return undefined;
    const hops = sides.map((side, hop) => this.#hops.listed(context.view, side, needed[hop]!));
    const route = { sold, bought, hops };
    this.#listed.set(route, { sides, orderSlots: needed, flows: settled.flows });
    return route;
  }

  /** As `#load`, and counts all the headroom that deliveries at the hop before can release. */
  #loadWithCredit(context: SolveContext, sides: readonly number[]): boolean {
    const isTight = this.#load(context, sides);
    if (isTight) this.#credits.credit(this.#search.hops, sides.length, context.sells);
    return isTight;
  }

  /** Fills the hops with the candidates of the sides; whether makers on a longer route are short of headroom. */
  #load(context: SolveContext, sides: readonly number[]): boolean {
    const curves = this.#findCurves(sides, true);
    let isTight = false;
    for (let hop = 0; hop < sides.length; hop += 1) {
      const curve = curves[hop]!;
      if (sides.length > 1 && this.#curves.isTight(curve)) isTight = true;
      const candidates = this.#candidates.of(curve);
      if (candidates.isThinned) this.#isThinned = true;
      useCandidates(this.#search.hops[hop]!, context.view, candidates, hop === 0);
    }
    return isTight;
  }

  /** The curves of the sides; `isWhole`: with all of their orders. Good until the next call. */
  #findCurves(sides: readonly number[], isWhole: boolean): Int32Array {
    const use = sides.length === 1 ? ONE_HOP : MANY_HOPS;
    let forgotten: number;
    do {
      ({ forgotten } = this.#curves);
      for (let hop = 0; hop < sides.length; hop += 1) {
        this.#curvesOfPath[hop] = isWhole
          ? this.#curves.wholeCurveOf(sides[hop]!, use)
          : this.#curves.curveOf(sides[hop]!, use);
      }
      // Making one can be the end of one made before it.
    } while (this.#curves.forgotten !== forgotten);
    return this.#curvesOfPath;
  }

  /** By hop as it is loaded the slots of the orders of the best selections; undefined: none were found. */
  #searchSelections(
    { request, sells, ordersMax, shouldStop }: SolveContext,
    sides: readonly number[],
    limits: Partial<Pick<RouteDemand, "cutoff" | "bytes" | "workMax">>,
  ): readonly (readonly number[])[] | undefined {
    const found = this.#search.solve({
      sells,
      hopCount: sides.length,
      amount: request.amount,
      slots: ordersMax,
      gap: this.gap,
      shouldStop,
      cutoff: sells ? 0 : Number.POSITIVE_INFINITY,
      bytes: Number.POSITIVE_INFINITY,
      workMax: Math.max(SEARCH_MIN, this.workLeft * SEARCH_PART),
      ...limits,
    });
    this.workLeft -= this.#search.work;
    if (!this.#search.complete) this.isOpen = true;
    if (!found) return undefined;
    const { lists, counts, hops } = this.#search;
    return sides.map((_, hop) =>
      Array.from(lists[hop]!.subarray(0, counts[hop]!), (entry) => slotOf(hops[hop]!, entry)),
    );
  }
}

function slotOf({ columns }: HopOrders, entry: number): number {
  return columns.slot[entry]!;
}

/**
 * Without the orders that are not filled, as far as the call, which is made with what is sold, comes
 * to the same. Selling, the plan forward may need some: what they take on the way can be more than
 * what is bought in the end needs. Undefined where the call would fail either way.
 */
function neededOrderSlots(
  context: SolveContext,
  orderSlots: readonly (readonly number[])[],
  settled: Settled,
): readonly (readonly number[])[] | undefined {
  const filled = orderSlots.map((list, hop) => list.slice(0, settled.filled[hop]!));
  // Where all are filled, so they are by any amount between what is sold and what is asked for.
  if (filled.every((list, hop) => list.length === orderSlots[hop]!.length)) return orderSlots;
  return [filled, orderSlots].find((lists) => {
    const again = settleListed(context, lists, settled.sold);
    return again?.sold === settled.sold && again.bought === settled.bought;
  });
}

/** `sold`: what is sold, where that is what is asked for. */
function settleListed(
  { view, request, sells }: SolveContext,
  orderSlots: readonly (readonly number[])[],
  sold: bigint = request.amount,
): Settled | undefined {
  const amount = sells ? sold : request.amount;
  const listed = orderSlots.map((list) => list.map((slot) => listedOrder(view, slot)));
  return settle(listed, amount, sells);
}
