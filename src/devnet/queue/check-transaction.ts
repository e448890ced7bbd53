// Whether a transaction can be applied in the next ledger, checked in the order in which a node does
// (core: TransactionFrame commonValid and checkValid, FeeBumpTransactionFrame).
import type { OperationResultWire } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";
import {
  feeSource,
  inclusionFee,
  offeredFee,
  operationSource,
  paidOperations,
  type Received,
  resourceFee,
} from "../ledger/received.ts";
import { accountIn, type EntryReader } from "../ledger/state.ts";
import { reserve } from "../tokens/reserve.ts";
import { isWellFormed, staticFault, unfaulted, unsupported } from "./check-operations.ts";
import { resourcesFault } from "./check-resources.ts";
import { invalidDiagnostic, type Refusal, TxCode } from "./refusal.ts";
import { Signatures } from "./signatures.ts";

/** Times in UNIX seconds, fees in stroops. */
export type CheckContext = {
  readonly entries: EntryReader;
  /** The ledger that comes next. */
  readonly ledger: number;
  /** Of the latest ledger. */
  readonly closeTime: number;
  /** The earliest end that leaves the transaction time to be applied. */
  readonly latestEnd: number;
  readonly baseFee: number;
  readonly baseReserve: bigint;
  /** Fees that an account pays for transactions that wait already. */
  readonly pendingFees: (payer: Address) => bigint;
};

/** Undefined where it can be applied. */
export function checkTransaction(received: Received, context: CheckContext): Refusal | undefined {
  if (received.bump === undefined) return checkInner(received, context);
  const outer = checkBump(received, context);
  if (outer !== undefined) return outer;
  const inner = checkInner(received, context);
  const { innerHash } = received.envelope;
  return inner === undefined || innerHash === undefined ? inner : { ...inner, innerHash };
}

function checkBump(received: Received, context: CheckContext): Refusal | undefined {
  const { bump, envelope } = received;
  if (bump === undefined) return undefined;
  const fee = feeFault(received, context) ?? rateFault(received);
  if (fee !== undefined) return fee;
  if (accountIn(context.entries, bump.source) === undefined) return { code: TxCode.noAccount };
  const signatures = new Signatures(envelope.hash, bump.signatures);
  if (!signatures.isSignedBy(bump.source)) return { code: TxCode.badAuth };
  const balance = balanceFault(received, context);
  if (balance !== undefined) return balance;
  return signatures.areAllUsed ? undefined : { code: TxCode.badAuthExtra };
}

/** The transaction itself; its fee and balance only where it pays for itself. */
function checkInner(received: Received, context: CheckContext): Refusal | undefined {
  const { envelope, source, bump } = received;
  const pays = bump === undefined;
  const before =
    shapeFault(received) ??
    sorobanFault(received) ??
    timeFault(received, context) ??
    (pays ? feeFault(received, context) : undefined) ??
    sequenceFault(received, context);
  if (before !== undefined) return before;
  const signatures = new Signatures(envelope.innerHash ?? envelope.hash, received.signatures);
  if (!signatures.isSignedBy(source)) return { code: TxCode.badAuth };
  const after =
    operationsFault(received, signatures, context) ??
    (pays ? balanceFault(received, context) : undefined);
  if (after !== undefined) return after;
  return signatures.areAllUsed ? undefined : { code: TxCode.badAuthExtra };
}

function shapeFault(received: Received): Refusal | undefined {
  if (received.transaction.operations.length === 0) return { code: TxCode.missingOperation };
  if (!isWellFormed(received)) return { code: TxCode.malformed };
  const what = unsupported(received);
  return what === undefined ? undefined : { code: TxCode.notSupported, diagnostics: [what] };
}

/** Checked also of a transaction whose account has another one waiting. */
export function sorobanFault(received: Received): Refusal | undefined {
  const { soroban, transaction } = received;
  if (soroban === undefined) return undefined;
  const fault =
    conventionFault(received) ??
    (transaction.memo.type === 0
      ? undefined
      : invalidDiagnostic("Soroban transactions are not allowed to have memos")) ??
    resourcesFault(received, soroban);
  return fault === undefined ? undefined : { code: TxCode.sorobanInvalid, diagnostics: [fault] };
}

function conventionFault({ transaction }: Received) {
  const [operation] = transaction.operations;
  const accounts = [transaction.sourceAccount, operation?.sourceAccount];
  return accounts.some((account) => account?.type === 256)
    ? invalidDiagnostic("Soroban transactions are not allowed to use muxed source accounts")
    : undefined;
}

function timeFault(
  received: Received,
  { ledger, closeTime, latestEnd }: CheckContext,
): Refusal | undefined {
  const { timeBounds, ledgerBounds } = received.conditions;
  const tooEarly =
    (timeBounds !== null && timeBounds.minTime > BigInt(closeTime)) ||
    (ledgerBounds !== null && ledgerBounds.minLedger > ledger);
  if (tooEarly) return { code: TxCode.tooEarly };
  const maxTime = timeBounds?.maxTime ?? 0n;
  const maxLedger = ledgerBounds?.maxLedger ?? 0;
  const tooLate =
    (maxTime !== 0n && maxTime < BigInt(Math.ceil(latestEnd))) ||
    (maxLedger !== 0 && maxLedger <= ledger);
  return tooLate ? { code: TxCode.tooLate } : undefined;
}

function feeFault(received: Received, { baseFee }: CheckContext): Refusal | undefined {
  const least = BigInt(baseFee) * paidOperations(received);
  if (inclusionFee(received) >= least) return undefined;
  return { code: TxCode.insufficientFee, feeCharged: least + positive(resourceFee(received)) };
}

/** A bump pays at least as much an operation as the transaction inside offers. */
function rateFault(received: Received): Refusal | undefined {
  const count = BigInt(received.transaction.operations.length);
  const inner = positive(received.fee - resourceFee(received));
  const outer = inclusionFee(received);
  if (count === 0n || outer * count >= inner * (count + 1n)) return undefined;
  const least = (inner * (count + 1n) + count - 1n) / count;
  return { code: TxCode.insufficientFee, feeCharged: least + resourceFee(received) };
}

function positive(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}

function sequenceFault(received: Received, context: CheckContext): Refusal | undefined {
  const account = accountIn(context.entries, received.source);
  if (account === undefined) return { code: TxCode.noAccount };
  const { minSeqNum, minSeqAge, minSeqLedgerGap } = received.conditions;
  const { sequence } = received;
  // The number a new account of the next ledger would begin with is never taken (core).
  const isStarting = sequence === BigInt(context.ledger) << 32n;
  const follows =
    minSeqNum === null
      ? sequence === account.sequence + 1n
      : account.sequence >= minSeqNum && account.sequence < sequence;
  if (!follows || isStarting) return { code: TxCode.badSequence };
  const age = BigInt(context.closeTime - account.sequenceTime);
  const gap = context.ledger - account.sequenceLedger;
  if (age < minSeqAge || gap < minSeqLedgerGap) return { code: TxCode.badMinSeqAgeOrGap };
  return undefined;
}

/** OperationResultCode. */
const BAD_AUTH = -1;
const NO_ACCOUNT = -2;

function operationsFault(
  received: Received,
  signatures: Signatures,
  context: CheckContext,
): Refusal | undefined {
  const { operations } = received.transaction;
  for (const [at, operation] of operations.entries()) {
    const source = operationSource(received, operation);
    const result: OperationResultWire | undefined = !signatures.isSignedBy(source)
      ? { code: BAD_AUTH }
      : operation.sourceAccount === null && accountIn(context.entries, source) === undefined
        ? { code: NO_ACCOUNT }
        : staticFault(received, operation);
    if (result === undefined) continue;
    const results = operations.map((other, index) => (index === at ? result : unfaulted(other)));
    return { code: TxCode.failed, operations: results };
  }
  return undefined;
}

function balanceFault(received: Received, context: CheckContext): Refusal | undefined {
  const payer = feeSource(received);
  const account = accountIn(context.entries, payer);
  const kept =
    account === undefined ? 0n : reserve(account, context.baseReserve) + account.sellingLiabilities;
  const spendable = (account?.balance ?? 0n) - kept - context.pendingFees(payer);
  return spendable < offeredFee(received) ? { code: TxCode.insufficientBalance } : undefined;
}

/** Whether what was found valid before still is, now that its ledger closes at `closeTime`. */
export function isStillValid(received: Received, context: CheckContext): boolean {
  return (
    timeFault(received, context) === undefined &&
    sequenceFault(received, context) === undefined &&
    balanceFault(received, context) === undefined
  );
}
