// New account and trustline entries.
import type { Address } from "../../model/address.ts";
import { INT64_MAX } from "../tokens/reserve.ts";
import type { IssuedAsset } from "./asset.ts";
import {
  type AccountEntry,
  AccountFlags,
  hasFlag,
  type TrustlineEntry,
  TrustlineFlags,
} from "./entry.ts";

/** Its sequence numbers begin with the ledger that creates it. */
export function newAccount(account: Address, balance: bigint, ledger: number): AccountEntry {
  return {
    kind: "account",
    account,
    balance,
    sequence: BigInt(ledger) << 32n,
    subentries: 0,
    flags: 0,
    buyingLiabilities: 0n,
    sellingLiabilities: 0n,
    sponsored: 0,
    sponsoring: 0,
    sequenceLedger: 0,
    sequenceTime: 0,
  };
}

/** Empty, without limit, with the flags that the issuer's account flags give. */
export function newTrustline(
  account: Address,
  asset: IssuedAsset,
  issuerFlags: number,
): TrustlineEntry {
  return {
    kind: "trustline",
    account,
    asset,
    balance: 0n,
    limit: INT64_MAX,
    flags: trustlineFlags(issuerFlags),
    buyingLiabilities: 0n,
    sellingLiabilities: 0n,
  };
}

function trustlineFlags(issuerFlags: number): number {
  const authorized = hasFlag(issuerFlags, AccountFlags.required) ? 0 : TrustlineFlags.authorized;
  const clawback = hasFlag(issuerFlags, AccountFlags.clawbackEnabled);
  return authorized | (clawback ? TrustlineFlags.clawbackEnabled : 0);
}
