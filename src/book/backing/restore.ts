// The state of the backing records from what the store holds.
import type { BackingRow, BackingStart } from "../step.ts";
import { BackingDraft } from "./backing-draft.ts";
import { parseRow, recordRowKey } from "./backing-rows.ts";
import type { BackingState } from "./backing-state.ts";
import { recordId } from "./record.ts";

/** Rows and records of one portion (a guess: half a millisecond). */
const PORTION = 100;

export type Restoring = {
  readonly state: BackingState;
  readonly start: BackingStart;
  /** Takes a draft, and the keys that entries of the store are followed under. */
  readonly perform: (draft: BackingDraft) => void;
  readonly follow: (keys: readonly string[]) => void;
  /** Rows that no record was found for. */
  readonly stale: (rows: readonly BackingRow[]) => void;
};

/** In portions, that leave the state unusable until finished. */
export function* restoreRecords(restoring: Restoring): Generator<void> {
  const { state, start, perform, follow, stale } = restoring;
  let rows = 0;
  for (const row of start.rows("")) {
    restoreRow(state, row);
    rows += 1;
    if (rows % PORTION === 0) yield;
  }
  follow([...state.entries.entries.keys()]);
  const markets = start.markets.map(({ pair }) => pair);
  perform(BackingDraft.ofStart(state, markets, []));
  for (let at = 0; at < start.references.length; at += PORTION) {
    yield;
    const references = start.references.slice(at, at + PORTION);
    perform(BackingDraft.ofStart(state, [], references));
  }
  stale(
    [...state.restored.values()]
      .filter(({ owner, asset }) => !state.records.has(recordId(owner, asset)))
      .map(({ owner, asset }) => ({ key: recordRowKey(owner, asset) })),
  );
  state.restored.clear();
}

function restoreRow(state: BackingState, row: { readonly key: string; readonly value: string }) {
  const parsed = parseRow(row);
  switch (parsed.kind) {
    case "network":
      state.baseReserve = parsed.network.baseReserve;
      break;
    case "entry": {
      const { key, entry } = parsed;
      state.entries.entries.set(
        key,
        entry === undefined ? { known: true } : { known: true, entry },
      );
      state.entries.idle.set(key, state.ledger);
      break;
    }
    case "approval": {
      const { owner, asset, liveUntil } = parsed.approval;
      state.approvals.set(recordId(owner, asset), liveUntil);
      state.approvalEnds.change(recordId(owner, asset), 0, liveUntil);
      break;
    }
    case "record":
      state.restored.set(recordId(parsed.record.owner, parsed.record.asset), parsed.record);
      break;
  }
}
