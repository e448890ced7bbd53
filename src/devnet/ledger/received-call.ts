// A contract call that a client sent: run within the authorization, the footprint and the resources
// that the transaction declares.
import {
  type LedgerFootprintWire,
  LedgerKey,
  type LedgerKeyWire,
  type SorobanResourcesWire,
  SorobanTransactionData,
} from "@stellar/stellar-sdk/xdr";
import { callOutcome, eventBytesMax } from "./call-work.ts";
import { EnforcedAuthorization } from "./enforced-authorization.ts";
import {
  type Diagnostic,
  errorDiagnostic,
  FOOTPRINT_EXCEEDED,
  hostFailedDiagnostic,
} from "./event.ts";
import { type DeclaredResources, nonRefundableFee, refundableFee } from "./fee-rates.ts";
import { Invocation } from "./invocation.ts";
import { type EntryKey, isClassic, isTtl, keyFromXdr } from "./key.ts";
import { type Received, readCall } from "./received.ts";
import { callsWithin, nodeFault, readFault, resourceFault, usageOf } from "./resources.ts";
import { bytesWire, hostValueXdr } from "./sc-val.ts";
import type { EntryDiff, Scope } from "./state.ts";
import type { WorkContext, WorkOutcome } from "./work.ts";
import { encode } from "./xdr-encoder.ts";
import { xdrBytes } from "./xdr-writer.ts";

/** Commits to the scope where the call succeeds, and leaves it alone where it fails. */
export function runReceivedCall(
  scope: Scope,
  received: Received,
  context: WorkContext,
): WorkOutcome {
  const call = readCall(received);
  const { soroban } = received;
  if (call === undefined || soroban === undefined) throw new TypeError("no contract call");
  const footprint = readFootprint(soroban.resources.footprint);
  const declared = declaredResources(soroban.resources, footprint, received.bytes);
  const own = scope.child();
  const invocation = new Invocation({
    scope: own,
    authorization: new EnforcedAuthorization(call.auth, {
      source: call.source,
      networkId: context.networkId,
    }),
    now: context.now,
    baseReserve: context.baseReserve,
    codeOf: context.codeOf,
    callsMax: callsWithin(declared.instructions),
  });
  const unread = readFault(diskBytes(footprint, scope), declared.diskReadBytes);
  const outcome = unread === undefined ? invocation.run(call) : undefined;
  const value = outcome?.ok === true ? hostValueXdr(outcome.value) : undefined;
  const usage = usageOf(invocation, own.diffs(), value?.length ?? 0);
  const nonRefundable = nonRefundableFee(declared);
  const refundable = refundableFee({
    created: usage.diffs.filter(({ before }) => before === undefined).length,
    eventBytes: usage.eventBytes + usage.returnBytes,
  });
  const outside = outsideKey(footprint, invocation.read, usage.diffs);
  if (outside !== undefined) reportOutside(invocation.diagnostics, outside);
  const fault =
    unread ??
    (outside === undefined
      ? nodeFault(undefined, outcome, usage, eventBytesMax(scope))
      : undefined) ??
    (value === undefined || outside !== undefined
      ? undefined
      : resourceFault(usage, {
          writeBytesMax: declared.writeBytes,
          refundable,
          refundableMax: soroban.resourceFee - nonRefundable,
        }));
  const returnValue = outside === undefined && fault === undefined ? value : undefined;
  return callOutcome({
    ...{ own, invocation, usage, fault, returnValue },
    operations: [],
    data: encode(SorobanTransactionData, soroban),
    ranThrough: outcome?.ok === true,
    nonRefundableFee: nonRefundable,
    refundableFee: returnValue === undefined ? 0n : refundable,
  });
}

export type Footprint = {
  readonly readOnly: readonly EntryKey[];
  readonly readWrite: readonly EntryKey[];
};

export function readFootprint({ readOnly, readWrite }: LedgerFootprintWire): Footprint {
  const keyOf = (key: LedgerKeyWire): EntryKey => keyFromXdr(encode(LedgerKey, key));
  return { readOnly: readOnly.map(keyOf), readWrite: readWrite.map(keyOf) };
}

export function declaredResources(
  resources: Pick<SorobanResourcesWire, "instructions" | "diskReadBytes" | "writeBytes">,
  { readOnly, readWrite }: Footprint,
  transactionBytes: number,
): DeclaredResources {
  return {
    instructions: resources.instructions,
    diskReadEntries: [...readOnly, ...readWrite].filter(isClassic).length,
    diskReadBytes: resources.diskReadBytes,
    writeEntries: readWrite.length,
    writeBytes: resources.writeBytes,
    transactionBytes,
  };
}

/** Bytes of the entries that are read from disk before the call runs. */
export function diskBytes({ readOnly, readWrite }: Footprint, entries: Pick<Scope, "get">): number {
  return [...readOnly, ...readWrite]
    .filter(isClassic)
    .reduce((sum, key) => sum + (entries.get(key)?.xdr.length ?? 0), 0);
}

/** A key that was read or written although the footprint does not let it be. */
function outsideKey(
  { readOnly, readWrite }: Footprint,
  read: ReadonlySet<EntryKey>,
  diffs: readonly EntryDiff[],
): EntryKey | undefined {
  const writable = new Set(readWrite);
  const readable = new Set([...readOnly, ...readWrite]);
  const written = diffs.map(({ key }) => key).filter((key) => !isTtl(key));
  return written.find((key) => !writable.has(key)) ?? [...read].find((key) => !readable.has(key));
}

/** The host traps at the access; here it is found once the call is through. */
function reportOutside(diagnostics: Diagnostic[], key: EntryKey): void {
  const text = "trying to access contract storage key outside of the footprint";
  diagnostics.push(
    errorDiagnostic(undefined, FOOTPRINT_EXCEEDED, text, [bytesWire(xdrBytes(key))]),
    hostFailedDiagnostic(FOOTPRINT_EXCEEDED),
  );
  for (const recorded of diagnostics) recorded.inSuccessfulContractCall = false;
}
