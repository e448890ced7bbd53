// Hot path: from an address, a pair or an id to its index in a copy. A lookup probes one or two
// hash entries and allocates nothing. Any thread that is inside the copy.
import type { Address } from "../model/address.ts";
import {
  ADDRESS_CHARACTERS,
  ADDRESS_HASH,
  ADDRESS_STRIDE_U8,
  ADDRESS_STRIDE_U32,
  type AddressTable,
  BACKING_ASSET,
  BACKING_OWNER,
  BACKING_STRIDE_U32,
  type BookView,
  LINKS_SELLING_LIST,
  LINKS_STRIDE_U32,
  LIST_COUNT,
  LIST_START,
  NONE,
  ORDER_ID_U64,
  ORDER_STRIDE_U32,
  ORDER_STRIDE_U64,
  SIDE_STRIDE_U32,
  SIDE_TAKER_BUYS,
} from "./shared-layout.ts";

/** Index of the asset, or NONE where no live order and no tracked backing names it. */
export function findAsset(view: BookView, asset: Address): number {
  return findAddress(view.assets, asset, hashOfAddress(asset));
}

/** Index of the maker, or NONE. */
export function findOwner(view: BookView, owner: Address): number {
  return findAddress(view.owners, owner, hashOfAddress(owner));
}

/** The side on which a taker pays `selling` and gets `buying` (asset indexes), or NONE. */
export function findSide(view: BookView, selling: number, buying: number): number {
  const at = selling * LINKS_STRIDE_U32 + LINKS_SELLING_LIST;
  const start = view.assetLinks[at + LIST_START]!;
  const place = start + placeOfSide(view, at, SIDE_TAKER_BUYS, buying);
  if (place === start + view.assetLinks[at + LIST_COUNT]!) return NONE;
  const side = view.arena[place]!;
  return view.sideU32[side * SIDE_STRIDE_U32 + SIDE_TAKER_BUYS] === buying ? side : NONE;
}

/** Slot of the live order, or NONE. */
export function findOrder(view: BookView, id: bigint): number {
  idWords64[0] = id;
  idWords64[1] = id >> 64n;
  const low = idWords64[0]!;
  const high = idWords64[1]!;
  const { entries, header, mask: maskAt } = view.orderHash;
  const mask = header[maskAt]!;
  let place = mixWords(idWords32[0]!, idWords32[1]!, idWords32[2]!, idWords32[3]!) & mask;
  for (;;) {
    const slot = entries[place]!;
    if (slot === NONE) return NONE;
    const at = slot * ORDER_STRIDE_U64 + ORDER_ID_U64;
    if (view.orderU64[at] === low && view.orderU64[at + 1] === high) return slot;
    place = (place + 1) & mask;
  }
}

/** The backing record of an owner in an asset (indexes), or NONE. */
export function findBacking(view: BookView, owner: number, asset: number): number {
  const { entries, header, mask: maskAt } = view.backingHash;
  const mask = header[maskAt]!;
  let place = mixWords(owner, asset, 0, 0) & mask;
  for (;;) {
    const backing = entries[place]!;
    if (backing === NONE) return NONE;
    const at = backing * BACKING_STRIDE_U32;
    if (
      view.backingU32[at + BACKING_OWNER] === owner &&
      view.backingU32[at + BACKING_ASSET] === asset
    ) {
      return backing;
    }
    place = (place + 1) & mask;
  }
}

/**
 * How many sides of the list at `at` of an asset's links come before `asset`; `field` is the
 * side's other asset, by which that list is sorted.
 */
export function placeOfSide(view: BookView, at: number, field: number, asset: number): number {
  const start = view.assetLinks[at + LIST_START]!;
  let low = 0;
  let high = view.assetLinks[at + LIST_COUNT]!;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const side = view.arena[start + middle]!;
    if (view.sideU32[side * SIDE_STRIDE_U32 + field]! < asset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** FNV-1a of the characters. */
export function hashOfAddress(of: Address): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < ADDRESS_CHARACTERS; at += 1) {
    hash = Math.imul(hash ^ of.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

/** Index of the address in the table, or NONE. `hash` is `hashOfAddress(address)`. */
export function findAddress(table: AddressTable, address: Address, hash: number): number {
  const { entries, header, mask: maskAt } = table.hash;
  const mask = header[maskAt]!;
  let place = hash & mask;
  for (;;) {
    const index = entries[place]!;
    if (index === NONE) return NONE;
    if (table.u32[index * ADDRESS_STRIDE_U32 + ADDRESS_HASH] === hash) {
      if (isAddressAt(table, index, address)) return index;
    }
    place = (place + 1) & mask;
  }
}

function isAddressAt(table: AddressTable, index: number, address: Address): boolean {
  const from = index * ADDRESS_STRIDE_U8;
  for (let at = 0; at < ADDRESS_CHARACTERS; at += 1) {
    if (table.characters[from + at] !== address.charCodeAt(at)) return false;
  }
  return true;
}

const idWords64 = new BigUint64Array(2);
const idWords32 = new Uint32Array(idWords64.buffer);

/** Hash of the order in a slot: its home in `orderHash` before masking. */
export function hashOfOrder(view: BookView, slot: number): number {
  const at = slot * ORDER_STRIDE_U32 + 2 * ORDER_ID_U64;
  const words = view.orderU32;
  return mixWords(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!);
}

export function hashOfBacking(view: BookView, backing: number): number {
  const at = backing * BACKING_STRIDE_U32;
  return mixWords(view.backingU32[at + BACKING_OWNER]!, view.backingU32[at + BACKING_ASSET]!, 0, 0);
}

// Order ids are hashes, but anyone may choose nonces until some bits suit: all bits count here.
function mixWords(a: number, b: number, c: number, d: number): number {
  let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35) ^ Math.imul(c, 0x27d4eb2f);
  hash = Math.imul(hash ^ (hash >>> 13), 0x165667b1) ^ Math.imul(d, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
