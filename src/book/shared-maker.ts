// The orders of one maker in a copy. Any thread that is inside it.
import type { Address } from "../model/address.ts";
import {
  BACKING_SOLD_FIRST,
  BACKING_STRIDE_U32,
  type BookView,
  NONE,
  ORDER_SOLD_NEXT,
  ORDER_STRIDE_U32,
} from "./shared-layout.ts";
import { findAsset, findBacking, findOwner } from "./shared-lookup.ts";
import { orderAmount, orderId, orderPosition } from "./shared-reader.ts";
import type { BackedOrder } from "./step.ts";

/** The orders of an owner that sell an asset, oldest first. */
export function ordersSelling(view: BookView, owner: Address, asset: Address): BackedOrder[] {
  return [...eachSelling(() => view, owner, asset)].sort((one, other) =>
    one.cursor < other.cursor ? -1 : 1,
  );
}

/**
 * The same in any order, of the view as it is at each: steps may be shown between, as long as none of them changes
 * the orders of the owner that sell the asset. Newest first in a book whose orders came oldest first.
 */
export function* eachSelling(
  view: () => BookView,
  owner: Address,
  asset: Address,
): Generator<BackedOrder, void> {
  for (let slot = firstSold(view(), owner, asset); slot !== NONE; slot = nextSold(view(), slot)) {
    const now = view();
    yield {
      id: orderId(now, slot),
      cursor: orderPosition(now, slot),
      amount: orderAmount(now, slot),
    };
  }
}

/** How many orders of an owner sell an asset, counted to `most`: no more than so many are looked at. */
export function countSelling(view: BookView, owner: Address, asset: Address, most: number): number {
  let count = 0;
  let slot = firstSold(view, owner, asset);
  for (; slot !== NONE && count < most; slot = nextSold(view, slot)) count += 1;
  return count;
}

function firstSold(view: BookView, owner: Address, asset: Address): number {
  const [ownerIndex, assetIndex] = [findOwner(view, owner), findAsset(view, asset)];
  if (ownerIndex === NONE || assetIndex === NONE) return NONE;
  const backing = findBacking(view, ownerIndex, assetIndex);
  if (backing === NONE) return NONE;
  return view.backingU32[backing * BACKING_STRIDE_U32 + BACKING_SOLD_FIRST]!;
}

function nextSold(view: BookView, slot: number): number {
  return view.orderU32[slot * ORDER_STRIDE_U32 + ORDER_SOLD_NEXT]!;
}
