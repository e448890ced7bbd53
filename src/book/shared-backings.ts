// Backing records beside the orders that refer to them: one for each (owner, asset) that a live
// order sells or receives or that is tracked for another reason. Writer only.
import assert from "node:assert/strict";
import type { Address } from "../model/address.ts";
import type { Backing } from "../model/backing.ts";
import { I128_MAX } from "../model/settlement.ts";
import { nameBytes, type Token } from "./backing/ledger-keys.ts";
import { addReference, dropReference, internAddress } from "./shared-addresses.ts";
import type { BookCopy } from "./shared-copy.ts";
import {
  ADDRESS_REFERENCES,
  ADDRESS_STRIDE_U32,
  BACKING_ASSET,
  BACKING_BUDGET_F64,
  BACKING_BUDGET_U64,
  BACKING_FLAGS,
  BACKING_HEADROOM_F64,
  BACKING_HEADROOM_U64,
  BACKING_OWNER,
  BACKING_RECEIVED_FIRST,
  BACKING_SKIPPED,
  BACKING_SOLD_FIRST,
  BACKING_STRIDE_F64,
  BACKING_STRIDE_U32,
  BACKING_STRIDE_U64,
  type BookView,
  FLAG_AUTHORIZED,
  FLAG_HEADROOM,
  FLAG_ISSUER,
  FLAG_LOADED,
  FLAG_PENDING,
  FLAG_TRACKED,
  HEADER_CONTRACT_OWNER,
  HEADER_SEQUENCE_F64,
  LINKS_CONTRACT_BACKING,
  LINKS_NAME_BYTES,
  LINKS_STRIDE_U32,
  NONE,
  ORDER_RECEIVED_BACKING,
  ORDER_RECEIVED_NEXT,
  ORDER_RECEIVED_PREVIOUS,
  ORDER_SOLD_BACKING,
  ORDER_SOLD_NEXT,
  ORDER_SOLD_PREVIOUS,
  ORDER_STRIDE_U32,
} from "./shared-layout.ts";
import { findAsset, findBacking, findOwner, hashOfBacking } from "./shared-lookup.ts";
import {
  insertInHash,
  releaseIndex,
  removeFromHash,
  takeIndex,
  takenCount,
} from "./shared-pool.ts";
import { backingBudget, backingHeadroom } from "./shared-reader.ts";
import { markOrder } from "./shared-sides.ts";

const U64_MAX = (1n << 64n) - 1n;
/** Orders marked in one portion: some tens of microseconds. */
export const MARKED_PORTION = 512;

type Values = {
  readonly flags: number;
  readonly budget: bigint;
  /** Undefined: no bound. */
  readonly headroom: bigint | undefined;
  /** UNIX seconds, 0: none. */
  readonly skipped: number;
};

/**
 * A new or changed record. `token` undefined: its kind is not known, or stays. In portions: an owner may have any
 * number of orders, whose sides are marked.
 */
export function* writeBacking(
  copy: BookCopy,
  backing: Backing,
  token: Token | undefined,
): Generator<void, void> {
  const owner = internAddress(copy.view, copy.view.owners, copy.owners, backing.owner);
  const asset = internAddress(copy.view, copy.view.assets, copy.assets, backing.asset);
  const record = backingOf(copy, owner, asset);
  const skipped = backing.skipped ?? 0;
  if (token !== undefined) {
    copy.view.assetLinks[asset * LINKS_STRIDE_U32 + LINKS_NAME_BYTES] = nameBytes(token);
  }
  if (backing.updated === undefined) {
    const assumed = assumedValues(copy);
    const flags = assumed.flags | FLAG_TRACKED | (backing.pending ? FLAG_PENDING : 0);
    yield* changeValues(copy.view, record, { ...assumed, flags, skipped });
    return;
  }
  const headroom = backing.headroom;
  yield* changeValues(copy.view, record, {
    flags:
      FLAG_TRACKED |
      FLAG_LOADED |
      (backing.authorized ? FLAG_AUTHORIZED : 0) |
      (backing.pending ? FLAG_PENDING : 0) |
      (headroom === undefined ? 0 : FLAG_HEADROOM) |
      (token?.kind === "issued" && token.issuer === backing.owner ? FLAG_ISSUER : 0),
    budget: backing.budget,
    // Trustline limits are 63-bit; more than 64 bits of room is as good as no bound.
    headroom: headroom !== undefined && headroom > U64_MAX ? U64_MAX : headroom,
    skipped,
  });
}

/** The record is no longer tracked; it stays as a place for live orders that refer to it. In portions. */
export function* forgetBacking(
  copy: BookCopy,
  owner: Address,
  asset: Address,
): Generator<void, void> {
  const { view } = copy;
  const ownerIndex = findOwner(view, owner);
  const assetIndex = findAsset(view, asset);
  const record =
    ownerIndex === NONE || assetIndex === NONE ? NONE : findBacking(view, ownerIndex, assetIndex);
  assert(record !== NONE, `no backing of ${owner} in ${asset} to forget`);
  yield* changeValues(view, record, assumedValues(copy));
  releaseUnused(copy, record);
}

/** The record of an owner in an asset (indexes), new where there was none. */
export function backingOf(copy: BookCopy, owner: number, asset: number): number {
  const { view } = copy;
  const known = findBacking(view, owner, asset);
  if (known !== NONE) return known;
  const record = takeIndex(view, copy.backings);
  const at = record * BACKING_STRIDE_U32;
  view.backingU32[at + BACKING_OWNER] = owner;
  view.backingU32[at + BACKING_ASSET] = asset;
  view.backingU32[at + BACKING_SOLD_FIRST] = NONE;
  view.backingU32[at + BACKING_RECEIVED_FIRST] = NONE;
  writeValues(view, record, assumedValues(copy));
  const count = takenCount(view, copy.backings);
  insertInHash(view.backingHash, count, record, (of) => hashOfBacking(view, of));
  addReference(view.owners, owner);
  addReference(view.assets, asset);
  if (owner === view.headerU32[HEADER_CONTRACT_OWNER]) {
    view.assetLinks[asset * LINKS_STRIDE_U32 + LINKS_CONTRACT_BACKING] = record;
  }
  return record;
}

/** Frees a record that is not tracked and that no order refers to. */
export function releaseUnused(copy: BookCopy, record: number): void {
  const { view } = copy;
  const at = record * BACKING_STRIDE_U32;
  if ((view.backingU32[at + BACKING_FLAGS]! & FLAG_TRACKED) !== 0) return;
  if (view.backingU32[at + BACKING_SOLD_FIRST] !== NONE) return;
  if (view.backingU32[at + BACKING_RECEIVED_FIRST] !== NONE) return;
  const owner = view.backingU32[at + BACKING_OWNER]!;
  const asset = view.backingU32[at + BACKING_ASSET]!;
  if (owner === view.headerU32[HEADER_CONTRACT_OWNER]) {
    view.assetLinks[asset * LINKS_STRIDE_U32 + LINKS_CONTRACT_BACKING] = NONE;
  }
  removeFromHash(view.backingHash, record, (of) => hashOfBacking(view, of));
  releaseIndex(view, copy.backings, record);
  dropReference(view, view.owners, copy.owners, owner);
  dropReference(view, view.assets, copy.assets, asset);
  if (view.assets.u32[asset * ADDRESS_STRIDE_U32 + ADDRESS_REFERENCES] === 0) {
    view.assetLinks[asset * LINKS_STRIDE_U32 + LINKS_NAME_BYTES] = 0;
  }
}

/** Links an order that names its two records into both. */
export function addToBacking(view: BookView, slot: number): void {
  linkOrder(view, slot, SOLD);
  linkOrder(view, slot, RECEIVED);
}

export function takeFromBacking(view: BookView, slot: number): void {
  unlinkOrder(view, slot, SOLD);
  unlinkOrder(view, slot, RECEIVED);
}

type Role = {
  readonly backing: number;
  readonly first: number;
  readonly next: number;
  readonly previous: number;
};

const SOLD: Role = {
  backing: ORDER_SOLD_BACKING,
  first: BACKING_SOLD_FIRST,
  next: ORDER_SOLD_NEXT,
  previous: ORDER_SOLD_PREVIOUS,
};
const RECEIVED: Role = {
  backing: ORDER_RECEIVED_BACKING,
  first: BACKING_RECEIVED_FIRST,
  next: ORDER_RECEIVED_NEXT,
  previous: ORDER_RECEIVED_PREVIOUS,
};

function linkOrder(view: BookView, slot: number, role: Role): void {
  const at = slot * ORDER_STRIDE_U32;
  const first = view.orderU32[at + role.backing]! * BACKING_STRIDE_U32 + role.first;
  const next = view.backingU32[first]!;
  view.orderU32[at + role.next] = next;
  view.orderU32[at + role.previous] = NONE;
  if (next !== NONE) view.orderU32[next * ORDER_STRIDE_U32 + role.previous] = slot;
  view.backingU32[first] = slot;
}

function unlinkOrder(view: BookView, slot: number, role: Role): void {
  const at = slot * ORDER_STRIDE_U32;
  const next = view.orderU32[at + role.next]!;
  const previous = view.orderU32[at + role.previous]!;
  if (next !== NONE) view.orderU32[next * ORDER_STRIDE_U32 + role.previous] = previous;
  if (previous !== NONE) view.orderU32[previous * ORDER_STRIDE_U32 + role.next] = next;
  else {
    const backing = view.orderU32[at + role.backing]!;
    view.backingU32[backing * BACKING_STRIDE_U32 + role.first] = next;
  }
}

// Readers never ask whether a record is loaded: what to assume is decided here, once.
function assumedValues(copy: BookCopy): Values {
  return copy.untracked === "covers"
    ? { flags: FLAG_AUTHORIZED, budget: I128_MAX, headroom: undefined, skipped: 0 }
    : { flags: 0, budget: 0n, headroom: undefined, skipped: 0 };
}

function* changeValues(view: BookView, record: number, values: Values): Generator<void, void> {
  const { sold, received } = writeValues(view, record, values);
  if (sold) yield* markOrders(view, record, SOLD);
  if (received) yield* markOrders(view, record, RECEIVED);
}

/** Returns whether that changes what readers know of the orders that sell and receive the token. */
function writeValues(
  view: BookView,
  record: number,
  values: Values,
): { readonly sold: boolean; readonly received: boolean } {
  const at32 = record * BACKING_STRIDE_U32;
  const at64 = record * BACKING_STRIDE_U64;
  const atF64 = record * BACKING_STRIDE_F64;
  const { flags, budget, headroom, skipped } = values;
  const sameFlags = view.backingU32[at32 + BACKING_FLAGS] === flags;
  const sameBudget = backingBudget(view, record) === budget;
  const sameHeadroom = sameFlags && backingHeadroom(view, record) === headroom;
  const sameSkipped = view.backingU32[at32 + BACKING_SKIPPED] === skipped;
  view.backingU32[at32 + BACKING_FLAGS] = flags;
  view.backingU32[at32 + BACKING_SKIPPED] = skipped;
  view.backingU64[at64 + BACKING_BUDGET_U64] = budget;
  view.backingU64[at64 + BACKING_BUDGET_U64 + 1] = budget >> 64n;
  view.backingU64[at64 + BACKING_HEADROOM_U64] = headroom ?? 0n;
  view.backingF64[atF64 + BACKING_BUDGET_F64] = Number(budget);
  view.backingF64[atF64 + BACKING_HEADROOM_F64] =
    headroom === undefined ? Number.POSITIVE_INFINITY : Number(headroom);
  return {
    sold: !(sameFlags && sameBudget && sameSkipped),
    received: !(sameFlags && sameHeadroom),
  };
}

function* markOrders(view: BookView, record: number, role: Role): Generator<void, void> {
  // Before the second step no reader can have derived anything.
  if (view.headerF64[HEADER_SEQUENCE_F64]! <= 1) return;
  let slot = view.backingU32[record * BACKING_STRIDE_U32 + role.first]!;
  for (let marked = 1; slot !== NONE; marked += 1) {
    markOrder(view, slot);
    slot = view.orderU32[slot * ORDER_STRIDE_U32 + role.next]!;
    if (marked % MARKED_PORTION === 0) yield;
  }
}
