// One copy of the book made the same bytes as the other, for a book that was filled before its first
// step: applying every order to both would take twice as long. Main thread, with no reader in either copy.
import { copyArena } from "./shared-arena.ts";
import {
  ADDRESS_STRIDE_U32,
  BACKING_STRIDE_U32,
  type BookView,
  type HashTable,
  LINKS_STRIDE_U32,
  ORDER_STRIDE_U32,
  POOL_ASSETS,
  POOL_BACKINGS,
  POOL_HIGH,
  POOL_ORDERS,
  POOL_OWNERS,
  POOL_SIDES,
  SIDE_STRIDE_U32,
} from "./shared-layout.ts";

/** `to` holds what a new copy holds. Only what was written is copied: the rest is no memory yet. */
export function mirrorBook(from: BookView, to: BookView): void {
  to.headerU32.set(from.headerU32);
  const records = (source: Uint32Array, target: Uint32Array, pool: number, stride: number) => {
    const high = from.headerU32[pool + POOL_HIGH]!;
    target.set(source.subarray(0, (high + 1) * stride));
  };
  records(from.orderU32, to.orderU32, POOL_ORDERS, ORDER_STRIDE_U32);
  to.orderChanged.set(from.orderChanged.subarray(0, from.headerU32[POOL_ORDERS + POOL_HIGH]! + 1));
  records(from.sideU32, to.sideU32, POOL_SIDES, SIDE_STRIDE_U32);
  records(from.assets.u32, to.assets.u32, POOL_ASSETS, ADDRESS_STRIDE_U32);
  records(from.assetLinks, to.assetLinks, POOL_ASSETS, LINKS_STRIDE_U32);
  records(from.owners.u32, to.owners.u32, POOL_OWNERS, ADDRESS_STRIDE_U32);
  records(from.backingU32, to.backingU32, POOL_BACKINGS, BACKING_STRIDE_U32);
  copyHash(from.orderHash, to.orderHash);
  copyHash(from.assets.hash, to.assets.hash);
  copyHash(from.owners.hash, to.owners.hash);
  copyHash(from.backingHash, to.backingHash);
  copyArena(from, to);
}

function copyHash(from: HashTable, to: HashTable): void {
  to.entries.set(from.entries.subarray(0, from.header[from.mask]! + 1));
}
