// An applied transaction as the ledger's meta lists it: TransactionResultMetaV1 around
// TransactionMetaV4.
import { type EntryChange, writeChanges } from "./change.ts";
import type { Envelope } from "./envelope.ts";
import { writeDiagnostics } from "./event.ts";
import type { SorobanOutcome, WorkOutcome } from "./work.ts";
import { encodeBytes, type XdrText, type XdrWriter } from "./xdr-writer.ts";

/** TransactionResultCode. */
const Code = { success: 0, failed: -1, bumpInnerSuccess: 1, bumpInnerFailed: -13 } as const;

/** XDR of the TransactionResultPair. `feeCharged` in stroops. */
export function resultPairXdr(built: Envelope, outcome: WorkOutcome, feeCharged: bigint): Buffer {
  const { innerHash } = built;
  return encodeBytes((to) => {
    to.bytes(built.hash);
    to.int64(feeCharged);
    if (innerHash !== undefined) {
      to.int32(outcome.ok ? Code.bumpInnerSuccess : Code.bumpInnerFailed);
      to.bytes(innerHash);
      to.int64(0n); // the outer transaction paid
    }
    to.int32(outcome.ok ? Code.success : Code.failed);
    to.list(outcome.results, (result) => to.xdr(result));
    if (innerHash !== undefined) to.uint32(0);
    to.uint32(0);
  });
}

/** TransactionEventStage. */
export const Stage = { beforeAll: 0, afterAll: 2 } as const;

export type TransactionParts = {
  /** XDR of the TransactionResultPair. */
  readonly resultPair: Uint8Array;
  readonly feeChanges: readonly EntryChange[];
  readonly changesBefore: readonly EntryChange[];
  readonly outcome: WorkOutcome;
  /** XDR of the events of the transaction as a whole. */
  readonly fees: readonly { readonly stage: number; readonly event: XdrText }[];
  readonly refundChanges: readonly EntryChange[];
  /** Whether diagnostic events are written. */
  readonly diagnostics: boolean;
};

const META_V4 = 4;

/** A ContractEvent within the TransactionResultMetaV1: of an operation, or of the transaction. */
export type EventPlace = {
  readonly at: number;
  readonly bytes: number;
} & ({ readonly operation: number } | { readonly stage: number });

/** Where things lie in a TransactionResultMetaV1. */
export type MetaLayout = {
  /** The TransactionMeta. */
  readonly meta: { readonly at: number; readonly bytes: number };
  readonly events: readonly EventPlace[];
};

/** XDR of the TransactionResultMetaV1. */
export function transactionMetaXdr(parts: TransactionParts): {
  readonly xdr: Uint8Array;
  readonly layout: MetaLayout;
} {
  const { outcome } = parts;
  const events: EventPlace[] = [];
  const meta = { at: 0, bytes: 0 };
  const xdr = encodeBytes((to) => {
    to.uint32(0);
    to.bytes(parts.resultPair);
    writeChanges(to, parts.feeChanges);
    meta.at = to.length;
    to.uint32(META_V4);
    to.uint32(0);
    writeChanges(to, parts.changesBefore);
    to.uint32(outcome.metas.length);
    for (const [operation, { changes, events: own }] of outcome.metas.entries()) {
      to.uint32(0);
      writeChanges(to, changes);
      to.list(own, (event) => {
        events.push({ operation, at: to.length, bytes: event.length });
        to.xdr(event);
      });
    }
    writeChanges(to, []);
    to.option(outcome.soroban, (soroban) => writeSorobanMeta(to, soroban));
    to.list(parts.fees, ({ stage, event }) => {
      to.uint32(stage);
      events.push({ stage, at: to.length, bytes: event.length });
      to.xdr(event);
    });
    writeDiagnostics(to, parts.diagnostics ? outcome.soroban?.diagnostics : undefined);
    meta.bytes = to.length - meta.at;
    writeChanges(to, parts.refundChanges);
  });
  return { xdr, layout: { meta, events } };
}

/** With its extension, as nodes write it that serve an RPC; on a failure without a value. */
function writeSorobanMeta(to: XdrWriter, soroban: SorobanOutcome): void {
  to.uint32(1);
  to.uint32(0);
  to.int64(soroban.nonRefundableFee);
  to.int64(soroban.refundableFee);
  to.int64(soroban.refundableFee / 2n);
  to.option(soroban.returnValue, (value) => to.xdr(value));
}
