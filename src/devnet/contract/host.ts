// The port the contract models run on: what a Soroban host gives a contract, cut down to what the
// exchange and its callers use. Two hosts exist: the devnet's ledger (real entries, events and
// diagnostics) and one in memory (settlement vectors, property tests).
//
// What a host must record for diagnostics, in this order:
// - `call` and `tryCall`: fn_call (callee, function, arguments; contractId = the calling contract,
//   absent for the transaction's own call), then whatever the callee does, then fn_return with the
//   value returned. A callee that fails gets no fn_return.
// - A `CallFailure` leaving a contract: an `error` event of the frame it was thrown in, then, for
//   each calling frame it passes, the caller's `error` event: "contract call failed" of a plain
//   call, which fails in turn, or "contract try_call failed" of a `tryCall`, which stops it.
// - Events emitted inside a frame that failed stay in the diagnostics (type contract,
//   inSuccessfulContractCall false) and leave the operation's events.
//
// What tokens must answer to: balance(id), authorized(id), allowance(from, spender),
// approve(from, spender, amount, live_until), transfer(from, to, amount),
// transfer_from(spender, from, to, amount). `balance` is what the token answers (contract.md,
// Settlement): of a Stellar Asset Contract the whole balance, selling liabilities and reserve
// included. `call` refuses functions whose names begin with `__`; only deployment runs
// `__constructor`.
import type { Address, Pair } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import type { Value } from "./value.ts";

/** Why a call failed. `contract`: an error code that `contract` returned. */
export type CallError =
  | { readonly kind: "contract"; readonly contract: Address; readonly code: number }
  /** An address did not authorize the call it had to, with what is wrong where that is special. */
  | {
      readonly kind: "auth";
      readonly address: Address;
      readonly fault?: "invalidInput" | "existingValue";
    }
  /** No such contract or function (`missing`), or arguments of the wrong type. */
  | {
      readonly kind: "invalid";
      readonly message: string;
      readonly missing?: "contract" | "function";
    }
  /** Instruction, memory, event-size or footprint limit. No `tryCall` catches this one. */
  | { readonly kind: "budget"; readonly message: string }
  /** State that the host takes for impossible. No `tryCall` catches this one either. */
  | { readonly kind: "fault"; readonly message: string };

/** Whether a `tryCall` returns the failure rather than failing in turn. */
export function isCatchable({ kind }: CallError): boolean {
  return kind !== "budget" && kind !== "fault";
}

/** Unwinds a contract call; only hosts and `tryCall` catch it. Anything else thrown is a bug. */
export class CallFailure extends Error {
  readonly error: CallError;

  constructor(error: CallError) {
    // Failures are part of every ledger: a stack trace, never read, costs more than the call.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(
      error.kind === "contract" ? `contract error ${error.code}` : `call failed: ${error.kind}`,
    );
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "CallFailure";
    this.error = error;
  }
}

export type CallOutcome =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: CallError };

/** What any contract may use. One host object stands for one frame: one running contract call. */
export interface CallHost {
  readonly self: Address;
  /** Close time of the ledger being closed, UNIX seconds. */
  readonly now: number;
  /** Its sequence. */
  readonly ledger: number;
  /**
   * Throws a CallFailure of kind `auth` unless `address` signed for this call: it is the
   * transaction's source, an account among the call's signers, or the contract that made the call.
   */
  requireAuth(address: Address): void;
  /** Calls another contract; a failure of it passes through. Self is authorized for what it calls. */
  call(contract: Address, fn: string, args: readonly Value[]): Value;
  /**
   * As `call`, but a failure (all kinds but `budget` and `fault`) undoes every state change and event of the
   * call and is returned.
   */
  tryCall(contract: Address, fn: string, args: readonly Value[]): CallOutcome;
}

/**
 * An order entry: persistent ContractData of the exchange, key `U128(id)`, value
 * `Vec[owner, selling, buying, amount, price]` with `expires` (u64) appended unless it is 0.
 */
export type OrderEntry = {
  readonly owner: Address;
  readonly selling: Address;
  readonly buying: Address;
  /** Left to sell, base units. */
  readonly amount: bigint;
  readonly price: bigint;
  /** UNIX seconds, any u64; 0: never. */
  readonly expires: bigint;
};

/** What a market knows of one of its assets. */
export type MarketSide = {
  readonly decimals: number;
  /** Whether the oracle quoted it when the market was last checked. */
  readonly listed: boolean;
};

/** A market opened with subsidize: a persistent entry. `created` in UNIX seconds. */
export type MarketEntry = {
  readonly base: MarketSide;
  readonly quote: MarketSide;
  readonly created: number;
};

/** Amounts in base units, USD with 7 decimals, `ledgerTime` in seconds. */
export type ExchangeConfig = {
  readonly ledgerTime: number;
  readonly listingMinDays: number;
  readonly marketListingFee: bigint;
  readonly minTradeSize: bigint;
  readonly oracle: Address;
  readonly safetyAdmin: Address;
};

/** What the exchange emits (contract.md, Events). */
export type ContractEvent =
  | {
      readonly kind: "new";
      readonly selling: Address;
      readonly buying: Address;
      readonly id: OrderId;
      readonly owner: Address;
      readonly price: bigint;
      readonly amount: bigint;
      readonly expires: bigint;
    }
  | {
      readonly kind: "mod";
      readonly id: OrderId;
      readonly price: bigint;
      readonly amount: bigint;
      readonly expires: bigint;
    }
  | {
      readonly kind: "trade";
      /** As the taker sold and bought. */
      readonly selling: Address;
      readonly buying: Address;
      readonly order: OrderId;
      readonly taker: Address;
      readonly maker: Address;
      readonly sold: bigint;
      readonly bought: bigint;
      readonly left: bigint;
    }
  | {
      readonly kind: "swap";
      readonly selling: Address;
      readonly buying: Address;
      readonly trader: Address;
      readonly sold: bigint;
      readonly bought: bigint;
    }
  | { readonly kind: "skip"; readonly id: OrderId }
  | { readonly kind: "refresh"; readonly base: Address; readonly quote: Address }
  | { readonly kind: "freeze"; readonly frozen: boolean }
  | { readonly kind: "config"; readonly config: ExchangeConfig };

/** In the exchange's instance storage. `config` is there from the constructor on. */
export type ExchangeInstance = { readonly frozen: boolean; readonly config: ExchangeConfig };

/** What the exchange contract uses on top. Changes are undone with the frame that made them. */
export interface ExchangeHost extends CallHost {
  readonly orders: {
    get(id: OrderId): OrderEntry | undefined;
    set(id: OrderId, entry: OrderEntry): void;
    delete(id: OrderId): void;
  };
  readonly markets: {
    get(pair: Pair): MarketEntry | undefined;
    set(pair: Pair, market: MarketEntry): void;
  };
  readonly instance: {
    /** Throws a CallFailure of kind `invalid` before `__constructor` ran. */
    get(): ExchangeInstance;
    set(next: ExchangeInstance): void;
  };
  /** A contract event of `self`; `encodeEvent` of event.ts gives its topics and data. */
  emit(event: ContractEvent): void;
}

/** A contract: runs `fn` in a frame the host opened. Throws a CallFailure where the call fails. */
export type ContractModel<H extends CallHost = CallHost> = (
  host: H,
  fn: string,
  args: readonly Value[],
) => Value;
