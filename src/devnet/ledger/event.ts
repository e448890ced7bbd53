// Contract events and diagnostic events as the host writes them.
import {
  ContractEvent,
  type ContractEventWire,
  type InvokeContractArgsWire,
  ScErrorCode,
  ScErrorType,
  type ScErrorWire,
} from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";
import { enumNames } from "../../model/xdr-schema.ts";
import type { CallError } from "../contract/host.ts";
import type { Value } from "../contract/value.ts";
import {
  addressWire,
  bytesWire,
  contractBytes,
  errorWire,
  type HostValue,
  hostValueWire,
  stringWire,
  symbolWire,
  u64Wire,
  VOID_WIRE,
  valueWire,
  vecWire,
  xdrString,
} from "./sc-val.ts";
import { encode } from "./xdr-encoder.ts";
import { type XdrText, xdrBytes, xdrText } from "./xdr-writer.ts";

export type Call = {
  readonly contract: Address;
  readonly fn: string;
  readonly args: readonly Value[];
};

export function invocationWire({ contract, fn, args }: Call): InvokeContractArgsWire {
  const contractAddress = addressWire(contract);
  return { contractAddress, functionName: xdrString(fn), args: args.map(valueWire) };
}

const CONTRACT = 1;
const DIAGNOSTIC = 2;

export function contractEvent(
  contract: Address,
  topics: readonly HostValue[],
  data: HostValue,
): XdrText {
  return encode(ContractEvent, eventWire(CONTRACT, contract, topics, [data]));
}

/** As the host writes data: no value as Void, one as itself, several as a Vec. */
function eventWire(
  type: typeof CONTRACT | typeof DIAGNOSTIC,
  contract: Address | undefined,
  topics: readonly HostValue[],
  values: readonly HostValue[],
): ContractEventWire {
  const [data = VOID_WIRE, ...more] = values.map(hostValueWire);
  const v0 = {
    topics: topics.map(hostValueWire),
    data: more.length === 0 ? data : vecWire([data, ...more]),
  };
  const contractId = contract === undefined ? null : contractBytes(contract);
  return { ext: { v: 0 }, contractId, type, body: { v: 0, v0 } };
}

/** A diagnostic event whose success flag is set once it is known which frames failed. */
export type Diagnostic = { inSuccessfulContractCall: boolean; readonly event: XdrText };

function diagnostic(
  contract: Address | undefined,
  topics: readonly HostValue[],
  data: readonly HostValue[],
): Diagnostic {
  const event = encode(ContractEvent, eventWire(DIAGNOSTIC, contract, topics, data));
  return { inSuccessfulContractCall: true, event };
}

export function callDiagnostic(
  { contract, fn, args }: Call,
  caller: Address | undefined,
): Diagnostic {
  const topics = [symbolWire("fn_call"), bytesWire(contractBytes(contract)), symbolWire(fn)];
  return diagnostic(caller, topics, args);
}

export function returnDiagnostic(contract: Address, fn: string, value: Value): Diagnostic {
  return diagnostic(contract, [symbolWire("fn_return"), symbolWire(fn)], [value]);
}

/** `args` follow the message: together a Vec, the message alone a String. */
export function errorDiagnostic(
  contract: Address | undefined,
  error: ScErrorWire,
  message: string,
  args: readonly HostValue[] = [],
): Diagnostic {
  const topics = [symbolWire("error"), errorWire(error)];
  return diagnostic(contract, topics, [stringWire(message), ...args]);
}

/** What a Wasm contract logs as it traps. */
export function trapDiagnostic(contract: Address, fn: string, error: ScErrorWire): Diagnostic {
  return diagnostic(
    contract,
    [symbolWire("log")],
    [stringWire("VM call trapped with HostError"), symbolWire(fn), errorWire(error)],
  );
}

export function hostFailedDiagnostic(error: ScErrorWire): Diagnostic {
  return diagnostic(undefined, [symbolWire("host_fn_failed"), errorWire(error)], []);
}

/** Numbers of the XDR enumerations ScErrorType and ScErrorCode. */
const ErrorType = { contract: 0, wasmVm: 1, storage: 3, budget: 7, auth: 9 } as const;
const ErrorCode = {
  invalidInput: 2,
  missingValue: 3,
  existingValue: 4,
  exceededLimit: 5,
  invalidAction: 6,
  internalError: 7,
} as const;
/** As the host names them in its messages. */
const TYPE_NAMES = enumNames(ScErrorType.schema).map((name) => name.slice("sce".length));
const CODE_NAMES = enumNames(ScErrorCode.schema).map((name) => name.slice("scec".length));

/** `Error(Contract, #709)` or `Error(Auth, InvalidAction)`. */
export function errorName(error: ScErrorWire): string {
  if (error.type === 0) return `Error(Contract, #${error.contractCode})`;
  return `Error(${TYPE_NAMES[error.type]}, ${CODE_NAMES[error.code]})`;
}

export const STORAGE_MISSING: ScErrorWire = {
  type: ErrorType.storage,
  code: ErrorCode.missingValue,
};
/** An entry that the transaction's footprint does not list. */
export const FOOTPRINT_EXCEEDED: ScErrorWire = {
  type: ErrorType.storage,
  code: ErrorCode.exceededLimit,
};
export const BUDGET_EXCEEDED: ScErrorWire = {
  type: ErrorType.budget,
  code: ErrorCode.exceededLimit,
};

export function scError(error: CallError): ScErrorWire {
  switch (error.kind) {
    case "contract":
      return { type: ErrorType.contract, contractCode: error.code };
    case "auth":
      return { type: ErrorType.auth, code: ErrorCode[error.fault ?? "invalidAction"] };
    case "invalid":
      return invalidError(error);
    case "budget":
      return BUDGET_EXCEEDED;
    case "fault":
      return { type: ErrorType.storage, code: ErrorCode.internalError };
  }
}

function invalidError({ missing }: Extract<CallError, { kind: "invalid" }>): ScErrorWire {
  if (missing === "contract") return STORAGE_MISSING;
  const code = missing === "function" ? ErrorCode.missingValue : ErrorCode.invalidAction;
  return { type: ErrorType.wasmVm, code };
}

/** Names of a call's metrics, in the node's order (core_metrics): counts and bytes. */
const METRICS = [
  "read_entry",
  "write_entry",
  "ledger_read_byte",
  "ledger_write_byte",
  "read_key_byte",
  "write_key_byte",
  "read_data_byte",
  "write_data_byte",
  "read_code_byte",
  "write_code_byte",
  "emit_event",
  "emit_event_byte",
  "cpu_insn",
  "mem_byte",
  "invoke_time_nsecs",
  "max_rw_key_byte",
  "max_rw_data_byte",
  "max_rw_code_byte",
  "max_emit_event_byte",
] as const;
export type Metric = (typeof METRICS)[number];
export type Metrics = { readonly [name in Metric]?: number };

/** XDR of each metric's event with the value 0, a u64 in its last bytes: all else of it is always the same. */
const METRIC_EVENTS = METRICS.map((name) => {
  const topics = [symbolWire("core_metrics"), symbolWire(name)];
  const zero = encode(ContractEvent, eventWire(DIAGNOSTIC, undefined, topics, [u64Wire(0n)]));
  return { name, zero };
});
const U64_BYTES = 8;

function metricEvent(zero: XdrText, value: number): XdrText {
  if (value === 0) return zero;
  const bytes = xdrBytes(zero);
  bytes.writeBigUInt64BE(BigInt(Math.trunc(value)), bytes.length - U64_BYTES);
  return xdrText(bytes);
}

export type Diagnostics = {
  readonly events: readonly Diagnostic[];
  readonly metrics: Metrics;
  /** The flag of the metrics: whether the call as a whole succeeded. */
  readonly ok: boolean;
};

/** Those recorded, then the core_metrics in their order. */
export function diagnosticsWire(of: Diagnostics): readonly Diagnostic[] {
  const metrics = METRIC_EVENTS.map(({ name, zero }) => ({
    inSuccessfulContractCall: of.ok,
    event: metricEvent(zero, of.metrics[name] ?? 0),
  }));
  return [...of.events, ...metrics];
}
