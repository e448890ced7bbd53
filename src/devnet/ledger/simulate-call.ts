// Simulation: runs a call on the latest state and discards its changes.
import { SorobanAuthorizationEntry, SorobanTransactionData } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";
import type { CallOutcome } from "../contract/host.ts";
import { type Authorization, OpenAuthorization } from "./authorization.ts";
import type { Chain } from "./chain.ts";
import { EnforcedAuthorization } from "./enforced-authorization.ts";
import type { Call, Diagnostic } from "./event.ts";
import { Limit, nonRefundableFee, refundableFee } from "./fee-rates.ts";
import { Invocation } from "./invocation.ts";
import { isTtl } from "./key.ts";
import type { ReceivedCall } from "./received.ts";
import { declaredResources, diskBytes } from "./received-call.ts";
import { RecordedAuthorization } from "./recorded-authorization.ts";
import { callsWithin, instructionsOf, writtenBytes } from "./resources.ts";
import { hostValueXdr } from "./sc-val.ts";
import { type EntryDiff, Scope } from "./state.ts";
import { encode } from "./xdr-encoder.ts";
import type { XdrText } from "./xdr-writer.ts";

export type Tried = {
  readonly outcome: CallOutcome;
  readonly invocation: Invocation;
  readonly scope: Scope;
};

/** As if `source` called in `ledger` (the next one), closed at the tip's time. */
export function tryCall(
  chain: Chain,
  call: Call,
  source: Address,
  ledger = chain.tip.ledger + 1,
): Tried {
  return tryAuthorized(chain, call, new OpenAuthorization([source]), ledger);
}

function tryAuthorized(
  chain: Chain,
  call: Call,
  authorization: Authorization,
  ledger: number,
): Tried {
  const { baseReserve, codeOf } = chain.context;
  const scope = new Scope(chain.state, ledger);
  const now = chain.tip.closeTime;
  const callsMax = callsWithin(Limit.instructions);
  const invocation = new Invocation({ scope, authorization, now, baseReserve, codeOf, callsMax });
  return { outcome: invocation.run(call), invocation, scope };
}

export type SimulationRequest = {
  readonly call: ReceivedCall;
  /** How authorization is treated: checked as on the ledger, or noted down. */
  readonly auth: "enforce" | "record" | "record_allow_nonroot";
  /** Recorded credentials name the address they are of (CAP-71). */
  readonly upgradedAuth: boolean;
  /** Instructions to be allowed above those used, at least. */
  readonly instructionLeeway: number;
  /** Of the envelope, as it is. */
  readonly bytes: number;
};

export type Simulated = {
  readonly diagnostics: readonly Diagnostic[];
  readonly outcome: CallOutcome;
  readonly success?: {
    /** XDR of the SorobanTransactionData, with its fee in stroops. */
    readonly data: XdrText;
    readonly resourceFee: bigint;
    readonly value: XdrText;
    /** XDR of the SorobanAuthorizationEntries. */
    readonly auth: readonly XdrText[];
    readonly changes: readonly EntryDiff[];
  };
};

/** For simulateTransaction. Throws a TypeError for credentials that this network does not take. */
export function simulateCall(chain: Chain, request: SimulationRequest): Simulated {
  const { call, auth } = request;
  const recorded =
    auth === "enforce"
      ? undefined
      : new RecordedAuthorization(call.source, auth === "record_allow_nonroot");
  const enforced = new EnforcedAuthorization(call.auth, {
    source: call.source,
    networkId: chain.networkId,
  });
  // As of the latest ledger: its number and its time (stellar-rpc, preflight).
  const tried = tryAuthorized(chain, call, recorded ?? enforced, chain.tip.ledger);
  const { outcome, invocation } = tried;
  const { diagnostics } = invocation;
  if (!outcome.ok) return { diagnostics, outcome };
  const entries =
    recorded?.entries(request.upgradedAuth) ??
    call.auth.map((entry) => encode(SorobanAuthorizationEntry, entry));
  const value = hostValueXdr(outcome.value);
  const changes = tried.scope.diffs().filter(({ key }) => !isTtl(key));
  const declared = declare(tried, { request, entries, changes, returnBytes: value.length });
  return {
    diagnostics,
    outcome,
    success: {
      ...declared,
      value,
      auth: entries,
      changes,
    },
  };
}

/** Adjustments of what was used, as soroban-simulation makes them by default. */
const INSTRUCTIONS_FACTOR = 1.04;
const INSTRUCTIONS_LEEWAY = 50_000;
const SIZE_FACTOR = 1.1;
const SIZE_LEEWAY = 500;
const REFUNDABLE_PERCENT = 115n;
/** Guess: what an authorization's signature adds to it, and the envelope's own signature. */
const AUTH_SIGNATURE_BYTES = 168;
const SIGNATURE_BYTES = 76;

function declare(
  { invocation, scope }: Tried,
  of: {
    readonly request: SimulationRequest;
    readonly entries: readonly XdrText[];
    readonly changes: readonly EntryDiff[];
    readonly returnBytes: number;
  },
): { readonly data: XdrText; readonly resourceFee: bigint } {
  const { request, entries, changes, returnBytes } = of;
  const readWrite = changes.map(({ key }) => key);
  const written = new Set(readWrite);
  const readOnly = [...invocation.read].filter((key) => !written.has(key));
  const used = instructionsOf(invocation);
  const leeway = Math.max(INSTRUCTIONS_LEEWAY, request.instructionLeeway);
  const instructions = Math.ceil(Math.max(used * INSTRUCTIONS_FACTOR, used + leeway));
  const footprint = { readOnly, readWrite };
  const resources = {
    footprint,
    instructions: Math.min(instructions, Limit.instructions),
    diskReadBytes: diskBytes(footprint, { get: (key) => scope.below(key) }),
    writeBytes: writtenBytes(changes),
  };
  const dataWith = (resourceFee: bigint): XdrText =>
    encode(SorobanTransactionData, { ext: { v: 0 }, resources, resourceFee });
  const authBytes = entries.reduce((sum, { length }) => sum + length + AUTH_SIGNATURE_BYTES, 0);
  const bytes =
    request.bytes +
    dataWith(0n).length +
    (request.auth === "enforce" ? 0 : authBytes) +
    SIGNATURE_BYTES;
  const declared = declaredResources(
    resources,
    footprint,
    Math.ceil(bytes * SIZE_FACTOR) + SIZE_LEEWAY,
  );
  const created = scope.diffs().filter(({ before }) => before === undefined).length;
  const eventBytes = invocation.events.reduce((sum, { xdr }) => sum + xdr.length, returnBytes);
  const refundable = (refundableFee({ created, eventBytes }) * REFUNDABLE_PERCENT + 99n) / 100n;
  const resourceFee = nonRefundableFee(declared) + refundable;
  return { data: dataWith(resourceFee), resourceFee };
}
