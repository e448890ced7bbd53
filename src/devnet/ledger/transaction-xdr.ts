// An applied transaction as the ledger's meta lists it: TransactionResultMetaV1 around
// TransactionMetaV4.
import {
  type InnerTransactionResultWire,
  type SorobanTransactionMetaV2Wire,
  type TransactionMetaWire,
  TransactionResultMetaV1,
  TransactionResultPair,
  type TransactionResultWire,
} from "@stellar/stellar-sdk/xdr";
import type { EntryChange } from "./change.ts";
import type { Envelope } from "./envelope.ts";
import { diagnosticsWire } from "./event.ts";
import type { SorobanOutcome, WorkOutcome } from "./work.ts";
import { type Encodable, encodeBytes, XdrEncoder } from "./xdr-encoder.ts";
import type { XdrText } from "./xdr-writer.ts";

const Code = { success: 0, failed: -1, bumpInnerSuccess: 1, bumpInnerFailed: -13 } as const;

/** XDR of the TransactionResultPair. `feeCharged` in stroops. */
export function resultPairXdr(built: Envelope, outcome: WorkOutcome, feeCharged: bigint): Buffer {
  const { ok, results } = outcome;
  const own = { code: ok ? Code.success : Code.failed, results };
  const result = resultWire(own, feeCharged, built.innerHash);
  return encodeBytes(TransactionResultPair, { transactionHash: built.hash, result });
}

/** Of a transaction, or of a fee bump around the one of `innerHash`, for which it pays. */
export function resultWire(
  result: Encodable<InnerTransactionResultWire["result"]>,
  feeCharged: bigint,
  innerHash: Uint8Array | undefined,
): Encodable<TransactionResultWire> {
  const ext = { v: 0 } as const;
  if (innerHash === undefined) return { feeCharged, result, ext };
  const ok = "code" in result && result.code === Code.success;
  const inner = { transactionHash: innerHash, result: { feeCharged: 0n, result, ext } };
  const code = ok ? Code.bumpInnerSuccess : Code.bumpInnerFailed;
  return { feeCharged, result: { code, innerResultPair: inner }, ext };
}

export const Stage = { beforeAll: 0, afterAll: 2 } as const;

export type TransactionParts = {
  /** XDR of the TransactionResultPair. */
  readonly resultPair: Uint8Array;
  readonly feeChanges: readonly EntryChange[];
  readonly changesBefore: readonly EntryChange[];
  readonly outcome: WorkOutcome;
  /** XDR of the events of the transaction as a whole. */
  readonly fees: readonly { readonly stage: 0 | 2; readonly event: XdrText }[];
  readonly refundChanges: readonly EntryChange[];
  /** Whether diagnostic events are written. */
  readonly diagnostics: boolean;
};

/** A ContractEvent within the TransactionResultMetaV1: of an operation, or of the transaction. */
export type EventPlace = {
  readonly at: number;
  readonly bytes: number;
} & ({ readonly operation: number } | { readonly stage: number });

/** Where things lie in a TransactionResultMetaV1. */
export type MetaLayout = {
  readonly meta: { readonly at: number; readonly bytes: number };
  readonly events: readonly EventPlace[];
};

const encoder = new XdrEncoder([
  "TransactionMeta",
  "OperationMetaV2.events[]",
  "TransactionMetaV4.operations[]",
  "TransactionEvent.event",
]);

/** XDR of the TransactionResultMetaV1. */
export function transactionMetaXdr(parts: TransactionParts): {
  readonly xdr: Uint8Array;
  readonly layout: MetaLayout;
} {
  const events: EventPlace[] = [];
  let meta = { at: 0, bytes: 0 };
  let operation = 0;
  const stages = parts.fees.map(({ stage }) => stage);
  const wire = {
    ext: { v: 0 as const },
    result: parts.resultPair,
    feeProcessing: parts.feeChanges,
    txApplyProcessing: metaWire(parts),
    postTxApplyFeeProcessing: parts.refundChanges,
  };
  const xdr = encoder.bytes(TransactionResultMetaV1, wire, {
    TransactionMeta: (from, to) => {
      meta = { at: from, bytes: to - from };
    },
    "OperationMetaV2.events[]": (from, to) => {
      events.push({ operation, at: from, bytes: to - from });
    },
    "TransactionMetaV4.operations[]": () => {
      operation += 1;
    },
    "TransactionEvent.event": (from, to) => {
      events.push({ stage: stages.shift() ?? 0, at: from, bytes: to - from });
    },
  });
  return { xdr, layout: { meta, events } };
}

function metaWire(parts: TransactionParts): Encodable<TransactionMetaWire> {
  const { metas, soroban } = parts.outcome;
  const v4 = {
    ext: { v: 0 as const },
    txChangesBefore: parts.changesBefore,
    operations: metas.map(({ changes, events }) => ({ ext: { v: 0 as const }, changes, events })),
    txChangesAfter: [],
    sorobanMeta: soroban === undefined ? null : sorobanMeta(soroban),
    events: parts.fees,
    diagnosticEvents:
      parts.diagnostics && soroban !== undefined ? diagnosticsWire(soroban.diagnostics) : [],
  };
  return { v: 4, v4 };
}

/** With its extension, as nodes write it that serve an RPC; on a failure without a value. */
function sorobanMeta(soroban: SorobanOutcome): Encodable<SorobanTransactionMetaV2Wire> {
  const v1 = {
    ext: { v: 0 as const },
    totalNonRefundableResourceFeeCharged: soroban.nonRefundableFee,
    totalRefundableResourceFeeCharged: soroban.refundableFee,
    rentFeeCharged: soroban.refundableFee / 2n,
  };
  return { ext: { v: 1, v1 }, returnValue: soroban.returnValue ?? null };
}
