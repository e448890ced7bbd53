// What one ledger means to the exchange: the message from the reader thread to the main thread.
import type { Address } from "./address.ts";
import type { ContractConfig } from "./contract-state.ts";
import type { Failure } from "./failure.ts";
import type { OrderId } from "./order.ts";
import type { Position } from "./position.ts";

/** A contract event of the exchange (contract.md, Events), decoded. */
export type ExchangeEvent =
  | {
      readonly kind: "new";
      readonly position: Position;
      readonly id: OrderId;
      readonly owner: Address;
      readonly selling: Address;
      readonly buying: Address;
      readonly price: bigint;
      readonly amount: bigint;
      readonly expires: number;
    }
  | {
      readonly kind: "mod";
      readonly position: Position;
      readonly id: OrderId;
      readonly price: bigint;
      readonly amount: bigint;
      readonly expires: number;
    }
  | {
      readonly kind: "trade";
      readonly position: Position;
      readonly order: OrderId;
      readonly taker: Address;
      readonly maker: Address;
      readonly soldAsset: Address;
      readonly boughtAsset: Address;
      readonly sold: bigint;
      readonly bought: bigint;
      readonly left: bigint;
      readonly crossfill: boolean;
    }
  | {
      readonly kind: "swap";
      readonly position: Position;
      readonly trader: Address;
      readonly soldAsset: Address;
      readonly boughtAsset: Address;
      readonly sold: bigint;
      readonly bought: bigint;
    }
  | { readonly kind: "skip"; readonly position: Position; readonly id: OrderId }
  | {
      readonly kind: "refresh";
      readonly position: Position;
      /** As the event's topics name them: canonical order. */
      readonly base: Address;
      readonly quote: Address;
    }
  | { readonly kind: "freeze"; readonly position: Position; readonly frozen: boolean }
  | { readonly kind: "config"; readonly position: Position; readonly config: ContractConfig };

/** One ledger. Events in chain order. Hashes in lower-case hex, `closeTime` in UNIX seconds. */
export type LedgerDelta = {
  readonly ledger: number;
  readonly hash: string;
  readonly previousHash: string;
  readonly closeTime: number;
  readonly protocol: number;
  /** Stroops. */
  readonly baseReserve: number;
  readonly events: readonly ExchangeEvent[];
  readonly failures: readonly Failure[];
  /** Changes of tracked ledger entries, in chain order. */
  readonly entries: readonly EntryChange[];
  /**
   * Events of the followed tokens that are no Stellar Asset Contracts, and every contract's
   * approvals of the exchange, in chain order.
   */
  readonly tokenEvents: readonly TokenEvent[];
};

/**
 * One event of a followed token that is no Stellar Asset Contract (SEP-41 transfer, mint, burn,
 * clawback, approve and whatever else it emits), or an approval of the exchange by any contract.
 */
export type TokenEvent = {
  readonly token: Address;
  /** Accounts and contracts that the topics and data name; addresses of other kinds are left out. */
  readonly addresses: readonly Address[];
  /** Of an approve event (amount above 0): the addresses are the owner and the spender. */
  readonly liveUntil?: number;
};

/**
 * A tracked ledger entry as the ledger left it; `entry` is absent where the ledger removed or
 * evicted it. The key is the entry's LedgerKey in base64 XDR.
 */
export type EntryChange = { readonly key: string; readonly entry?: TrackedEntry };

/**
 * Balances, limits and liabilities in base units (stroops for accounts). `eventsSetting`: the network's
 * limit of bytes that the events and the return value of one call take.
 */
export type TrackedEntry =
  | {
      readonly kind: "account";
      readonly balance: bigint;
      readonly sellingLiabilities: bigint;
      readonly buyingLiabilities: bigint;
      readonly subentries: number;
      readonly sponsoring: number;
      readonly sponsored: number;
      readonly flags: number;
    }
  | {
      readonly kind: "trustline";
      readonly balance: bigint;
      readonly limit: bigint;
      readonly sellingLiabilities: bigint;
      readonly buyingLiabilities: bigint;
      readonly flags: number;
    }
  | { readonly kind: "balance"; readonly amount: bigint; readonly authorized: boolean }
  | { readonly kind: "allowance"; readonly amount: bigint; readonly liveUntil: number }
  | {
      readonly kind: "token";
      /** `native` or `CODE:ISSUER` where the token is a Stellar Asset Contract. */
      readonly asset?: string;
    }
  | { readonly kind: "eventsSetting"; readonly bytesMax: number };
