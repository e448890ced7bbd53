// simulateTransaction: one contract call on the latest state, which is left as it was. What is wrong
// with the call or with the request stands in the result, not in a JSON-RPC error.
import { DiagnosticEvent } from "@stellar/stellar-sdk/xdr";
import { errorName, scError } from "../ledger/event.ts";
import { readCall } from "../ledger/received.ts";
import { operationName } from "../ledger/received-operations.ts";
import { type Simulated, type SimulationRequest, simulateCall } from "../ledger/simulate-call.ts";
import type { EntryDiff } from "../ledger/state.ts";
import { encode } from "../ledger/xdr-encoder.ts";
import { type XdrText, xdrBytes } from "../ledger/xdr-writer.ts";
import { eventLog } from "./event-log.ts";
import { servedRange } from "./get-ledgers.ts";
import {
  booleanParam,
  integerParam,
  objectParam,
  type Params,
  requireBase64Format,
  stringParam,
} from "./params.ts";
import { receive } from "./send-transaction.ts";
import type { RpcSource } from "./source.ts";

export function simulateTransaction(source: RpcSource, params: Params) {
  requireBase64Format(params);
  const latestLedger = servedRange(source).latest.ledger;
  const request = readRequest(source, params);
  if (typeof request === "string") return { error: request, events: [], latestLedger };
  const simulated = simulate(source, request);
  if (typeof simulated === "string") return { error: simulated, events: [], latestLedger };
  const events = simulated.diagnostics.map((one) => base64(encode(DiagnosticEvent, one)));
  const { success, outcome } = simulated;
  if (success === undefined) {
    const error = outcome.ok ? "" : hostError(simulated);
    return { error, events, latestLedger };
  }
  return {
    transactionData: base64(success.data),
    minResourceFee: String(success.resourceFee),
    events,
    results: [{ auth: success.auth.map(base64), xdr: base64(success.value) }],
    stateChanges: success.changes.map(stateChange),
    latestLedger,
  };
}

function simulate(source: RpcSource, request: SimulationRequest): Simulated | string {
  try {
    return simulateCall(source.chain, request);
  } catch (error) {
    // Credentials of a kind that this network does not take.
    if (error instanceof TypeError) return error.message;
    throw error;
  }
}

function base64(xdr: XdrText): string {
  return xdrBytes(xdr).toString("base64");
}

function stateChange({ key, before, after }: EntryDiff) {
  const type = before === undefined ? "created" : after === undefined ? "deleted" : "updated";
  const xdr = (entry: EntryDiff["after"]) => (entry === undefined ? null : base64(entry.xdr));
  return { type, key: base64(key), before: xdr(before), after: xdr(after) };
}

function hostError({ outcome, diagnostics }: Simulated): string {
  const name = outcome.ok ? "" : errorName(scError(outcome.error));
  return `HostError: ${name}\n\n${eventLog(diagnostics)}`;
}

/** OperationType. */
const INVOKE_HOST_FUNCTION = 24;
const EXTEND_FOOTPRINT_TTL = 25;
const RESTORE_FOOTPRINT = 26;

/** What is simulated, or why nothing is. */
function readRequest(source: RpcSource, params: Params): SimulationRequest | string {
  const received = receive(source, params);
  if (received === undefined) return "Could not unmarshal transaction";
  const { operations, memo } = received.transaction;
  const [operation, ...more] = operations;
  if (operation === undefined || more.length > 0) {
    return "Transaction contains more than one operation";
  }
  const { type } = operation.body;
  if (type === EXTEND_FOOTPRINT_TTL || type === RESTORE_FOOTPRINT) {
    return received.soroban === undefined
      ? "To perform a SimulateTransaction for ExtendFootprintTtl or RestoreFootprint operations, " +
          "SorobanTransactionData must be provided"
      : "this network archives no entries: there is nothing to extend or restore";
  }
  if (type !== INVOKE_HOST_FUNCTION) {
    const name = operationName(operation);
    const title = name.charAt(0).toUpperCase() + name.slice(1);
    return `Transaction contains unsupported operation type: OperationType${title}`;
  }
  if (memo.type !== 0) {
    return "Transaction contains a memo. Soroban transactions do not support memos.";
  }
  const call = readCall(received);
  if (call === undefined) return "this network does not support host functions but contract calls";
  const auth = readAuthMode(params, call.auth.length > 0);
  if (auth.mode === undefined) return auth.refused;
  return {
    call,
    auth: auth.mode,
    upgradedAuth: booleanParam(params, "useUpgradedAuth") ?? false,
    instructionLeeway:
      integerParam(objectParam(params, "resourceConfig"), "instructionLeeway") ?? 0,
    bytes: received.bytes,
  };
}

const MODES = ["enforce", "record", "record_allow_nonroot"] as const;
type Mode = (typeof MODES)[number];

function readAuthMode(
  params: Params,
  hasEntries: boolean,
): { readonly mode: Mode } | { readonly mode?: undefined; readonly refused: string } {
  const text = stringParam(params, "authMode");
  if (text === undefined) return { mode: hasEntries ? "enforce" : "record" };
  const mode = MODES.find((one) => one === text);
  if (mode === undefined) {
    return { refused: `optional 'authMode' must be one of ${MODES.join(",")} when included` };
  }
  if (mode !== "enforce" && hasEntries) {
    return { refused: `cannot set authMode to '${mode}' with an auth footprint` };
  }
  return { mode };
}
