// Assets and owners by index, with a count of the backing records that name them. Writer only.
import type { Address } from "../model/address.ts";
import {
  ADDRESS_CHARACTERS,
  ADDRESS_HASH,
  ADDRESS_REFERENCES,
  ADDRESS_STRIDE_U8,
  ADDRESS_STRIDE_U32,
  type AddressTable,
  type BookView,
  NONE,
} from "./shared-layout.ts";
import { findAddress, hashOfAddress } from "./shared-lookup.ts";
import {
  growHash,
  insertInHash,
  type Pool,
  releaseIndex,
  removeFromHash,
  takeIndex,
  takenCount,
} from "./shared-pool.ts";

/** The index of `address`, new where the table had none. References are the caller's to add. */
export function internAddress(
  view: BookView,
  table: AddressTable,
  pool: Pool,
  address: Address,
): number {
  const hash = hashOfAddress(address);
  const known = findAddress(table, address, hash);
  if (known !== NONE) return known;
  const index = takeIndex(view, pool);
  const from = index * ADDRESS_STRIDE_U8;
  for (let at = 0; at < ADDRESS_CHARACTERS; at += 1) {
    table.characters[from + at] = address.charCodeAt(at);
  }
  table.u32[index * ADDRESS_STRIDE_U32 + ADDRESS_REFERENCES] = 0;
  table.u32[index * ADDRESS_STRIDE_U32 + ADDRESS_HASH] = hash;
  insertInHash(table.hash, takenCount(view, pool), index, (of) => homeOf(table, of));
  return index;
}

export function addReference(table: AddressTable, index: number): void {
  const at = index * ADDRESS_STRIDE_U32 + ADDRESS_REFERENCES;
  table.u32[at] = table.u32[at]! + 1;
}

/** The last reference frees the index. */
export function dropReference(
  view: BookView,
  table: AddressTable,
  pool: Pool,
  index: number,
): void {
  const at = index * ADDRESS_STRIDE_U32 + ADDRESS_REFERENCES;
  const left = table.u32[at]! - 1;
  table.u32[at] = left;
  if (left > 0) return;
  removeFromHash(table.hash, index, (of) => homeOf(table, of));
  releaseIndex(view, pool, index);
}

/** Makes room for so many more, in portions (`growHash`). */
export function growAddresses(
  view: BookView,
  table: AddressTable,
  pool: Pool,
  more: number,
): Generator<void, void> {
  return growHash(table.hash, takenCount(view, pool) + more, (of) => homeOf(table, of));
}

function homeOf(table: AddressTable, index: number): number {
  return table.u32[index * ADDRESS_STRIDE_U32 + ADDRESS_HASH]!;
}
