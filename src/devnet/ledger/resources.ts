// Resources and fees of a contract call, and the node's checks of them.
import type { CallOutcome } from "../contract/host.ts";
import type { Resource } from "../intent.ts";
import { BUDGET_EXCEEDED, type Diagnostic, errorDiagnostic, type Metrics } from "./event.ts";
import type { Invocation } from "./invocation.ts";
import { isTtl } from "./key.ts";
import { u64Wire } from "./sc-val.ts";
import type { EntryDiff } from "./state.ts";

/** What a call declares. Guess: well above what the models use; the fee in stroops. */
export const Declared = {
  fee: 400_000,
  instructions: 100_000_000,
  readBytes: 200_000,
  writeBytes: 132_096,
} as const;

/** InvokeHostFunctionResultCode. */
export const Result = {
  success: 0,
  trapped: -2,
  resourceLimitExceeded: -3,
  insufficientRefundableFee: -5,
} as const;

export type Usage = {
  readonly entriesRead: number;
  readonly diffs: readonly EntryDiff[];
  readonly calls: number;
  readonly events: number;
  readonly eventBytes: number;
  /** XDR of the value returned; 0 where the call failed. */
  readonly returnBytes: number;
  readonly largestEvent: number;
};

export function usageOf(
  invocation: Invocation,
  diffs: readonly EntryDiff[],
  returnBytes: number,
): Usage {
  const sizes = invocation.events.map(({ xdr }) => xdr.length);
  return {
    entriesRead: invocation.read.size,
    diffs,
    calls: invocation.calls,
    events: sizes.length,
    eventBytes: sizes.reduce((sum, size) => sum + size, 0),
    returnBytes,
    largestEvent: Math.max(0, ...sizes),
  };
}

/** `ok`: the host got to the end, whatever the node said of it then. */
export function metricsOf(usage: Usage, ok: boolean): Metrics {
  const written = usage.diffs.reduce((sum, { after }) => sum + (after?.xdr.length ?? 0), 0);
  return {
    read_entry: usage.entriesRead,
    write_entry: usage.diffs.length,
    ledger_write_byte: written,
    write_data_byte: written,
    emit_event: ok ? usage.events : 0,
    emit_event_byte: ok ? usage.eventBytes : 0,
    cpu_insn: instructionsOf(usage),
    mem_byte: instructionsOf(usage) / 2,
    max_emit_event_byte: usage.largestEvent,
  };
}

/** Guess: a call of one of the models costs what a small Wasm contract's does. */
export function instructionsOf({ calls }: Pick<Usage, "calls">): number {
  return CALL_BASE + CALL_INSTRUCTIONS * calls;
}

const CALL_BASE = 1_200_000;
const CALL_INSTRUCTIONS = 450_000;

export function callsWithin(instructions: number): number {
  return Math.floor((instructions - CALL_BASE) / CALL_INSTRUCTIONS);
}

/** Guess of the shares; the sum stays below what is declared. */
export function feesOf(
  usage: Usage,
  success: boolean,
): { readonly nonRefundableFee: bigint; readonly refundableFee: bigint } {
  const nonRefundable = Math.min(15_000 + 400 * usage.calls, Declared.fee / 2);
  const rent = 1_500 * usage.diffs.filter(({ before }) => before === undefined).length;
  const refundable = success ? Math.min(rent + usage.eventBytes, Declared.fee / 2) : 0;
  return { nonRefundableFee: BigInt(nonRefundable), refundableFee: BigInt(refundable) };
}

const READ_EXCEEDED = "operation byte-read resources exceeds amount specified";
const REFUNDABLE_SHORT =
  "refundable resource fee was not sufficient to cover the events fee after paying for ledger " +
  "storage rent: {} > {}";

export type NodeFault = {
  readonly code: typeof Result.resourceLimitExceeded | typeof Result.insufficientRefundableFee;
  readonly diagnostic: Diagnostic;
};

/**
 * What the node, not the host, finds wrong with a call: before it runs (`outcome` undefined), after
 * the host gave up, or after it succeeded. `eventBytesMax`: the network's setting.
 */
export function nodeFault(
  shortOf: Resource | undefined,
  outcome: CallOutcome | undefined,
  usage: Usage,
  eventBytesMax: number,
): NodeFault | undefined {
  const exceeded = (text: string, used: number, declared: number): NodeFault => ({
    code: Result.resourceLimitExceeded,
    diagnostic: nodeError(text, used, declared),
  });
  if (outcome === undefined) {
    return exceeded(READ_EXCEEDED, 144, 10);
  }
  if (!outcome.ok) {
    if (outcome.error.kind !== "budget") return undefined;
    const used = instructionsOf(usage);
    return exceeded("operation instructions exceeds amount specified", used, used - 1);
  }
  // The value returned counts with the events (contract.md, What fits in one call).
  if (usage.eventBytes > eventBytesMax) {
    const text = "total events size exceeds network config maximum";
    return exceeded(text, usage.eventBytes, eventBytesMax);
  }
  const written = usage.eventBytes + usage.returnBytes;
  if (written > eventBytesMax) {
    return exceeded("return value pushes events size above maximum", written, eventBytesMax);
  }
  if (shortOf !== "refundableFee") return undefined;
  return {
    code: Result.insufficientRefundableFee,
    diagnostic: nodeError(REFUNDABLE_SHORT, usage.eventBytes + 1, usage.eventBytes),
  };
}

/** XDR of the entries written, without those that say how long others live. */
export function writtenBytes(diffs: readonly EntryDiff[]): number {
  return diffs.reduce(
    (sum, { key, after }) => (isTtl(key) ? sum : sum + (after?.xdr.length ?? 0)),
    0,
  );
}

/** What a call that succeeded used above what its transaction declared. */
export function resourceFault(
  usage: Usage,
  of: {
    readonly writeBytesMax: number;
    /** Stroops. */
    readonly refundable: bigint;
    readonly refundableMax: bigint;
  },
): NodeFault | undefined {
  const { writeBytesMax, refundable, refundableMax } = of;
  const written = writtenBytes(usage.diffs);
  if (written > writeBytesMax) {
    const text = "operation byte-write resources exceeds amount specified";
    return {
      code: Result.resourceLimitExceeded,
      diagnostic: nodeError(text, written, writeBytesMax),
    };
  }
  if (refundable <= refundableMax) return undefined;
  return {
    code: Result.insufficientRefundableFee,
    diagnostic: nodeError(REFUNDABLE_SHORT, Number(refundable), Number(refundableMax)),
  };
}

/** Undefined where the bytes that the footprint lets be read from disk are within what is declared. */
export function readFault(used: number, declared: number): NodeFault | undefined {
  if (used <= declared) return undefined;
  return {
    code: Result.resourceLimitExceeded,
    diagnostic: nodeError(READ_EXCEEDED, used, declared),
  };
}

function nodeError(text: string, used: number, allowed: number): Diagnostic {
  const args = [u64Wire(BigInt(used)), u64Wire(BigInt(allowed))];
  return {
    ...errorDiagnostic(undefined, BUDGET_EXCEEDED, text, args),
    inSuccessfulContractCall: false,
  };
}
