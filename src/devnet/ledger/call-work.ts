// A contract call as a transaction: the invocation, its resources and what the node reports of it.
import {
  type InvokeHostFunctionResultWire,
  InvokeHostFunctionSuccessPreImage,
  OperationResult,
  SorobanTransactionData,
} from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";
import { addressValue, type Value } from "../contract/value.ts";
import { deployedAddress } from "../tokens/sac-address.ts";
import { OpenAuthorization } from "./authorization.ts";
import { callOperation } from "./call-operation.ts";
import { commitChanges } from "./change.ts";
import { sha256 } from "./hash.ts";
import { Invocation } from "./invocation.ts";
import { type EntryKey, EVENTS_SETTING_KEY, isTtl } from "./key.ts";
import { wasmInstance } from "./new-entry.ts";
import {
  Declared,
  feesOf,
  metricsOf,
  type NodeFault,
  nodeFault,
  Result,
  type Usage,
  usageOf,
} from "./resources.ts";
import { hostValueXdr } from "./sc-val.ts";
import { type EntryDiff, putInstance, type Scope } from "./state.ts";
import type { CallIntent, DeployIntent, WorkContext, WorkOutcome } from "./work.ts";
import { encode, encodeBytes } from "./xdr-encoder.ts";
import type { XdrText } from "./xdr-writer.ts";

/** Commits to the scope where the call succeeds, and leaves it alone where it fails. */
export function runCall(
  scope: Scope,
  intent: CallIntent | DeployIntent,
  context: WorkContext,
): WorkOutcome {
  const own = scope.child();
  const shortOf = intent.kind === "call" ? intent.shortOf : undefined;
  const invocation = new Invocation({
    scope: own,
    authorization: new OpenAuthorization([intent.source, ...signersOf(intent)]),
    now: context.now,
    baseReserve: context.baseReserve,
    codeOf: context.codeOf,
    creates: intent.kind === "deploy",
    ...(shortOf === "instructions" ? { callsMax: 1 } : {}),
  });
  const deployed = intent.kind === "deploy" ? deploy(own, intent, context) : undefined;
  const call =
    intent.kind === "call"
      ? intent
      : { contract: deployed ?? intent.source, fn: "__constructor", args: intent.args };
  const outcome = shortOf === "reading" ? undefined : invocation.run(call);
  const value =
    outcome?.ok === true ? hostValueXdr(returnedOf(outcome.value, deployed)) : undefined;
  const usage = usageOf(invocation, own.diffs(), value?.length ?? 0);
  const fault = nodeFault(shortOf, outcome, usage, eventBytesMax(scope));
  const returnValue = fault === undefined ? value : undefined;
  const success = returnValue !== undefined;
  return callOutcome({
    ...{ own, invocation, usage, fault, returnValue },
    operations: [callOperation(intent, context)],
    data: sorobanData(invocation.read, success ? usage.diffs : []),
    ranThrough: outcome?.ok === true,
    ...feesOf(usage, success),
  });
}

/** Of a call that was tried in the scope `own`, which is committed where it succeeded. */
export function callOutcome(of: {
  readonly own: Scope;
  readonly invocation: Invocation;
  readonly usage: Usage;
  readonly fault: NodeFault | undefined;
  /** XDR of the value returned; undefined: the call failed. */
  readonly returnValue: XdrText | undefined;
  readonly operations: readonly XdrText[];
  /** XDR of the SorobanTransactionData. */
  readonly data: XdrText;
  /** The host got to the end, whatever the node said of it then. */
  readonly ranThrough: boolean;
  /** Stroops. */
  readonly nonRefundableFee: bigint;
  readonly refundableFee: bigint;
}): WorkOutcome {
  const { own, invocation, fault, returnValue, operations } = of;
  const ok = returnValue !== undefined;
  const events = invocation.events.map(({ xdr }) => xdr);
  return {
    ok,
    operations,
    results: [ok ? successResult(returnValue, events) : failureResult(fault)],
    metas: ok ? [{ changes: commitChanges(own), events }] : [],
    emitted: ok ? invocation.events : [],
    soroban: {
      data: of.data,
      ...(ok ? { returnValue } : {}),
      diagnostics: {
        events: [...invocation.diagnostics, ...(fault === undefined ? [] : [fault.diagnostic])],
        metrics: metricsOf(of.usage, of.ranThrough),
        ok,
      },
      nonRefundableFee: of.nonRefundableFee,
      refundableFee: of.refundableFee,
    },
  };
}

/** Creating a contract returns its address, whatever its constructor does. */
function returnedOf(value: Value, deployed: Address | undefined): Value {
  return deployed === undefined ? value : addressValue(deployed);
}

/** The network's setting. */
export function eventBytesMax(scope: Scope): number {
  const entry = scope.get(EVENTS_SETTING_KEY)?.entry;
  if (entry?.kind !== "eventsSetting") throw new Error("a network without its events setting");
  return entry.bytesMax;
}

function signersOf(intent: CallIntent | DeployIntent): readonly Address[] {
  return intent.kind === "call" ? (intent.signers ?? []) : [];
}

/** With the hash of what the call gave back: the value and the events. */
function successResult(returnValue: XdrText, events: readonly XdrText[]): XdrText {
  const given = encodeBytes(InvokeHostFunctionSuccessPreImage, { returnValue, events });
  return callResult({ code: Result.success, success: sha256(given) });
}

function failureResult(fault: NodeFault | undefined): XdrText {
  return callResult({ code: fault?.code ?? Result.trapped });
}

/** OperationType, within an operation's own result. */
const INVOKE_HOST_FUNCTION = 24;

function callResult(invokeHostFunctionResult: InvokeHostFunctionResultWire): XdrText {
  const tr = { type: INVOKE_HOST_FUNCTION, invokeHostFunctionResult } as const;
  return encode(OperationResult, { code: 0, tr });
}

function deploy(scope: Scope, intent: DeployIntent, context: WorkContext): Address {
  const contract = deployedAddress(intent.source, intent.salt, context.networkId);
  putInstance(scope, wasmInstance(contract, intent.wasmHash));
  return contract;
}

/** The footprint: what was read and what was written; TTL entries go with the data they belong to. */
function sorobanData(read: ReadonlySet<EntryKey>, diffs: readonly EntryDiff[]): XdrText {
  const written = new Set(diffs.map(({ key }) => key).filter((key) => !isTtl(key)));
  const readOnly = [...read].filter((key) => !written.has(key));
  return encode(SorobanTransactionData, {
    ext: { v: 0 },
    resources: {
      footprint: { readOnly, readWrite: [...written] },
      instructions: Declared.instructions,
      diskReadBytes: Declared.readBytes,
      writeBytes: Declared.writeBytes,
    },
    resourceFee: BigInt(Declared.fee),
  });
}
