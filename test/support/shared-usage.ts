// How many orders a copy of the shared book has, and how much of its memory is in use. Pages that were never
// written take none.
import {
  ADDRESS_STRIDE_U32,
  BACKING_STRIDE_U32,
  type BookView,
  LINKS_STRIDE_U32,
  LIST_CLASS,
  LIST_COUNT,
  ORDER_STRIDE_U32,
  POOL_ASSETS,
  POOL_BACKINGS,
  POOL_COUNT,
  POOL_HIGH,
  POOL_ORDERS,
  POOL_OWNERS,
  POOL_SIDES,
  SIDE_LIST,
  SIDE_STRIDE_U32,
} from "../../src/book/shared-layout.ts";

const WORD = 4;
/** An entry of a hash table, and a free one, as the tables are at most half full. */
const HASH_BYTES = 2 * WORD;

export function orderCount(view: BookView): number {
  return view.headerU32[POOL_ORDERS + POOL_COUNT]!;
}

/** Bytes of one copy that were written; the unused ends of pages are left out. */
export function usedBytes(view: BookView): number {
  const high = (pool: number) => view.headerU32[pool + POOL_HIGH]!;
  const table = (pool: number, stride: number) => high(pool) * (WORD * stride + HASH_BYTES);
  let arena = 0;
  for (let side = 1; side <= high(POOL_SIDES); side += 1) {
    const at = side * SIDE_STRIDE_U32 + SIDE_LIST;
    if (view.sideU32[at + LIST_COUNT]! > 0) arena += WORD * 2 ** view.sideU32[at + LIST_CLASS]!;
  }
  return (
    table(POOL_ORDERS, ORDER_STRIDE_U32) +
    table(POOL_SIDES, SIDE_STRIDE_U32) +
    table(POOL_ASSETS, ADDRESS_STRIDE_U32 + LINKS_STRIDE_U32) +
    table(POOL_OWNERS, ADDRESS_STRIDE_U32) +
    table(POOL_BACKINGS, BACKING_STRIDE_U32) +
    arena
  );
}
