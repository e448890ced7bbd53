// The directed sides of markets: order slots by exact price, oldest first among equals, and the
// lists of sides an asset takes part in. Writer only.
import assert from "node:assert/strict";
import { fillList, insertInList, removeFromList } from "./shared-arena.ts";
import type { BookCopy } from "./shared-copy.ts";
import {
  type BookView,
  FRONT_ORDERS,
  HEADER_SEQUENCE_F64,
  LINKS_BUYING_LIST,
  LINKS_SELLING_LIST,
  LINKS_STRIDE_U32,
  LIST_COUNT,
  LIST_START,
  NONE,
  ORDER_PRICE_F64,
  ORDER_SIDE,
  ORDER_STRIDE_F64,
  ORDER_STRIDE_U32,
  SIDE_CHANGED_F64,
  SIDE_FRONT_CHANGED_F64,
  SIDE_LIST,
  SIDE_STRIDE_F64,
  SIDE_STRIDE_U32,
  SIDE_TAKER_BUYS,
  SIDE_TAKER_SELLS,
} from "./shared-layout.ts";
import { findSide, placeOfSide } from "./shared-lookup.ts";
import { releaseIndex, takeIndex } from "./shared-pool.ts";
import { orderId, orderPosition, orderPrice } from "./shared-reader.ts";

/** Files an order, written but in no side, under the assets it sells and buys (indexes). */
export function addToSide(copy: BookCopy, slot: number, selling: number, buying: number): void {
  const { view } = copy;
  let side = findSide(view, buying, selling);
  if (side === NONE) side = openSide(copy, buying, selling);
  view.orderU32[slot * ORDER_STRIDE_U32 + ORDER_SIDE] = side;
  const at = side * SIDE_STRIDE_U32 + SIDE_LIST;
  insertInList(view, view.sideU32, at, placeOfOrder(view, at, slot), slot);
  markOrder(view, slot);
}

/** Files orders, written but in no side, under the assets they sell and buy, which had none. */
export function fillSide(copy: BookCopy, selling: number, buying: number, slots: number[]): void {
  const { view } = copy;
  const side = openSide(copy, buying, selling);
  for (const slot of slots) view.orderU32[slot * ORDER_STRIDE_U32 + ORDER_SIDE] = side;
  slots.sort((one, other) => {
    const price = view.orderF64[one * ORDER_STRIDE_F64 + ORDER_PRICE_F64]!;
    const otherPrice = view.orderF64[other * ORDER_STRIDE_F64 + ORDER_PRICE_F64]!;
    if (price !== otherPrice) return price - otherPrice;
    return isBefore(view, one, other) ? -1 : 1;
  });
  fillList(view, view.sideU32, side * SIDE_STRIDE_U32 + SIDE_LIST, slots);
  view.sideF64[side * SIDE_STRIDE_F64 + SIDE_CHANGED_F64] = view.headerF64[HEADER_SEQUENCE_F64]!;
  view.sideF64[side * SIDE_STRIDE_F64 + SIDE_FRONT_CHANGED_F64] =
    view.headerF64[HEADER_SEQUENCE_F64]!;
}

/** Takes an order out, before its price changes. A side without orders is gone. */
export function takeFromSide(copy: BookCopy, slot: number): void {
  const { view } = copy;
  const side = view.orderU32[slot * ORDER_STRIDE_U32 + ORDER_SIDE]!;
  const at = side * SIDE_STRIDE_U32 + SIDE_LIST;
  const place = placeOfOrder(view, at, slot);
  assert.equal(view.arena[view.sideU32[at + LIST_START]! + place], slot, "order not in its side");
  markOrder(view, slot);
  removeFromList(view, view.sideU32, at, place);
  if (view.sideU32[at + LIST_COUNT] === 0) closeSide(copy, side);
}

/** Tells readers that what they derived from an order in its side's list is stale. */
export function markOrder(view: BookView, slot: number): void {
  const side = view.orderU32[slot * ORDER_STRIDE_U32 + ORDER_SIDE]!;
  const sequence = view.headerF64[HEADER_SEQUENCE_F64]!;
  const at = side * SIDE_STRIDE_F64;
  view.orderChanged[slot] = sequence;
  view.sideF64[at + SIDE_CHANGED_F64] = sequence;
  if (!isBehindFront(view, side, slot)) view.sideF64[at + SIDE_FRONT_CHANGED_F64] = sequence;
}

/** Whether the front stays the same with or without the order. */
function isBehindFront(view: BookView, side: number, slot: number): boolean {
  const at = side * SIDE_STRIDE_U32 + SIDE_LIST;
  if (view.sideU32[at + LIST_COUNT]! <= FRONT_ORDERS + 1) return false;
  const last = view.arena[view.sideU32[at + LIST_START]! + FRONT_ORDERS - 1]!;
  const price = view.orderF64[slot * ORDER_STRIDE_F64 + ORDER_PRICE_F64]!;
  return price > view.orderF64[last * ORDER_STRIDE_F64 + ORDER_PRICE_F64]!;
}

function openSide(copy: BookCopy, takerSells: number, takerBuys: number): number {
  const { view } = copy;
  const side = takeIndex(view, copy.sides);
  const at = side * SIDE_STRIDE_U32;
  view.sideU32[at + SIDE_TAKER_SELLS] = takerSells;
  view.sideU32[at + SIDE_TAKER_BUYS] = takerBuys;
  const selling = takerSells * LINKS_STRIDE_U32 + LINKS_SELLING_LIST;
  const bought = placeOfSide(view, selling, SIDE_TAKER_BUYS, takerBuys);
  insertInList(view, view.assetLinks, selling, bought, side);
  const buying = takerBuys * LINKS_STRIDE_U32 + LINKS_BUYING_LIST;
  const sold = placeOfSide(view, buying, SIDE_TAKER_SELLS, takerSells);
  insertInList(view, view.assetLinks, buying, sold, side);
  return side;
}

function closeSide(copy: BookCopy, side: number): void {
  const { view } = copy;
  const takerSells = view.sideU32[side * SIDE_STRIDE_U32 + SIDE_TAKER_SELLS]!;
  const takerBuys = view.sideU32[side * SIDE_STRIDE_U32 + SIDE_TAKER_BUYS]!;
  const selling = takerSells * LINKS_STRIDE_U32 + LINKS_SELLING_LIST;
  const bought = placeOfSide(view, selling, SIDE_TAKER_BUYS, takerBuys);
  removeFromList(view, view.assetLinks, selling, bought);
  const buying = takerBuys * LINKS_STRIDE_U32 + LINKS_BUYING_LIST;
  const sold = placeOfSide(view, buying, SIDE_TAKER_SELLS, takerSells);
  removeFromList(view, view.assetLinks, buying, sold);
  releaseIndex(view, copy.sides, side);
}

/** How many orders of the list at `at` come before the order in `slot`. */
function placeOfOrder(view: BookView, at: number, slot: number): number {
  const start = view.sideU32[at + LIST_START]!;
  const price = view.orderF64[slot * ORDER_STRIDE_F64 + ORDER_PRICE_F64]!;
  let low = 0;
  let high = view.sideU32[at + LIST_COUNT]!;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = view.arena[start + middle]!;
    const otherPrice = view.orderF64[other * ORDER_STRIDE_F64 + ORDER_PRICE_F64]!;
    const before = otherPrice === price ? isBefore(view, other, slot) : otherPrice < price;
    if (before) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** For orders whose approximate prices are equal. */
function isBefore(view: BookView, one: number, other: number): boolean {
  if (one === other) return false;
  const price = orderPrice(view, one);
  const otherPrice = orderPrice(view, other);
  if (price !== otherPrice) return price < otherPrice;
  const age = orderPosition(view, one);
  const otherAge = orderPosition(view, other);
  return age === otherAge ? orderId(view, one) < orderId(view, other) : age < otherAge;
}
