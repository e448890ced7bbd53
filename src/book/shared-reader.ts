// Exact values of a copy, for a thread that is inside it. Indexes are never NONE here.
import type { Address } from "../model/address.ts";
import type { OrderId } from "../model/order.ts";
import type { Position } from "../model/position.ts";
import {
  ADDRESS_CHARACTERS,
  ADDRESS_STRIDE_U8,
  type AddressTable,
  BACKING_BUDGET_U64,
  BACKING_FLAGS,
  BACKING_HEADROOM_U64,
  BACKING_STRIDE_U32,
  BACKING_STRIDE_U64,
  type BookView,
  FLAG_AUTHORIZED,
  FLAG_HEADROOM,
  FLAG_LOADED,
  HEADER_CLOSE_TIME_F64,
  HEADER_FROZEN,
  HEADER_LEDGER_F64,
  HEADER_SEQUENCE_F64,
  LINKS_CONTRACT_BACKING,
  LINKS_STRIDE_U32,
  NONE,
  ORDER_AMOUNT_U64,
  ORDER_ID_U64,
  ORDER_POSITION_U64,
  ORDER_PRICE_U64,
  ORDER_STRIDE_U64,
} from "./shared-layout.ts";

export function bookSequence(view: BookView): number {
  return view.headerF64[HEADER_SEQUENCE_F64]!;
}

/** 0 until a ledger was applied. */
export function bookLedger(view: BookView): number {
  return view.headerF64[HEADER_LEDGER_F64]!;
}

/** Close time of `bookLedger`, UNIX seconds. */
export function bookCloseTime(view: BookView): number {
  return view.headerF64[HEADER_CLOSE_TIME_F64]!;
}

export function isFrozen(view: BookView): boolean {
  return view.headerU32[HEADER_FROZEN] === 1;
}

/** False where the exchange contract may not hold the asset (index): then nobody can buy it. */
export function mayBeBought(view: BookView, asset: number): boolean {
  const backing = view.assetLinks[asset * LINKS_STRIDE_U32 + LINKS_CONTRACT_BACKING]!;
  if (backing === NONE) return true;
  const flags = view.backingU32[backing * BACKING_STRIDE_U32 + BACKING_FLAGS]!;
  return (flags & FLAG_LOADED) === 0 || (flags & FLAG_AUTHORIZED) !== 0;
}

export function orderId(view: BookView, slot: number): OrderId {
  return wide(view.orderU64, slot * ORDER_STRIDE_U64 + ORDER_ID_U64) as OrderId;
}

export function orderPrice(view: BookView, slot: number): bigint {
  return wide(view.orderU64, slot * ORDER_STRIDE_U64 + ORDER_PRICE_U64);
}

/** Base units of the asset the order sells. */
export function orderAmount(view: BookView, slot: number): bigint {
  return wide(view.orderU64, slot * ORDER_STRIDE_U64 + ORDER_AMOUNT_U64);
}

export function orderPosition(view: BookView, slot: number): Position {
  return wide(view.orderU64, slot * ORDER_STRIDE_U64 + ORDER_POSITION_U64) as Position;
}

/** Base units of the record's asset. */
export function backingBudget(view: BookView, backing: number): bigint {
  return wide(view.backingU64, backing * BACKING_STRIDE_U64 + BACKING_BUDGET_U64);
}

/** Undefined: no bound. */
export function backingHeadroom(view: BookView, backing: number): bigint | undefined {
  const flags = view.backingU32[backing * BACKING_STRIDE_U32 + BACKING_FLAGS]!;
  if ((flags & FLAG_HEADROOM) === 0) return undefined;
  return view.backingU64[backing * BACKING_STRIDE_U64 + BACKING_HEADROOM_U64]!;
}

export function assetAddress(view: BookView, asset: number): Address {
  return addressAt(view.assets, asset);
}

export function addressAt(table: AddressTable, index: number): Address {
  const from = index * ADDRESS_STRIDE_U8;
  return table.characters.toString("latin1", from, from + ADDRESS_CHARACTERS) as Address;
}

function wide(words: BigUint64Array, at: number): bigint {
  const high = words[at + 1]!;
  return high === 0n ? words[at]! : (high << 64n) | words[at]!;
}
