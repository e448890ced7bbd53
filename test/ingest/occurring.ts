// What occurs in a ledger, taken from the SDK's full decode: contracts that can be taken as if they
// were the exchange or a token, and keys that can be followed.
import {
  type DiagnosticEvent,
  LedgerCloseMeta,
  type LedgerEntryChange,
  type LedgerKey,
  type ScVal,
  type TransactionMeta,
} from "@stellar/stellar-sdk/xdr";
import { entryKey } from "../../src/ingest/tracked-entry.ts";
import { type Address, contractAddress } from "../../src/model/address.ts";

export type Occurring = {
  readonly contracts: readonly Address[];
  /** Those of them that were called in transactions that failed. */
  readonly failing: readonly Address[];
  readonly keys: readonly string[];
};

export function occurring(bytes: Uint8Array): Occurring {
  return occurringIn(LedgerCloseMeta.fromXdr(bytes));
}

export function occurringIn(meta: LedgerCloseMeta): Occurring {
  const contracts = new Set<Address>();
  const failing = new Set<Address>();
  const keys = new Set<string>();
  const changes = (list: readonly LedgerEntryChange[]): void => {
    for (const change of list) {
      if (change.type === "ledgerEntryRemoved") noteKey(change.removed, keys);
      else {
        const key = entryKey(change.value.data);
        if (key !== undefined) keys.add(key);
      }
    }
  };
  for (const processed of meta.value.txProcessing) {
    changes(processed.feeProcessing);
    if ("postTxApplyFeeProcessing" in processed) changes(processed.postTxApplyFeeProcessing);
    ofMeta(processed.txApplyProcessing, changes, contracts);
    const { result } = processed.result.result;
    if (result.type === "txFailed" || result.type === "txFeeBumpInnerFailed") {
      for (const id of calledIn(processed.txApplyProcessing)) note(id, failing);
    }
  }
  for (const upgrade of meta.value.upgradesProcessing) changes(upgrade.changes);
  if (meta.type !== "v0") for (const key of meta.value.evictedKeys) noteKey(key, keys);
  return { contracts: [...contracts], failing: [...failing], keys: [...keys] };
}

function ofMeta(
  meta: TransactionMeta,
  changes: (list: readonly LedgerEntryChange[]) => void,
  contracts: Set<Address>,
): void {
  if (meta.type === "operations" || meta.type === "v1") {
    const operations = meta.type === "v1" ? meta.v1.operations : meta.operations;
    if (meta.type === "v1") changes(meta.v1.txChanges);
    for (const operation of operations) changes(operation.changes);
    return;
  }
  changes(meta.value.txChangesBefore);
  for (const operation of meta.value.operations) {
    changes(operation.changes);
    if ("events" in operation)
      for (const event of operation.events) note(event.contractId?.value, contracts);
  }
  changes(meta.value.txChangesAfter);
  const events = meta.type === "v3" ? (meta.v3.sorobanMeta?.events ?? []) : [];
  for (const event of events) note(event.contractId?.value, contracts);
  for (const { event } of diagnosticsIn(meta)) note(event.contractId?.value, contracts);
  for (const id of calledIn(meta)) note(id, contracts);
}

function diagnosticsIn(meta: TransactionMeta): readonly DiagnosticEvent[] {
  if (meta.type === "v4") return meta.v4.diagnosticEvents;
  return meta.type === "v3" ? (meta.v3.sorobanMeta?.diagnosticEvents ?? []) : [];
}

/** Ids of the contracts that diagnostics say were called. */
function calledIn(meta: TransactionMeta): readonly Uint8Array[] {
  return diagnosticsIn(meta).flatMap(({ event }) => {
    const callee: ScVal | undefined = event.body.v0.topics[1];
    return callee?.type === "scvBytes" && callee.bytes.value.length === 32
      ? [callee.bytes.value]
      : [];
  });
}

function note(id: Uint8Array | undefined, contracts: Set<Address>): void {
  if (id !== undefined) contracts.add(contractAddress(id));
}

function noteKey(key: LedgerKey, keys: Set<string>): void {
  if (key.type === "account" || key.type === "trustline" || key.type === "contractData") {
    keys.add(key.toXdr("base64"));
  }
}
