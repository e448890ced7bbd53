// Transaction intents of the traffic: one intent is one transaction of one operation (or a network upgrade). The
// network assigns sequence numbers, fees and hashes, applies it in the order given and decides whether it fails.
// Amounts in base units (stroops).
import type { Address } from "../model/address.ts";
import type { Value } from "./contract/value.ts";
import type { ClassicAsset } from "./ledger/asset.ts";

/**
 * `instructions`: used up on the way; `refundableFee`: too little for the events of a call that
 * succeeded; `reading`: the call does not even begin.
 */
export type Resource = "instructions" | "refundableFee" | "reading";

export type TransactionIntent =
  | {
      readonly kind: "call";
      /** Account that pays the fee. */
      readonly source: Address;
      readonly contract: Address;
      readonly fn: string;
      readonly args: readonly Value[];
      /** Accounts that sign besides the source; `requireAuth` of any other account fails. */
      readonly signers?: readonly Address[];
      /** The call fails because the transaction declared too little of it. */
      readonly shortOf?: Resource;
    }
  | {
      readonly kind: "payment";
      readonly source: Address;
      readonly to: Address;
      readonly asset: ClassicAsset;
      readonly amount: bigint;
    }
  | {
      readonly kind: "createAccount";
      readonly source: Address;
      readonly account: Address;
      /** Starting balance. */
      readonly amount: bigint;
      /** The source pays the account's reserve (begin/end sponsoring around it). */
      readonly sponsored?: boolean;
    }
  | {
      readonly kind: "changeTrust";
      readonly source: Address;
      readonly asset: ClassicAsset;
      /** 0 removes the trustline. */
      readonly limit: bigint;
      /** Account that pays the trustline's reserve in place of the source. */
      readonly sponsor?: Address;
    }
  /** The exchange's allowance in the token of `asset`, granted by calling the token's `approve`. */
  | {
      readonly kind: "approve";
      readonly source: Address;
      readonly token: Address;
      readonly amount: bigint;
      /** Last ledger of the allowance. */
      readonly liveUntil: number;
    }
  /** `source` is the asset's issuer; flags are bits of TrustLineFlags. */
  | {
      readonly kind: "setTrustLineFlags";
      readonly source: Address;
      readonly trustor: Address;
      readonly asset: ClassicAsset;
      readonly setFlags: number;
      readonly clearFlags: number;
    }
  /** Bits of AccountFlags. */
  | {
      readonly kind: "setOptions";
      readonly source: Address;
      readonly setFlags: number;
      readonly clearFlags: number;
    }
  /**
   * An offer on the network's own order book: it ties up what it sells and room for what it buys.
   * It rests until it is taken back; the devnet matches none.
   */
  | {
      readonly kind: "manageOffer";
      readonly source: Address;
      readonly selling: ClassicAsset;
      readonly buying: ClassicAsset;
      /** 0 takes the offer back. */
      readonly amount: bigint;
      /** Buying per selling. */
      readonly price: { readonly n: number; readonly d: number };
      /** 0n: a new one. */
      readonly offer: bigint;
    }
  | {
      readonly kind: "clawback";
      readonly source: Address;
      readonly from: Address;
      readonly asset: ClassicAsset;
      readonly amount: bigint;
    }
  /** A ledger upgrade; no transaction. Stroops. */
  | { readonly kind: "upgradeBaseReserve"; readonly baseReserve: number };
