// LedgerEntryChanges: what a phase of a transaction did to the ledger's entries.
import type { LedgerEntryChangeWire } from "@stellar/stellar-sdk/xdr";
import type { EntryDiff, Scope } from "./state.ts";
import type { Encodable } from "./xdr-encoder.ts";

export type EntryChange = Encodable<LedgerEntryChangeWire>;

/** The changes of one entry: CREATED, or STATE (the value before) and UPDATED or REMOVED. */
function changesOf({ key, before, after }: EntryDiff): readonly EntryChange[] {
  if (before === undefined) return after === undefined ? [] : [{ type: 0, created: after.xdr }];
  const state = { type: 3, state: before.xdr } as const;
  return after === undefined
    ? [state, { type: 2, removed: key }]
    : [state, { type: 1, updated: after.xdr }];
}

export function commitChanges(scope: Scope): readonly EntryChange[] {
  const changes = scope.diffs().flatMap(changesOf);
  scope.commit();
  return changes;
}
