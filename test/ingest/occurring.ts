// What occurs in a ledger, taken from the SDK's full decode: contracts that can be taken as if they
// were the exchange or a token, and keys that can be followed.
import {
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
  readonly keys: readonly string[];
};

export function occurring(bytes: Uint8Array): Occurring {
  const meta = LedgerCloseMeta.fromXdr(bytes);
  const contracts = new Set<Address>();
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
  }
  for (const upgrade of meta.value.upgradesProcessing) changes(upgrade.changes);
  if (meta.type !== "v0") for (const key of meta.value.evictedKeys) noteKey(key, keys);
  return { contracts: [...contracts], keys: [...keys] };
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
  const soroban = meta.type === "v3" ? meta.v3.sorobanMeta : undefined;
  for (const event of soroban?.events ?? []) note(event.contractId?.value, contracts);
  const diagnostics =
    meta.type === "v4" ? meta.v4.diagnosticEvents : (soroban?.diagnosticEvents ?? []);
  for (const { event } of diagnostics) {
    note(event.contractId?.value, contracts);
    const callee: ScVal | undefined = event.body.v0.topics[1];
    if (callee?.type === "scvBytes" && callee.bytes.value.length === 32) {
      note(callee.bytes.value, contracts);
    }
  }
}

function note(id: Uint8Array | undefined, contracts: Set<Address>): void {
  if (id !== undefined) contracts.add(contractAddress(id));
}

function noteKey(key: LedgerKey, keys: Set<string>): void {
  if (key.type === "account" || key.type === "trustline" || key.type === "contractData") {
    keys.add(key.toXdr("base64"));
  }
}
