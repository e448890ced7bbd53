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
import type { PathQueue } from "./path-queue.ts";
import { type CurveUse, MANY_HOPS, ONE_HOP, type SideCurves } from "./side-curves.ts";

/** Relative error of a curve's running totals: some 4,096 additions, and a few operations more. */
const BOUND_MARGIN = 1e-12;

/** Amounts of the contract are i128. */
const AMOUNT_MAX = 2 ** 127;

export type PathDemand = {
  readonly sells: boolean;
  /** Asset indexes. */
  readonly selling: number;
  readonly buying: number;
  readonly amount: number;
  /** One hop only. */
  readonly direct: boolean;
};

export class PathSearch {
  readonly #curves: SideCurves;
  readonly #queue: PathQueue;
  /** By asset: the side that joins it and the far end of the path, or NONE. */
  readonly #endSide: Int32Array;

  // The search at hand. Paths are followed from their near end, whose amount is given, to the far one.
  #view!: BookView;
  #demand!: PathDemand;
  #sells = true;
  #near = 0;
  #far = 0;
  /** Offset of the list of an asset's sides that lead away from the near end, and towards the far one. */
  #awayList = 0;
  #towardsList = 0;
  /** Offset of the asset that such a side leads to, and of the one it comes from. */
  #awayEnd = 0;
  #towardsEnd = 0;

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
    const { sells, selling, buying, amount, direct } = demand;
    this.#view = view;
    this.#demand = demand;
    this.#sells = sells;
    this.#near = sells ? selling : buying;
    this.#far = sells ? buying : selling;
    this.#awayList = sells ? LINKS_SELLING_LIST : LINKS_BUYING_LIST;
    this.#towardsList = sells ? LINKS_BUYING_LIST : LINKS_SELLING_LIST;
    this.#awayEnd = sells ? SIDE_TAKER_BUYS : SIDE_TAKER_SELLS;
    this.#towardsEnd = sells ? SIDE_TAKER_SELLS : SIDE_TAKER_BUYS;
    this.#queue.clear();
    this.#curves.workBudget.take(1);
    const side = findSide(view, selling, buying);
    if (side !== NONE) this.#addPath(ONE_HOP, amount, 0, side, NONE, NONE);
    if (!direct) this.#addLonger();
    this.#queue.arrange();
  }

  /** After a search that was given up: what it noted is not there for the next one. */
  forget(): void {
    this.#endSide.fill(NONE);
  }

  #addLonger(): void {
    this.#markEnds(true);
    const start = this.#listStart(this.#near, this.#awayList);
    const end = this.#listEnd(this.#near, this.#awayList);
    this.#curves.workBudget.take(end - start);
    for (let at = start; at < end; at += 1) {
      const one = this.#view.arena[at]!;
      const asset = this.#assetOf(one, this.#awayEnd);
      if (asset === this.#far || !mayBeBought(this.#view, asset)) continue;
      const flow = this.#after(one, MANY_HOPS, this.#demand.amount);
      if (flow === 0) continue;
      const { used } = this.#curves;
      const last = this.#endSide[asset]!;
      if (last !== NONE) this.#addPath(MANY_HOPS, flow, used, last, one, NONE);
      this.#addThreeHops(one, asset, flow, used);
    }
    this.#markEnds(false);
  }

  #addThreeHops(one: number, middle: number, paid: number, used: number): void {
    const start = this.#listStart(middle, this.#awayList);
    const end = this.#listEnd(middle, this.#awayList);
    this.#curves.workBudget.take(end - start);
    for (let at = start; at < end; at += 1) {
      const two = this.#view.arena[at]!;
      const asset = this.#assetOf(two, this.#awayEnd);
      const last = this.#endSide[asset]!;
      if (last === NONE || asset === this.#near || asset === this.#far) continue;
      const flow = this.#after(two, MANY_HOPS, paid);
      if (flow !== 0) this.#addPath(MANY_HOPS, flow, used + this.#curves.used, last, two, one);
    }
  }

  /**
   * Adds the path whose last side in the order followed is `last`, for the flow that reaches it; the
   * sides before it follow, the nearest first, or NONE. `used`: orders reached on those.
   */
  #addPath(
    use: CurveUse,
    flow: number,
    used: number,
    last: number,
    before: number,
    first: number,
  ): void {
    const value = this.#after(last, use, flow);
    if (value === 0) return;
    const orders = used + this.#curves.used;
    const hops = before === NONE ? 1 : first === NONE ? 2 : 3;
    const queue = this.#queue;
    if (!this.#sells) queue.add(-value, orders, hops, last, before, first);
    else if (hops === 3) queue.add(value, orders, hops, first, before, last);
    else if (hops === 2) queue.add(value, orders, hops, before, last, NONE);
    else queue.add(value, orders, hops, last, NONE, NONE);
  }

  /** Whole units that a side gives at most for a flow (SELL), or costs at least (BUY); 0: it cannot. */
  #after(side: number, use: CurveUse, flow: number): number {
    if (this.#sells) return Math.floor(this.#curves.sell(side, use, flow) * (1 + BOUND_MARGIN));
    const paid = this.#curves.buy(side, use, flow) * (1 - BOUND_MARGIN);
    return paid < AMOUNT_MAX ? Math.ceil(paid) : 0;
  }

  /** Notes the sides that lead to the far end, by the asset they come from if it may be bought; or forgets them. */
  #markEnds(isOn: boolean): void {
    const end = this.#listEnd(this.#far, this.#towardsList);
    for (let at = this.#listStart(this.#far, this.#towardsList); at < end; at += 1) {
      const side = this.#view.arena[at]!;
      const asset = this.#assetOf(side, this.#towardsEnd);
      this.#endSide[asset] = isOn && mayBeBought(this.#view, asset) ? side : NONE;
    }
  }

  #assetOf(side: number, end: number): number {
    return this.#view.sideU32[side * SIDE_STRIDE_U32 + end]!;
  }

  #listStart(asset: number, list: number): number {
    return this.#view.assetLinks[asset * LINKS_STRIDE_U32 + list + LIST_START]!;
  }

  #listEnd(asset: number, list: number): number {
    const at = asset * LINKS_STRIDE_U32 + list;
    return this.#view.assetLinks[at + LIST_START]! + this.#view.assetLinks[at + LIST_COUNT]!;
  }
}
