// Hot path: all asset paths of at most three hops between two assets, each with a bound on what it
// can give. In a dense market of 60 assets that is two lookups in a curve for each of 3,365 paths.
import {
  type BookView,
  LINKS_BUYING_LIST,
  LINKS_SELLING_LIST,
  LINKS_STRIDE_U32,
  LIST_COUNT,
  LIST_START,
  NONE,
  SIDE_STRIDE_U32,
  SIDE_TAKER_BUYS,
  SIDE_TAKER_SELLS,
} from "../../book/shared-layout.ts";
import { findSide } from "../../book/shared-lookup.ts";
import { mayBeBought } from "../../book/shared-reader.ts";
import { type HopDirection, SELL } from "./hop-problem.ts";
import type { PathQueue } from "./path-queue.ts";
import { MANY_HOPS, ONE_HOP, type SideCurves } from "./side-curves.ts";

/** Relative error of a curve's running totals: some 4,096 additions, and a few operations more. */
export const BOUND_MARGIN = 1e-12;

/** Amounts of the contract are i128. */
const AMOUNT_MAX = 2 ** 127;

export type PathDemand = {
  readonly direction: HopDirection;
  /** Asset indexes. */
  readonly selling: number;
  readonly buying: number;
  readonly amount: number;
  /** One hop only. */
  readonly direct: boolean;
  /** UNIX seconds. */
  readonly now: number;
};

export class PathSearch {
  readonly #curves: SideCurves;
  readonly #queue: PathQueue;
  /** By asset: the side that leads to (SELL) or from (BUY) the far end of the path, or NONE. */
  readonly #endSide: Int32Array;

  /** `assets`: the capacity of the book that will be read. */
  constructor(curves: SideCurves, queue: PathQueue, assets: number) {
    this.#curves = curves;
    this.#queue = queue;
    this.#endSide = new Int32Array(assets + 1);
  }

  /**
   * Fills the queue. A path's key is at most what it gives (SELL), or the negative of at least
   * what it costs (BUY): whole units, a margin for floating point included. Paths that cannot give
   * one unit, or not the amount, are left out.
   */
  find(view: BookView, demand: PathDemand): void {
    this.#queue.clear();
    if (this.#curves.budget.isBounded) this.#curves.budget.take(stepsOf(view, demand));
    this.#addDirect(view, demand);
    if (!demand.direct) {
      if (demand.direction === SELL) this.#addSelling(view, demand);
      else this.#addBuying(view, demand);
    }
    this.#queue.arrange();
  }

  /** After a search that was given up: what it noted is not there for the next one. */
  forget(): void {
    this.#endSide.fill(NONE);
  }

  #addDirect(view: BookView, demand: PathDemand): void {
    const side = findSide(view, demand.selling, demand.buying);
    if (side === NONE) return;
    if (demand.direction === SELL) {
      const got = mostOf(this.#curves.sell(view, side, ONE_HOP, demand.amount, demand.now));
      if (got >= 1) this.#queue.add(got, this.#curves.used, 1, side, NONE, NONE);
    } else {
      const paid = leastOf(this.#curves.buy(view, side, ONE_HOP, demand.amount, demand.now));
      if (paid < AMOUNT_MAX) this.#queue.add(-paid, this.#curves.used, 1, side, NONE, NONE);
    }
  }

  #addSelling(view: BookView, demand: PathDemand): void {
    const { selling, buying, amount, now } = demand;
    this.#markEnds(view, buying, LINKS_BUYING_LIST, SIDE_TAKER_SELLS);
    const list = selling * LINKS_STRIDE_U32 + LINKS_SELLING_LIST;
    const from = view.assetLinks[list + LIST_START]!;
    const to = from + view.assetLinks[list + LIST_COUNT]!;
    for (let at = from; at < to; at += 1) {
      const one = view.arena[at]!;
      const asset = view.sideU32[one * SIDE_STRIDE_U32 + SIDE_TAKER_BUYS]!;
      if (asset === buying || !mayBeBought(view, asset)) continue;
      const got = this.#sell(view, one, amount, now);
      if (got < 1) continue;
      const used = this.#curves.used;
      const end = this.#endSide[asset]!;
      if (end !== NONE) {
        const bought = this.#sell(view, end, got, now);
        if (bought >= 1) {
          this.#queue.add(bought, used + this.#curves.used, 2, one, end, NONE);
        }
      }
      this.#addThirdHops(view, demand, one, asset, got, used);
    }
    this.#unmarkEnds(view, buying, LINKS_BUYING_LIST, SIDE_TAKER_SELLS);
  }

  #addThirdHops(
    view: BookView,
    demand: PathDemand,
    one: number,
    middle: number,
    paid: number,
    used: number,
  ): void {
    const { selling, buying, now } = demand;
    const list = middle * LINKS_STRIDE_U32 + LINKS_SELLING_LIST;
    const from = view.assetLinks[list + LIST_START]!;
    const to = from + view.assetLinks[list + LIST_COUNT]!;
    for (let at = from; at < to; at += 1) {
      const two = view.arena[at]!;
      const asset = view.sideU32[two * SIDE_STRIDE_U32 + SIDE_TAKER_BUYS]!;
      const end = this.#endSide[asset]!;
      if (end === NONE || asset === selling || asset === buying) continue;
      if (!mayBeBought(view, asset)) continue;
      const got = this.#sell(view, two, paid, now);
      if (got < 1) continue;
      const usedTwo = used + this.#curves.used;
      const bought = this.#sell(view, end, got, now);
      if (bought < 1) continue;
      this.#queue.add(bought, usedTwo + this.#curves.used, 3, one, two, end);
    }
  }

  #addBuying(view: BookView, demand: PathDemand): void {
    const { selling, buying, amount, now } = demand;
    this.#markEnds(view, selling, LINKS_SELLING_LIST, SIDE_TAKER_BUYS);
    const list = buying * LINKS_STRIDE_U32 + LINKS_BUYING_LIST;
    const from = view.assetLinks[list + LIST_START]!;
    const to = from + view.assetLinks[list + LIST_COUNT]!;
    for (let at = from; at < to; at += 1) {
      const last = view.arena[at]!;
      const asset = view.sideU32[last * SIDE_STRIDE_U32 + SIDE_TAKER_SELLS]!;
      if (asset === selling || !mayBeBought(view, asset)) continue;
      const cost = this.#buy(view, last, amount, now);
      if (cost >= AMOUNT_MAX) continue;
      const used = this.#curves.used;
      const first = this.#endSide[asset]!;
      if (first !== NONE) {
        const sold = this.#buy(view, first, cost, now);
        if (sold < AMOUNT_MAX) {
          this.#queue.add(-sold, used + this.#curves.used, 2, first, last, NONE);
        }
      }
      this.#addFirstHops(view, demand, last, asset, cost, used);
    }
    this.#unmarkEnds(view, selling, LINKS_SELLING_LIST, SIDE_TAKER_BUYS);
  }

  #addFirstHops(
    view: BookView,
    demand: PathDemand,
    last: number,
    middle: number,
    wanted: number,
    used: number,
  ): void {
    const { selling, buying, now } = demand;
    const list = middle * LINKS_STRIDE_U32 + LINKS_BUYING_LIST;
    const from = view.assetLinks[list + LIST_START]!;
    const to = from + view.assetLinks[list + LIST_COUNT]!;
    for (let at = from; at < to; at += 1) {
      const two = view.arena[at]!;
      const asset = view.sideU32[two * SIDE_STRIDE_U32 + SIDE_TAKER_SELLS]!;
      const first = this.#endSide[asset]!;
      if (first === NONE || asset === selling || asset === buying) continue;
      if (!mayBeBought(view, asset)) continue;
      const cost = this.#buy(view, two, wanted, now);
      if (cost >= AMOUNT_MAX) continue;
      const usedTwo = used + this.#curves.used;
      const sold = this.#buy(view, first, cost, now);
      if (sold >= AMOUNT_MAX) continue;
      this.#queue.add(-sold, usedTwo + this.#curves.used, 3, first, two, last);
    }
  }

  #sell(view: BookView, side: number, paid: number, now: number): number {
    return mostOf(this.#curves.sell(view, side, MANY_HOPS, paid, now));
  }

  #buy(view: BookView, side: number, wanted: number, now: number): number {
    return leastOf(this.#curves.buy(view, side, MANY_HOPS, wanted, now));
  }

  /** Notes the sides of a list of `asset`, by the asset at their other end. */
  #markEnds(view: BookView, asset: number, links: number, other: number): void {
    const list = asset * LINKS_STRIDE_U32 + links;
    const from = view.assetLinks[list + LIST_START]!;
    const to = from + view.assetLinks[list + LIST_COUNT]!;
    for (let at = from; at < to; at += 1) {
      const side = view.arena[at]!;
      this.#endSide[view.sideU32[side * SIDE_STRIDE_U32 + other]!] = side;
    }
  }

  #unmarkEnds(view: BookView, asset: number, links: number, other: number): void {
    const list = asset * LINKS_STRIDE_U32 + links;
    const from = view.assetLinks[list + LIST_START]!;
    const to = from + view.assetLinks[list + LIST_COUNT]!;
    for (let at = from; at < to; at += 1) {
      this.#endSide[view.sideU32[view.arena[at]! * SIDE_STRIDE_U32 + other]!] = NONE;
    }
  }
}

/** Sides that will be looked at: a step each, at most two. */
function stepsOf(view: BookView, { direction, selling, buying, direct }: PathDemand): number {
  if (direct) return 1;
  const sells = direction === SELL;
  const links = sells ? LINKS_SELLING_LIST : LINKS_BUYING_LIST;
  const other = sells ? SIDE_TAKER_BUYS : SIDE_TAKER_SELLS;
  const list = (sells ? selling : buying) * LINKS_STRIDE_U32 + links;
  const from = view.assetLinks[list + LIST_START]!;
  const to = from + view.assetLinks[list + LIST_COUNT]!;
  let steps = to - from;
  for (let at = from; at < to; at += 1) {
    const middle = view.sideU32[view.arena[at]! * SIDE_STRIDE_U32 + other]!;
    steps += view.assetLinks[middle * LINKS_STRIDE_U32 + links + LIST_COUNT]!;
  }
  return steps;
}

/** Whole units at most, or at least, with a margin for floating point. */
export function mostOf(got: number): number {
  return Math.floor(got * (1 + BOUND_MARGIN));
}

export function leastOf(paid: number): number {
  return Math.ceil(paid * (1 - BOUND_MARGIN));
}
