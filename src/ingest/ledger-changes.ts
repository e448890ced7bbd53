// The entry changes of a ledger, decoded by the SDK, in the order they came about.
import type {
  LedgerCloseMeta,
  LedgerEntryChange,
  TransactionMeta,
  TransactionResultMeta,
  TransactionResultMetaV1,
} from "@stellar/stellar-sdk/xdr";

/**
 * Every transaction's fee, then each transaction, then the refunds after all of them, then
 * upgrades. Evictions are no changes in the ledger's own terms and are not here.
 */
export function* orderedChanges(meta: LedgerCloseMeta): Iterable<LedgerEntryChange> {
  const processed: readonly (TransactionResultMeta | TransactionResultMetaV1)[] =
    meta.value.txProcessing;
  for (const { feeProcessing } of processed) yield* feeProcessing;
  for (const { txApplyProcessing } of processed) {
    for (const changes of transactionChanges(txApplyProcessing)) yield* changes;
  }
  for (const one of processed) {
    if ("postTxApplyFeeProcessing" in one) yield* one.postTxApplyFeeProcessing;
  }
  for (const { changes } of meta.value.upgradesProcessing) yield* changes;
}

function transactionChanges(meta: TransactionMeta): readonly (readonly LedgerEntryChange[])[] {
  switch (meta.type) {
    case "operations":
      return meta.operations.map(({ changes }) => changes);
    case "v1":
      return [meta.v1.txChanges, ...meta.v1.operations.map(({ changes }) => changes)];
    case "v2":
    case "v3":
    case "v4": {
      const { txChangesBefore, operations, txChangesAfter } = meta.value;
      return [txChangesBefore, ...operations.map(({ changes }) => changes), txChangesAfter];
    }
  }
}
