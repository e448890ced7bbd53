// LedgerEntryChanges: what a phase of a transaction did to the ledger's entries.
import type { EntryDiff, Scope } from "./state.ts";
import type { XdrText, XdrWriter } from "./xdr-writer.ts";

/** LedgerEntryChangeType. */
const Type = { created: 0, updated: 1, removed: 2, state: 3 } as const;

export type EntryChange = {
  readonly type: (typeof Type)[keyof typeof Type];
  /** Of the LedgerEntry, or of the LedgerKey where it was removed. */
  readonly xdr: XdrText;
};

/** The changes of one entry: CREATED, or STATE (the value before) and UPDATED or REMOVED. */
function changesOf({ key, before, after }: EntryDiff): readonly EntryChange[] {
  if (before === undefined) {
    return after === undefined ? [] : [{ type: Type.created, xdr: after.xdr }];
  }
  const state = { type: Type.state, xdr: before.xdr };
  return after === undefined
    ? [state, { type: Type.removed, xdr: key }]
    : [state, { type: Type.updated, xdr: after.xdr }];
}

/** Commits the scope and gives its changes. */
export function commitChanges(scope: Scope): readonly EntryChange[] {
  const changes = scope.diffs().flatMap(changesOf);
  scope.commit();
  return changes;
}

/** As LedgerEntryChanges. */
export function writeChanges(to: XdrWriter, changes: readonly EntryChange[]): void {
  to.list(changes, ({ type, xdr }) => {
    to.uint32(type);
    to.xdr(xdr);
  });
}
