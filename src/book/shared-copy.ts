// One copy of the book as its writer sees it: the arrays, and the pools of their free indexes.
import {
  ADDRESS_HASH,
  ADDRESS_STRIDE_U32,
  BACKING_SOLD_FIRST,
  BACKING_STRIDE_U32,
  type BookView,
  ORDER_SOLD_NEXT,
  ORDER_STRIDE_U32,
  POOL_ASSETS,
  POOL_BACKINGS,
  POOL_ORDERS,
  POOL_OWNERS,
  POOL_SIDES,
  SIDE_NEXT_FREE,
  SIDE_STRIDE_U32,
} from "./shared-layout.ts";
import type { Pool } from "./shared-pool.ts";

/**
 * What stands behind orders whose backing is not loaded: `covers` lets every order settle in full,
 * for a book without backing; `nothing` keeps such orders out of every quote.
 */
export type UntrackedBacking = "covers" | "nothing";

export type BookCopy = {
  readonly view: BookView;
  readonly untracked: UntrackedBacking;
  readonly orders: Pool;
  readonly sides: Pool;
  readonly assets: Pool;
  readonly owners: Pool;
  readonly backings: Pool;
};

export function bookCopy(view: BookView, untracked: UntrackedBacking): BookCopy {
  const { capacity } = view;
  return {
    view,
    untracked,
    orders: {
      name: "orders",
      at: POOL_ORDERS,
      max: capacity.orders,
      records: view.orderU32,
      stride: ORDER_STRIDE_U32,
      nextFree: ORDER_SOLD_NEXT,
    },
    sides: {
      name: "sides",
      at: POOL_SIDES,
      max: capacity.sides,
      records: view.sideU32,
      stride: SIDE_STRIDE_U32,
      nextFree: SIDE_NEXT_FREE,
    },
    assets: {
      name: "assets",
      at: POOL_ASSETS,
      max: capacity.assets,
      records: view.assets.u32,
      stride: ADDRESS_STRIDE_U32,
      nextFree: ADDRESS_HASH,
    },
    owners: {
      name: "owners",
      at: POOL_OWNERS,
      max: capacity.owners,
      records: view.owners.u32,
      stride: ADDRESS_STRIDE_U32,
      nextFree: ADDRESS_HASH,
    },
    backings: {
      name: "backings",
      at: POOL_BACKINGS,
      max: capacity.backings,
      records: view.backingU32,
      stride: BACKING_STRIDE_U32,
      nextFree: BACKING_SOLD_FIRST,
    },
  };
}
