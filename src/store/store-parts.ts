import type { AddressIds } from "./address-ids.ts";
import { readCursor } from "./cursor-record.ts";
import type { Snapshot } from "./snapshot.ts";
import type { LedgerCursor } from "./step-record.ts";
import { META_CURSOR, type Tables } from "./tables.ts";

export type StoreParts = {
  readonly tables: Tables;
  /** Through which all of them are read. */
  readonly snapshot: Snapshot;
  /** The numbers that addresses have in them. */
  readonly ids: AddressIds;
};

/** The last ledger stored; undefined before the first. Throws a StoreError where it is none a chain can have. */
export function storedCursor({ tables, snapshot }: StoreParts): LedgerCursor | undefined {
  const bytes = snapshot.get(tables.meta, META_CURSOR);
  return bytes && readCursor(bytes);
}
