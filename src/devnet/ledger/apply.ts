// Applies the transactions of one ledger as the network does: all fees first, then every
// transaction in order (classic ones before contract calls), then the refunds.
import type { Address } from "../../model/address.ts";
import { addressValue, i128, symbol, u32 } from "../contract/value.ts";
import type { TransactionIntent } from "../intent.ts";
import { reserve } from "../tokens/reserve.ts";
import { NATIVE } from "./asset.ts";
import { runCall } from "./call-work.ts";
import { commitChanges, type EntryChange } from "./change.ts";
import { type ClassicIntent, classicOperations } from "./classic.ts";
import { type Envelope, envelope, type FeeBump } from "./envelope.ts";
import { contractEvent } from "./event.ts";
import type { EmittedEvent } from "./invocation.ts";
import { feeSource, inclusionFee, paidOperations, type Received, resourceFee } from "./received.ts";
import { runReceivedCall } from "./received-call.ts";
import { classicOf } from "./received-operations.ts";
import { Declared } from "./resources.ts";
import { accountIn, type LedgerState, Scope } from "./state.ts";
import {
  type MetaLayout,
  resultPairXdr,
  Stage,
  type TransactionParts,
  transactionMetaXdr,
} from "./transaction-xdr.ts";
import {
  type CallIntent,
  type DeployIntent,
  runClassic,
  type WorkContext,
  type WorkOutcome,
} from "./work.ts";
import type { XdrText } from "./xdr-writer.ts";

export type LedgerContext = WorkContext & {
  readonly ledger: number;
  /** Stroops an operation. */
  readonly baseFee: number;
  /** Whether diagnostic events are written, as a node is configured to. */
  readonly diagnostics: boolean;
  /** The account that pays for the `order`th transaction in place of its source, where one does. */
  readonly feeBump?: FeeBumpOf;
};

/** `order` counts the ledger's intents from 0. */
export type FeeBumpOf = (
  intent: ApplicableIntent,
  at: { readonly ledger: number; readonly order: number },
) => Address | undefined;

/** A transaction that a client signed and sent: it is found valid, and is applied as it came. */
export type ReceivedIntent = {
  readonly kind: "received";
  readonly source: Address;
  readonly received: Received;
};

/** An intent that is a transaction. `approve` stands for the call of a token's `approve`. */
export type ApplicableIntent = ClassicIntent | CallIntent | DeployIntent | ReceivedIntent;

export type AppliedTransaction = {
  readonly intent: ApplicableIntent;
  readonly soroban: boolean;
  readonly ok: boolean;
  readonly envelope: Envelope;
  /** XDR of the TransactionResultPair. */
  readonly resultPair: Uint8Array;
  /** XDR of the TransactionResultMetaV1. */
  readonly meta: Uint8Array;
  /** Where the parts of `meta` lie. */
  readonly layout: MetaLayout;
  readonly emitted: readonly EmittedEvent[];
  /** Stroops, after the refund. */
  readonly feeCharged: bigint;
  /** Stroops an operation, without the fee for resources. */
  readonly inclusionFee: bigint;
};

export type AppliedLedger = {
  /** In apply order: what the ledger's txProcessing lists. */
  readonly transactions: readonly AppliedTransaction[];
  /** Not applied: the source does not exist or cannot pay the fee. */
  readonly rejected: readonly ApplicableIntent[];
};

type Planned = {
  readonly intent: ApplicableIntent;
  readonly soroban: boolean;
  readonly feeSource: Address;
  readonly feeBump?: FeeBump;
  /** Stroops charged at first, and the part of it that is for resources. */
  readonly fee: bigint;
  readonly resourceFee: bigint;
  readonly operations: bigint;
  readonly feeChanges: readonly EntryChange[];
};

/** Changes `state`. The intents are applied in their order, calls after everything else. */
export function applyIntents(
  state: LedgerState,
  intents: readonly ApplicableIntent[],
  context: LedgerContext,
): AppliedLedger {
  const ordered = [...intents.filter((intent) => !isSoroban(intent)), ...intents.filter(isSoroban)];
  const planned: Planned[] = [];
  const rejected: ApplicableIntent[] = [];
  for (const [order, intent] of ordered.entries()) {
    const bumpSource = context.feeBump?.(intent, { ledger: context.ledger, order });
    const plan = chargeFee(state, intent, { ...context, bumpSource });
    if (plan === undefined) rejected.push(intent);
    else planned.push(plan);
  }
  const worked = planned.map((plan) => ({ plan, ...work(state, plan, context) }));
  const transactions = worked.map((one) => finish(state, one, context));
  return { transactions, rejected };
}

function isSoroban(intent: ApplicableIntent): boolean {
  if (intent.kind === "received") return intent.received.soroban !== undefined;
  return intent.kind === "call" || intent.kind === "deploy";
}

function operationCount(intent: Exclude<ApplicableIntent, ReceivedIntent>): number {
  const sponsored =
    (intent.kind === "createAccount" && intent.sponsored === true) ||
    (intent.kind === "changeTrust" && intent.sponsor !== undefined);
  return sponsored ? 3 : 1;
}

function chargeFee(
  state: LedgerState,
  intent: ApplicableIntent,
  context: LedgerContext & { readonly bumpSource: Address | undefined },
): Planned | undefined {
  const scope = new Scope(state, context.ledger);
  const plan =
    intent.kind === "received" ? planReceived(intent, context.baseFee) : planOwn(intent, context);
  const { feeSource, fee } = plan;
  const payer = accountIn(scope, feeSource);
  if (payer === undefined || accountIn(scope, intent.source) === undefined) return undefined;
  const kept = reserve(payer, context.baseReserve) + payer.sellingLiabilities;
  if (payer.balance - kept < fee) return undefined;
  scope.put({ ...payer, balance: payer.balance - fee });
  return { ...plan, feeChanges: commitChanges(scope) };
}

function planOwn(
  intent: Exclude<ApplicableIntent, ReceivedIntent>,
  context: LedgerContext & { readonly bumpSource: Address | undefined },
): Omit<Planned, "feeChanges"> {
  const soroban = isSoroban(intent);
  const { bumpSource } = context;
  // A fee bump pays for itself as for one more operation.
  const operations = operationCount(intent) + (bumpSource === undefined ? 0 : 1);
  const resourceFee = soroban ? BigInt(Declared.fee) : 0n;
  const fee = BigInt(context.baseFee * operations) + resourceFee;
  return {
    ...{ intent, soroban, fee, resourceFee, operations: BigInt(operations) },
    feeSource: bumpSource ?? intent.source,
    ...(bumpSource === undefined ? {} : { feeBump: { source: bumpSource, fee } }),
  };
}

/** Nothing competes for a ledger here, so that the least inclusion fee is what is charged. */
function planReceived(intent: ReceivedIntent, baseFee: number): Omit<Planned, "feeChanges"> {
  const { received } = intent;
  const operations = paidOperations(received);
  const least = BigInt(baseFee) * operations;
  const bid = inclusionFee(received);
  const forResources = resourceFee(received);
  return {
    intent,
    soroban: isSoroban(intent),
    feeSource: feeSource(received),
    fee: forResources + (bid < least ? bid : least),
    resourceFee: forResources,
    operations,
  };
}

type Worked = {
  readonly plan: Planned;
  readonly sequence: bigint;
  readonly changesBefore: readonly EntryChange[];
  readonly outcome: WorkOutcome;
};

function work(state: LedgerState, plan: Planned, context: LedgerContext): Omit<Worked, "plan"> {
  const { intent } = plan;
  const before = new Scope(state, context.ledger);
  const account = accountIn(before, intent.source);
  if (account === undefined) throw new Error(`the source is gone: ${intent.source}`);
  const sequence = intent.kind === "received" ? intent.received.sequence : account.sequence + 1n;
  before.put({
    ...account,
    sequence,
    sequenceLedger: context.ledger,
    sequenceTime: context.now,
  });
  const changesBefore = commitChanges(before);
  const scope = new Scope(state, context.ledger);
  const outcome = workOf(scope, intent, context);
  if (outcome.ok) scope.commit();
  return { sequence, changesBefore, outcome };
}

function workOf(scope: Scope, intent: ApplicableIntent, context: LedgerContext): WorkOutcome {
  if (intent.kind === "call" || intent.kind === "deploy") return runCall(scope, intent, context);
  const { source } = intent;
  if (intent.kind !== "received") {
    const operations = classicOperations(intent);
    return runClassic(scope, { source, memo: { type: 0 }, operations }, context);
  }
  const { received } = intent;
  if (received.soroban !== undefined) return runReceivedCall(scope, received, context);
  const { memo } = received.transaction;
  return runClassic(scope, { source, memo, operations: classicOf(received) }, context);
}

function finish(state: LedgerState, worked: Worked, context: LedgerContext): AppliedTransaction {
  const { plan, outcome, changesBefore } = worked;
  const { intent } = plan;
  const refund = refundOf(plan, outcome);
  const refundChanges = refund === 0n ? [] : payRefund(state, plan.feeSource, refund, context);
  const feeCharged = plan.fee - refund;
  const built =
    intent.kind === "received" ? intent.received.envelope : buildEnvelope(worked, context);
  const resultPair = resultPairXdr(built, outcome, feeCharged);
  const fees: TransactionParts["fees"][number][] = [
    { stage: Stage.beforeAll, event: feeEvent(plan.feeSource, plan.fee, context) },
  ];
  if (refund !== 0n) {
    fees.push({ stage: Stage.afterAll, event: feeEvent(plan.feeSource, -refund, context) });
  }
  const { xdr: meta, layout } = transactionMetaXdr({
    resultPair,
    feeChanges: plan.feeChanges,
    changesBefore,
    outcome,
    fees,
    refundChanges,
    diagnostics: context.diagnostics,
  });
  return {
    intent,
    soroban: plan.soroban,
    ok: outcome.ok,
    envelope: built,
    resultPair,
    meta,
    layout,
    emitted: outcome.emitted,
    feeCharged,
    inclusionFee: (plan.fee - plan.resourceFee) / plan.operations,
  };
}

function buildEnvelope({ plan, sequence, outcome }: Worked, context: LedgerContext): Envelope {
  return envelope(
    {
      source: plan.intent.source,
      sequence,
      fee: Number(plan.fee),
      operations: outcome.operations,
      ...(outcome.soroban === undefined ? {} : { soroban: outcome.soroban.data }),
      ...(plan.feeBump === undefined ? {} : { feeBump: plan.feeBump }),
    },
    context.networkId,
  );
}

function feeEvent(payer: Address, fee: bigint, context: LedgerContext): XdrText {
  return contractEvent(context.tokenOf(NATIVE), [symbol("fee"), addressValue(payer)], i128(fee));
}

/** Stroops of the declared resource fee that were not used. */
function refundOf(plan: Planned, outcome: WorkOutcome): bigint {
  if (!plan.soroban || outcome.soroban === undefined) return 0n;
  const { nonRefundableFee, refundableFee } = outcome.soroban;
  return plan.resourceFee - nonRefundableFee - refundableFee;
}

function payRefund(
  state: LedgerState,
  to: Address,
  refund: bigint,
  context: LedgerContext,
): readonly EntryChange[] {
  const scope = new Scope(state, context.ledger);
  const account = accountIn(scope, to);
  if (account === undefined) throw new Error(`the fee's payer is gone: ${to}`);
  scope.put({ ...account, balance: account.balance + refund });
  return commitChanges(scope);
}

/** What an intent applies: itself, or the call that it stands for. Undefined for an upgrade. */
export function applicable(
  intent: TransactionIntent,
  exchange: Address,
): ApplicableIntent | undefined {
  if (intent.kind === "upgradeBaseReserve") return undefined;
  if (intent.kind !== "approve") return intent;
  const { source, token, amount, liveUntil } = intent;
  return {
    kind: "call",
    source,
    contract: token,
    fn: "approve",
    args: [addressValue(source), addressValue(exchange), i128(amount), u32(liveUntil)],
  };
}
