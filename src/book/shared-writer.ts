// Applies changes to one copy of the shared book. Main thread only, and only on the copy that no
// reader is in. A pure function of the copy and the change: both copies get the same bytes.
import assert from "node:assert/strict";
import type { Address } from "../model/address.ts";
import type { Order, OrderId } from "../model/order.ts";
import { atOnce } from "../model/slice-turns.ts";
import type { BookChange } from "./book-change.ts";
import { addReference, growAddresses, internAddress } from "./shared-addresses.ts";
import { initArena } from "./shared-arena.ts";
import {
  addToBacking,
  backingOf,
  forgetBacking,
  releaseUnused,
  takeFromBacking,
  writeBacking,
} from "./shared-backings.ts";
import { type BookCopy, bookCopy, type UntrackedBacking } from "./shared-copy.ts";
import {
  type BookView,
  EVENTS_MAX_DEFAULT,
  HEADER_CLOSE_TIME_F64,
  HEADER_CONTRACT_OWNER,
  HEADER_EVENTS_MAX,
  HEADER_FROZEN,
  HEADER_LEDGER_F64,
  HEADER_SEQUENCE_F64,
  NONE,
  ORDER_AMOUNT_F64,
  ORDER_AMOUNT_U64,
  ORDER_BUYING,
  ORDER_EXPIRES_F64,
  ORDER_ID_U64,
  ORDER_OWNER,
  ORDER_POSITION_U64,
  ORDER_PRICE_F64,
  ORDER_PRICE_U64,
  ORDER_RECEIVED_BACKING,
  ORDER_SELLING,
  ORDER_SOLD_BACKING,
  ORDER_STRIDE_F64,
  ORDER_STRIDE_U32,
  ORDER_STRIDE_U64,
} from "./shared-layout.ts";
import { findOrder, hashOfBacking, hashOfOrder } from "./shared-lookup.ts";
import {
  growHash,
  initHash,
  insertInHash,
  type Pool,
  releaseIndex,
  removeFromHash,
  takeIndex,
  takenCount,
} from "./shared-pool.ts";
import { orderPosition, orderPrice } from "./shared-reader.ts";
import { addToSide, markOrder, takeFromSide } from "./shared-sides.ts";
import type { BookState } from "./step.ts";

/** Changes between two looks at the clock: a few microseconds each. */
const PORTION_CHANGES = 16;

/** A copy in memory that was never written. */
export function initCopy(view: BookView, contract: Address, untracked: UntrackedBacking): BookCopy {
  const copy = bookCopy(view, untracked);
  initArena(view);
  for (const table of [view.orderHash, view.assets.hash, view.owners.hash, view.backingHash]) {
    initHash(table);
  }
  // The contract keeps its index for as long as the book lives: nothing drops this reference.
  const owner = internAddress(view, view.owners, copy.owners, contract);
  addReference(view.owners, owner);
  view.headerU32[HEADER_CONTRACT_OWNER] = owner;
  view.headerU32[HEADER_EVENTS_MAX] = EVENTS_MAX_DEFAULT;
  return copy;
}

/** Opens a step; its changes follow. `sequence` rises by one a step. */
export function writeState(view: BookView, sequence: number, state: BookState): void {
  view.headerF64[HEADER_SEQUENCE_F64] = sequence;
  view.headerF64[HEADER_LEDGER_F64] = state.ledger;
  view.headerF64[HEADER_CLOSE_TIME_F64] = state.closeTime;
  view.headerU32[HEADER_FROZEN] = state.frozen ? 1 : 0;
}

/** Makes room for orders and records of so many changes, in portions, before the first of them. */
export function* makeRoom(copy: BookCopy, changes: number): Generator<void, void> {
  const { view, orders, backings, owners } = copy;
  const taken = (pool: Pool, more: number) => Math.min(pool.max, takenCount(view, pool) + more);
  yield* growHash(view.orderHash, taken(orders, changes), (of) => hashOfOrder(view, of));
  // An order may be the first that sells a token of its owner and the first that buys another.
  yield* growHash(view.backingHash, taken(backings, 2 * changes), (of) => hashOfBacking(view, of));
  yield* growAddresses(view, view.owners, owners, changes);
}

export function applyChange(copy: BookCopy, change: BookChange): void {
  const rest = beginChange(copy, change);
  if (rest !== undefined) atOnce(rest);
}

/**
 * In portions of some tens of microseconds. Throws an AssertionError where a change does not fit the book: then the
 * two have parted.
 */
export function* applyChanges(
  copy: BookCopy,
  changes: readonly BookChange[],
): Generator<void, void> {
  for (const [at, change] of changes.entries()) {
    const rest = beginChange(copy, change);
    if (rest !== undefined) yield* rest;
    if (at % PORTION_CHANGES === PORTION_CHANGES - 1) yield;
  }
}

/** Returns what is left of it, in portions. */
function beginChange(copy: BookCopy, change: BookChange): Generator<void, void> | undefined {
  switch (change.kind) {
    case "put":
      putOrder(copy, change.order);
      return undefined;
    case "remove":
      removeOrder(copy, change.id);
      return undefined;
    case "backing":
      return writeBacking(copy, change.backing, change.token);
    case "eventsMax":
      copy.view.headerU32[HEADER_EVENTS_MAX] = change.bytes;
      return undefined;
    case "forget":
      return forgetBacking(copy, change.owner, change.asset);
  }
}

function putOrder(copy: BookCopy, order: Order): void {
  const { view } = copy;
  const slot = findOrder(view, order.id);
  // An id can come back as another order, which its position tells. Within a step of the exchange the former was
  // removed before (step-changes.ts): this is so that a put is right whatever comes before it.
  if (slot === NONE || orderPosition(view, slot) !== order.cursor) {
    if (slot !== NONE) removeSlot(copy, slot);
    insertOrder(copy, order);
  } else if (orderPrice(view, slot) === order.price) {
    writeAmount(view, slot, order);
    markOrder(view, slot);
  } else {
    const { selling, buying } = assetsOf(view, slot);
    takeFromSide(copy, slot);
    writeAmount(view, slot, order);
    writePrice(view, slot, order);
    addToSide(copy, slot, selling, buying);
  }
}

function insertOrder(copy: BookCopy, order: Order): void {
  const { view } = copy;
  const owner = internAddress(view, view.owners, copy.owners, order.owner);
  const selling = internAddress(view, view.assets, copy.assets, order.selling);
  const buying = internAddress(view, view.assets, copy.assets, order.buying);
  const slot = takeIndex(view, copy.orders);
  const at64 = slot * ORDER_STRIDE_U64;
  view.orderU64[at64 + ORDER_ID_U64] = order.id;
  view.orderU64[at64 + ORDER_ID_U64 + 1] = order.id >> 64n;
  view.orderU64[at64 + ORDER_POSITION_U64] = order.cursor;
  view.orderU64[at64 + ORDER_POSITION_U64 + 1] = order.cursor >> 64n;
  writeAmount(view, slot, order);
  writePrice(view, slot, order);
  const at32 = slot * ORDER_STRIDE_U32;
  const count = takenCount(view, copy.orders);
  insertInHash(view.orderHash, count, slot, (of) => hashOfOrder(view, of));
  view.orderU32[at32 + ORDER_OWNER] = owner;
  view.orderU32[at32 + ORDER_SELLING] = selling;
  view.orderU32[at32 + ORDER_BUYING] = buying;
  view.orderU32[at32 + ORDER_SOLD_BACKING] = backingOf(copy, owner, selling);
  view.orderU32[at32 + ORDER_RECEIVED_BACKING] = backingOf(copy, owner, buying);
  addToBacking(view, slot);
  addToSide(copy, slot, selling, buying);
}

function removeOrder(copy: BookCopy, id: OrderId): void {
  const slot = findOrder(copy.view, id);
  assert(slot !== NONE, `no live order ${id} to remove`);
  removeSlot(copy, slot);
}

function removeSlot(copy: BookCopy, slot: number): void {
  const { view } = copy;
  const at = slot * ORDER_STRIDE_U32;
  takeFromSide(copy, slot);
  takeFromBacking(view, slot);
  releaseUnused(copy, view.orderU32[at + ORDER_SOLD_BACKING]!);
  const { selling, buying } = assetsOf(view, slot);
  if (selling !== buying) releaseUnused(copy, view.orderU32[at + ORDER_RECEIVED_BACKING]!);
  removeFromHash(view.orderHash, slot, (of) => hashOfOrder(view, of));
  releaseIndex(view, copy.orders, slot);
}

function assetsOf(view: BookView, slot: number): { selling: number; buying: number } {
  const at = slot * ORDER_STRIDE_U32;
  return { selling: view.orderU32[at + ORDER_SELLING]!, buying: view.orderU32[at + ORDER_BUYING]! };
}

function writeAmount(view: BookView, slot: number, order: Order): void {
  const at64 = slot * ORDER_STRIDE_U64;
  const atF64 = slot * ORDER_STRIDE_F64;
  view.orderU64[at64 + ORDER_AMOUNT_U64] = order.amount;
  view.orderU64[at64 + ORDER_AMOUNT_U64 + 1] = order.amount >> 64n;
  view.orderF64[atF64 + ORDER_AMOUNT_F64] = Number(order.amount);
  view.orderF64[atF64 + ORDER_EXPIRES_F64] =
    order.expires === 0 ? Number.POSITIVE_INFINITY : order.expires;
}

function writePrice(view: BookView, slot: number, order: Order): void {
  const at64 = slot * ORDER_STRIDE_U64;
  view.orderU64[at64 + ORDER_PRICE_U64] = order.price;
  view.orderU64[at64 + ORDER_PRICE_U64 + 1] = order.price >> 64n;
  view.orderF64[slot * ORDER_STRIDE_F64 + ORDER_PRICE_F64] = Number(order.price);
}
