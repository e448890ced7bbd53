// LedgerEntryChanges: what a phase of a transaction did to the ledger's entries.
import { keyXdr } from "./key.ts";
import type { EntryDiff, Scope } from "./state.ts";
import { join, uint32 } from "./xdr-frame.ts";

const CREATED = uint32(0);
const UPDATED = uint32(1);
const REMOVED = uint32(2);
const STATE = uint32(3);

/** The changes of one entry: CREATED, or STATE (the value before) and UPDATED or REMOVED. */
function changesOf({ key, before, after }: EntryDiff): Uint8Array[] {
  if (before === undefined) return after === undefined ? [] : [join([CREATED, after.xdr])];
  const state = join([STATE, before.xdr]);
  return after === undefined
    ? [state, join([REMOVED, keyXdr(key)])]
    : [state, join([UPDATED, after.xdr])];
}

/** Commits the scope and gives its LedgerEntryChanges, one encoded element each. */
export function commitChanges(scope: Scope): Uint8Array[] {
  const changes = scope.diffs().flatMap(changesOf);
  scope.commit();
  return changes;
}
