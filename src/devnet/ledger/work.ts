// Applies a transaction's operations, after its fee is charged and its sequence number used.
import { type MemoWire, Operation, OperationResult } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";
import type { TransactionIntent } from "../intent.ts";
import type { ClassicAsset } from "./asset.ts";
import { commitChanges, type EntryChange } from "./change.ts";
import { applyClassic } from "./classic.ts";
import { ClassicLedger, OperationFault } from "./classic-ledger.ts";
import type { ClassicContext, ClassicOperation, ClassicOutcome } from "./classic-operation.ts";
import type { OfferEntry } from "./entry.ts";
import type { Diagnostics } from "./event.ts";
import type { CodeOf, EmittedEvent } from "./invocation.ts";
import { publicKeyWire } from "./sc-val.ts";
import type { Scope } from "./state.ts";
import { encode } from "./xdr-encoder.ts";
import type { XdrText } from "./xdr-writer.ts";

/** Creates a contract from its code; the network's own, never the traffic's. */
export type CallIntent = Extract<TransactionIntent, { kind: "call" }>;

export type DeployIntent = {
  readonly kind: "deploy";
  readonly source: Address;
  readonly salt: Uint8Array;
  /** Of the code. */
  readonly wasmHash: Uint8Array;
  readonly args: CallIntent["args"];
};

export type WorkContext = {
  readonly networkId: Uint8Array;
  /** Close time of the ledger, UNIX seconds. */
  readonly now: number;
  /** Stroops. */
  readonly baseReserve: bigint;
  readonly codeOf: CodeOf;
  readonly tokenOf: (asset: ClassicAsset) => Address;
  /** The last id given to an offer; moved on as offers are made. */
  readonly ids: { last: bigint };
  /** Open offers of an account. */
  readonly offersOf: (account: Address) => readonly OfferEntry[];
};

/** One operation's part of the transaction meta. */
export type OperationMeta = {
  readonly changes: readonly EntryChange[];
  /** XDR of the ContractEvents. */
  readonly events: readonly XdrText[];
};

export type WorkOutcome = {
  readonly ok: boolean;
  /** XDR of the Operations and of their OperationResults. */
  readonly operations: readonly XdrText[];
  readonly results: readonly XdrText[];
  /** Empty on a failure, which leaves nothing. */
  readonly metas: readonly OperationMeta[];
  /** Events of the first operation with what the exchange's model said of them. */
  readonly emitted: readonly EmittedEvent[];
  readonly soroban?: SorobanOutcome;
};

/** Fees in stroops. */
export type SorobanOutcome = {
  /** XDR of the SorobanTransactionData. */
  readonly data: XdrText;
  /** XDR of the value returned; absent on a failure. */
  readonly returnValue?: XdrText;
  readonly diagnostics: Diagnostics;
  readonly nonRefundableFee: bigint;
  /** What was used of the refundable part; the rest goes back. */
  readonly refundableFee: bigint;
};

/** OperationResultCode. */
const OP_NO_ACCOUNT = -2;

/** Commits to the scope where the transaction succeeds, and leaves it alone where it fails. */
export function runClassic(
  scope: Scope,
  of: {
    readonly source: Address;
    readonly memo: MemoWire;
    readonly operations: readonly ClassicOperation[];
  },
  context: WorkContext,
): WorkOutcome {
  const whole = scope.child();
  const operations: XdrText[] = [];
  const results: XdrText[] = [];
  const metas: OperationMeta[] = [];
  const sponsors = new Map<Address, Address>();
  let ok = true;
  // The operations after one that failed are tried as well, as the network does.
  for (const operation of of.operations) {
    const { source, body } = operation;
    const sourceAccount = source === undefined ? null : publicKeyWire(source);
    operations.push(encode(Operation, { sourceAccount, body }));
    const changed = whole.child();
    const ledger = new ClassicLedger(changed, context.baseReserve);
    if (source !== undefined && ledger.account(source) === undefined) {
      results.push(encode(OperationResult, { code: OP_NO_ACCOUNT }));
      ok = false;
      continue;
    }
    const own = { ...context, source: source ?? of.source, memo: of.memo, sponsors, ledger };
    const outcome = applied(operation, own);
    if (outcome instanceof OperationFault) {
      results.push(encode(OperationResult, { code: outcome.code }));
      ok = false;
      continue;
    }
    results.push(encode(OperationResult, { code: 0, tr: outcome.result }));
    ok &&= outcome.ok;
    metas.push({ changes: outcome.ok ? commitChanges(changed) : [], events: outcome.events });
  }
  if (ok) whole.commit();
  return { ok, operations, results, metas: ok ? metas : [], emitted: [] };
}

function applied(
  operation: ClassicOperation,
  context: ClassicContext,
): ClassicOutcome | OperationFault {
  try {
    return applyClassic(operation, context);
  } catch (error) {
    if (error instanceof OperationFault) return error;
    throw error;
  }
}
