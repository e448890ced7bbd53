// Queue of transactions for the next ledger: one of each source account, QUEUE_MAX in all.
import type { Address } from "../../model/address.ts";
import { hex } from "../ledger/hash.ts";
import {
  feeSource,
  inclusionFee,
  offeredFee,
  paidOperations,
  type Received,
  resourceFee,
} from "../ledger/received.ts";
import {
  type CheckContext,
  checkTransaction,
  isStillValid,
  sorobanFault,
} from "./check-transaction.ts";
import { type Refusal, TxCode } from "./refusal.ts";

/** Past it the answer is TRY_AGAIN_LATER (decided). */
export const QUEUE_MAX = 1_000;
/** Ledgers for which a hash that was dropped is not taken again (core). */
export const BAN_LEDGERS = 10;
/** A fee bump takes the place of what waits for at least so many times its fee (core). */
const REPLACE_FACTOR = 10n;

export type Submission =
  | { readonly status: "PENDING" | "DUPLICATE" | "TRY_AGAIN_LATER" }
  | { readonly status: "ERROR"; readonly refusal: Refusal };

const TRY_AGAIN: Submission = { status: "TRY_AGAIN_LATER" };

/** What checks take from the queue itself is left out. */
export type QueueContext = Omit<CheckContext, "pendingFees">;

export class TransactionQueue {
  readonly #waiting = new Map<Address, Received>();
  /** Fees of those that wait, by who pays. */
  readonly #fees = new Map<Address, bigint>();
  /** Hashes that were dropped, with the ledger that dropped them. */
  readonly #dropped = new Map<string, number>();
  readonly #appliedLedger: (hash: Uint8Array) => number | undefined;

  /** `appliedLedger`: the ledger that holds the transaction, where one does. */
  constructor(appliedLedger: (hash: Uint8Array) => number | undefined) {
    this.#appliedLedger = appliedLedger;
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(received: Received, context: QueueContext): Submission {
    const { hash } = received.envelope;
    if (this.#isBanned(hash, context.ledger)) return TRY_AGAIN;
    const waiting = this.#waiting.get(received.source);
    const held = waiting === undefined ? undefined : besideWaiting(received, waiting);
    if (held !== undefined) return held;
    if (waiting === undefined && this.size >= QUEUE_MAX) return TRY_AGAIN;
    // What it takes the place of pays nothing.
    if (waiting !== undefined) this.#addFee(waiting, -1n);
    const pendingFees = (payer: Address): bigint => this.#fees.get(payer) ?? 0n;
    const refusal = checkTransaction(received, { ...context, pendingFees });
    if (refusal !== undefined) {
      if (waiting !== undefined) this.#addFee(waiting, 1n);
      return { status: "ERROR", refusal };
    }
    this.#waiting.set(received.source, received);
    this.#addFee(received, 1n);
    return { status: "PENDING" };
  }

  /** Takes all that wait; those that can no longer be applied are dropped. */
  take(context: QueueContext): readonly Received[] {
    const taken: Received[] = [];
    const charged = new Map<Address, bigint>();
    const pendingFees = (payer: Address): bigint => charged.get(payer) ?? 0n;
    for (const received of this.#waiting.values()) {
      if (!isStillValid(received, { ...context, pendingFees })) {
        this.#dropped.set(hex(received.envelope.hash), context.ledger);
        continue;
      }
      const payer = feeSource(received);
      charged.set(payer, pendingFees(payer) + offeredFee(received));
      taken.push(received);
    }
    this.#waiting.clear();
    this.#fees.clear();
    for (const [hash, ledger] of this.#dropped) {
      if (ledger + BAN_LEDGERS < context.ledger) this.#dropped.delete(hash);
    }
    return taken;
  }

  #isBanned(hash: Uint8Array, ledger: number): boolean {
    const last = this.#dropped.get(hex(hash)) ?? this.#appliedLedger(hash);
    return last !== undefined && last + BAN_LEDGERS >= ledger;
  }

  #addFee(received: Received, sign: bigint): void {
    const payer = feeSource(received);
    const fees = (this.#fees.get(payer) ?? 0n) + sign * offeredFee(received);
    if (fees === 0n) this.#fees.delete(payer);
    else this.#fees.set(payer, fees);
  }
}

/** Undefined where it may take the place of the one that waits. */
function besideWaiting(received: Received, waiting: Received): Submission | undefined {
  if (Buffer.compare(received.envelope.hash, waiting.envelope.hash) === 0) {
    return { status: "DUPLICATE" };
  }
  if (received.sequence < waiting.sequence) {
    return { status: "ERROR", refusal: { code: TxCode.badSequence } };
  }
  const refusal = sorobanFault(received);
  if (refusal !== undefined) return { status: "ERROR", refusal };
  if (received.bump === undefined || received.sequence !== waiting.sequence) return TRY_AGAIN;
  const least = replacementFee(received, waiting);
  if (inclusionFee(received) >= least) return undefined;
  const feeCharged = least + resourceFee(received);
  return { status: "ERROR", refusal: { code: TxCode.insufficientFee, feeCharged } };
}

/** Stroops of inclusion fee, rounded up. */
function replacementFee(received: Received, waiting: Received): bigint {
  const before = REPLACE_FACTOR * inclusionFee(waiting) * paidOperations(received);
  const operations = paidOperations(waiting);
  return (before + operations - 1n) / operations;
}
