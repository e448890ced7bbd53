// A contract call as a transaction: the invocation, its resources and what the node reports of it.
import type {
  HostFunctionWire,
  OperationWire,
  ScValWire,
  SorobanAuthorizationEntryWire,
  SorobanAuthorizedFunctionWire,
} from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";
import type { CallOutcome } from "../contract/host.ts";
import type { TransactionIntent } from "../intent.ts";
import { deployedAddress } from "../tokens/sac-address.ts";
import { commitChanges } from "./change.ts";
import { BUDGET_EXCEEDED, type Diagnostics, errorDiagnostic, type Metrics } from "./event.ts";
import { sha256 } from "./hash.ts";
import { type Call, Invocation } from "./invocation.ts";
import { type EntryKey, isTtl } from "./key.ts";
import { addressWire, u64Wire, VOID_WIRE, valueWire, xdrString } from "./sc-val.ts";
import { type EntryDiff, putInstance, type Scope } from "./state.ts";
import type { DeployIntent, SorobanOutcome, WorkContext, WorkOutcome } from "./work.ts";
import { scValXdr } from "./write-value.ts";
import { encode, encodeBytes, type XdrText } from "./xdr-writer.ts";

export type CallIntent = Extract<TransactionIntent, { kind: "call" }>;

/** Bytes of contract events a transaction may write (contract.md, Limits worth knowing). */
const EVENT_BYTES_MAX = 16_384;

/** Stroops that a call declares for its resources. Guess: well above what the models use. */
export const RESOURCE_FEE = 400_000;

/** InvokeHostFunctionResultCode. */
const Result = { success: 0, trapped: -2, resourceLimitExceeded: -3 } as const;

/** Commits to the scope where the call succeeds, and leaves it alone where it fails. */
export function runCall(
  scope: Scope,
  intent: CallIntent | DeployIntent,
  context: WorkContext,
): WorkOutcome {
  const own = scope.child();
  const signers = intent.kind === "call" ? (intent.signers ?? []) : [];
  const invocation = new Invocation({
    scope: own,
    source: intent.source,
    signers,
    now: context.now,
    baseReserve: context.baseReserve,
    codeOf: context.codeOf,
  });
  const deployed = intent.kind === "deploy" ? deploy(own, intent, context) : undefined;
  const outcome = invocation.run(
    intent.kind === "call"
      ? intent
      : { contract: deployed ?? intent.source, ...constructorCall(intent) },
  );
  const eventBytes = invocation.events.reduce((sum, { xdr }) => sum + xdr.length, 0);
  const ok = outcome.ok && eventBytes <= EVENT_BYTES_MAX;
  const diffs = own.diffs();
  const returned = deployed === undefined ? undefined : addressValueWire(deployed);
  const returnValue = outcome.ok ? scValXdr(returned ?? valueWire(outcome.value)) : undefined;
  const events = invocation.events.map(({ xdr }) => xdr);
  const success = ok && returnValue !== undefined;
  const soroban: SorobanOutcome = {
    data: sorobanData(invocation.read, success ? diffs : []),
    ...(success ? { returnValue } : {}),
    diagnostics: diagnostics(invocation, { ok: outcome.ok, eventBytes, diffs }),
    ...fees(invocation, success ? diffs : [], eventBytes),
  };
  const result = success
    ? { code: Result.success, success: successHash(returnValue, events) }
    : { code: failureCode(outcome) };
  return {
    ok: success,
    operations: [operation(intent, context)],
    results: [{ code: 0, tr: { type: 24, invokeHostFunctionResult: result } }],
    metas: success ? [{ changes: commitChanges(own), events }] : [],
    emitted: success ? invocation.events : [],
    soroban,
  };
}

/** Of the InvokeHostFunctionSuccessPreImage: the value returned and the events. */
function successHash(returnValue: XdrText, events: readonly XdrText[]): Uint8Array {
  return sha256(
    encodeBytes((to) => {
      to.xdr(returnValue);
      to.list(events, (event) => to.xdr(event));
    }),
  );
}

function failureCode(outcome: CallOutcome): -2 | -3 {
  // A call that succeeded and yet failed wrote too many events.
  return outcome.ok || outcome.error.kind === "budget"
    ? Result.resourceLimitExceeded
    : Result.trapped;
}

function deploy(scope: Scope, intent: DeployIntent, context: WorkContext): Address {
  const contract = deployedAddress(intent.source, intent.salt, context.networkId);
  const executable = { kind: "wasm" as const, hash: intent.wasmHash };
  putInstance(scope, { kind: "instance", contract, executable, storage: [] });
  return contract;
}

function constructorCall(intent: DeployIntent): Pick<Call, "fn" | "args"> {
  return { fn: "__constructor", args: intent.args };
}

function addressValueWire(address: Address): ScValWire {
  return { type: 18, address: addressWire(address) };
}

function diagnostics(
  invocation: Invocation,
  of: {
    readonly ok: boolean;
    readonly eventBytes: number;
    readonly diffs: readonly EntryDiff[];
  },
): Diagnostics {
  const { ok, eventBytes, diffs } = of;
  const written = diffs.reduce((sum, { after }) => sum + (after?.xdr.length ?? 0), 0);
  const metrics: Metrics = {
    read_entry: invocation.read.size,
    write_entry: diffs.length,
    ledger_write_byte: written,
    write_data_byte: written,
    emit_event: ok ? invocation.events.length : 0,
    emit_event_byte: ok ? eventBytes : 0,
    cpu_insn: instructions(invocation),
    mem_byte: instructions(invocation) / 2,
    max_emit_event_byte: Math.max(0, ...invocation.events.map(({ xdr }) => xdr.length)),
  };
  const events = invocation.diagnostics;
  if (!ok || eventBytes <= EVENT_BYTES_MAX) return { events, metrics, ok };
  const text = "total events size exceeds network config maximum";
  const tooMany = errorDiagnostic(undefined, BUDGET_EXCEEDED, text, [
    u64Wire(BigInt(eventBytes)),
    u64Wire(BigInt(EVENT_BYTES_MAX)),
  ]);
  tooMany.inSuccessfulCall = false;
  return { events: [...events, tooMany], metrics, ok };
}

/** Guess: a call of one of the models costs what a small Wasm contract's does. */
function instructions(invocation: Invocation): number {
  return 1_200_000 + 450_000 * invocation.calls;
}

/** Guess of the shares; the sum stays below what is declared. */
function fees(
  invocation: Invocation,
  diffs: readonly EntryDiff[],
  eventBytes: number,
): { readonly nonRefundableFee: bigint; readonly refundableFee: bigint } {
  const nonRefundable = Math.min(15_000 + 400 * invocation.calls, RESOURCE_FEE / 2);
  const rent = 1_500 * diffs.filter(({ before }) => before === undefined).length;
  const refundable = diffs.length === 0 ? 0 : Math.min(rent + eventBytes, RESOURCE_FEE / 2);
  return { nonRefundableFee: BigInt(nonRefundable), refundableFee: BigInt(refundable) };
}

/** The footprint: what was read and what was written; TTL entries go with the data they belong to. */
export function sorobanData(read: ReadonlySet<EntryKey>, diffs: readonly EntryDiff[]): XdrText {
  const written = new Set(diffs.map(({ key }) => key).filter((key) => !isTtl(key)));
  const readOnly = [...read].filter((key) => !written.has(key));
  return encode((to) => {
    to.uint32(0);
    to.list(readOnly, (key) => to.xdr(key));
    to.list([...written], (key) => to.xdr(key));
    to.uint32(INSTRUCTIONS_DECLARED);
    to.uint32(READ_BYTES_DECLARED);
    to.uint32(WRITE_BYTES_DECLARED);
    to.int64(BigInt(RESOURCE_FEE));
  });
}

const INSTRUCTIONS_DECLARED = 100_000_000;
const READ_BYTES_DECLARED = 200_000;
const WRITE_BYTES_DECLARED = 132_096;

function operation(intent: CallIntent | DeployIntent, context: WorkContext): OperationWire {
  const { hostFunction, authorized } = intent.kind === "call" ? invoke(intent) : create(intent);
  const signers = intent.kind === "call" ? (intent.signers ?? []) : [];
  const rootInvocation = { function: authorized, subInvocations: [] };
  const auth: SorobanAuthorizationEntryWire[] = [
    { credentials: { type: 0 }, rootInvocation },
    ...signers.map(
      (signer): SorobanAuthorizationEntryWire => ({
        credentials: {
          type: 1,
          address: {
            address: addressWire(signer),
            nonce: BigInt(context.now),
            signatureExpirationLedger: 0,
            signature: VOID_WIRE,
          },
        },
        rootInvocation,
      }),
    ),
  ];
  return { sourceAccount: null, body: { type: 24, invokeHostFunctionOp: { hostFunction, auth } } };
}

type Invoked = {
  readonly hostFunction: HostFunctionWire;
  readonly authorized: SorobanAuthorizedFunctionWire;
};

function invoke(intent: CallIntent): Invoked {
  const contractFn = {
    contractAddress: addressWire(intent.contract),
    functionName: xdrString(intent.fn),
    args: intent.args.map(valueWire),
  };
  return {
    hostFunction: { type: 0, invokeContract: contractFn },
    authorized: { type: 0, contractFn },
  };
}

function create(intent: DeployIntent): Invoked {
  const createContractV2 = {
    contractIdPreimage: {
      type: 0 as const,
      fromAddress: { address: addressWire(intent.source), salt: intent.salt },
    },
    executable: { type: 0 as const, wasmHash: intent.wasmHash },
    constructorArgs: intent.args.map(valueWire),
  };
  return {
    hostFunction: { type: 3, createContractV2 },
    authorized: { type: 2, createContractV2HostFn: createContractV2 },
  };
}
