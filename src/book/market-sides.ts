// The live orders of one market by id, best prices first, as the shared book has them sorted. Main thread, on
// the live copy, synchronously.
import type { Address } from "../model/address.ts";
import type { OrderId } from "../model/order.ts";
import {
  type BookView,
  LIST_COUNT,
  LIST_START,
  NONE,
  SIDE_CHANGED_F64,
  SIDE_LIST,
  SIDE_STRIDE_F64,
  SIDE_STRIDE_U32,
} from "./shared-layout.ts";
import { findAsset, findSide } from "./shared-lookup.ts";
import { orderId } from "./shared-reader.ts";

/** `asks` sell the base asset, `bids` the quote asset; at most `limit` of each. */
export type MarketSides = { readonly asks: readonly OrderId[]; readonly bids: readonly OrderId[] };

type Market = { readonly base: Address; readonly quote: Address };

/** The sides of any market, of the book that is live when it is asked. */
export type BookSides = {
  readonly sides: (market: Market, limit: number) => MarketSides;
  /**
   * Stands for what the market's orders and their backing are: a step that changes any of them changes it.
   * Numbers of steps, which begin anew with the process.
   */
  readonly version: (market: Market) => string;
};

export function liveSides(live: () => BookView): BookSides {
  return {
    sides: (market, limit) => marketSides(live(), market, limit),
    version: (market) => marketVersion(live(), market),
  };
}

function marketSides(view: BookView, market: Market, limit: number): MarketSides {
  const { asks, bids } = sidesOf(view, market);
  return { asks: idsOf(view, asks, limit), bids: idsOf(view, bids, limit) };
}

function marketVersion(view: BookView, market: Market): string {
  const { asks, bids } = sidesOf(view, market);
  return `${changedAt(view, asks)}-${changedAt(view, bids)}`;
}

function sidesOf(view: BookView, { base, quote }: Market) {
  const baseAsset = findAsset(view, base);
  const quoteAsset = findAsset(view, quote);
  if (baseAsset === NONE || quoteAsset === NONE) return { asks: NONE, bids: NONE };
  return {
    asks: findSide(view, quoteAsset, baseAsset),
    bids: findSide(view, baseAsset, quoteAsset),
  };
}

function idsOf(view: BookView, side: number, limit: number): readonly OrderId[] {
  if (side === NONE) return [];
  const at = side * SIDE_STRIDE_U32 + SIDE_LIST;
  const start = view.sideU32[at + LIST_START]!;
  const count = Math.min(limit, view.sideU32[at + LIST_COUNT]!);
  return Array.from(view.arena.subarray(start, start + count), (slot) => orderId(view, slot));
}

function changedAt(view: BookView, side: number): number {
  return side === NONE ? 0 : view.sideF64[side * SIDE_STRIDE_F64 + SIDE_CHANGED_F64]!;
}
