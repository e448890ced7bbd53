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
  const [ownerIndex, assetIndex] = [findOwner(view, owner), findAsset(view, asset)];
  if (ownerIndex === NONE || assetIndex === NONE) return [];
  const backing = findBacking(view, ownerIndex, assetIndex);
  if (backing === NONE) return [];
  const orders: BackedOrder[] = [];
  let slot = view.backingU32[backing * BACKING_STRIDE_U32 + BACKING_SOLD_FIRST]!;
  while (slot !== NONE) {
    const [id, cursor] = [orderId(view, slot), orderPosition(view, slot)];
    orders.push({ id, cursor, amount: orderAmount(view, slot) });
    slot = view.orderU32[slot * ORDER_STRIDE_U32 + ORDER_SOLD_NEXT]!;
  }
  return orders.sort((one, other) => (one.cursor < other.cursor ? -1 : 1));
}
