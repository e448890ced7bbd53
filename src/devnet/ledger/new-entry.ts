// New entries: accounts, trustlines and contracts of a code.
import type { Address } from "../../model/address.ts";
import { INT64_MAX } from "../tokens/reserve.ts";
import type { IssuedAsset } from "./asset.ts";
import {
  type AccountEntry,
  AccountFlags,
  hasFlag,
  type InstanceEntry,
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

/** A contract's instance. `hash`: of its code. */
export function wasmInstance(
  contract: Address,
  hash: Uint8Array,
  storage: InstanceEntry["storage"] = [],
): InstanceEntry {
  return { kind: "instance", contract, executable: { kind: "wasm", hash }, storage };
}

function trustlineFlags(issuerFlags: number): number {
  const authorized = hasFlag(issuerFlags, AccountFlags.required) ? 0 : TrustlineFlags.authorized;
  const clawback = hasFlag(issuerFlags, AccountFlags.clawbackEnabled);
  return authorized | (clawback ? TrustlineFlags.clawbackEnabled : 0);
}
