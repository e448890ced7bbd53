// Ledger entries of the devnet, as immutable records.
import type { ScValWire } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";
import type { Value } from "../contract/value.ts";
import type { ClassicAsset, IssuedAsset } from "./asset.ts";

/** Balances and liabilities in stroops; `sequenceTime` in UNIX seconds. */
export type AccountEntry = {
  readonly kind: "account";
  readonly account: Address;
  readonly balance: bigint;
  readonly sequence: bigint;
  readonly subentries: number;
  readonly flags: number;
  readonly buyingLiabilities: bigint;
  readonly sellingLiabilities: bigint;
  /** Reserves others pay for this account, and those it pays for others. */
  readonly sponsored: number;
  readonly sponsoring: number;
  readonly sequenceLedger: number;
  readonly sequenceTime: number;
  readonly sponsor?: Address;
};

export type TrustlineEntry = {
  readonly kind: "trustline";
  readonly account: Address;
  readonly asset: IssuedAsset;
  readonly balance: bigint;
  readonly limit: bigint;
  readonly flags: number;
  readonly buyingLiabilities: bigint;
  readonly sellingLiabilities: bigint;
  readonly sponsor?: Address;
};

/** An offer on the network's own order book: it rests there, the devnet matches none. */
export type OfferEntry = {
  readonly kind: "offer";
  readonly seller: Address;
  readonly id: bigint;
  readonly selling: ClassicAsset;
  readonly buying: ClassicAsset;
  /** Stroops to sell. */
  readonly amount: bigint;
  /** Buying per selling. */
  readonly price: { readonly n: number; readonly d: number };
};

export type Durability = "temporary" | "persistent";

export type DataEntry = {
  readonly kind: "data";
  readonly contract: Address;
  readonly durability: Durability;
  readonly key: Value;
  readonly value: Value;
};

/** `token`: a Stellar Asset Contract; otherwise the hash of the code. */
export type Executable =
  | { readonly kind: "token" }
  | { readonly kind: "wasm"; readonly hash: Uint8Array };

export type InstanceEntry = {
  readonly kind: "instance";
  readonly contract: Address;
  readonly executable: Executable;
  readonly storage: readonly { readonly key: ScValWire; readonly val: ScValWire }[];
};

/** A WebAssembly module, under the hash of its bytes. */
export type CodeEntry = {
  readonly kind: "code";
  readonly hash: Uint8Array;
  readonly code: Uint8Array;
};

/** How long the contract data whose key hashes to `keyHash` lives: through ledger `liveUntil`. */
export type TtlEntry = {
  readonly kind: "ttl";
  readonly keyHash: Uint8Array;
  readonly liveUntil: number;
};

/** The network's setting on contract events; `feePerKilobyte` in stroops. */
export type EventsSettingEntry = {
  readonly kind: "eventsSetting";
  /** Bytes of contract events and return value that a transaction may write. */
  readonly bytesMax: number;
  readonly feePerKilobyte: bigint;
};

export type Entry =
  | AccountEntry
  | TrustlineEntry
  | OfferEntry
  | DataEntry
  | InstanceEntry
  | CodeEntry
  | EventsSettingEntry
  | TtlEntry;

export const AccountFlags = {
  required: 1,
  revocable: 2,
  immutable: 4,
  clawbackEnabled: 8,
} as const;

export const TrustlineFlags = {
  authorized: 1,
  maintainLiabilities: 2,
  clawbackEnabled: 4,
} as const;

export function hasFlag(flags: number, bit: number): boolean {
  return (flags & bit) !== 0;
}
