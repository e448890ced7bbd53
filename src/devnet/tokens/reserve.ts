// The spendable part of a classic balance: reserves, liabilities and limits (contract.md, Tokens).
import type { AccountEntry, TrustlineEntry } from "../ledger/entry.ts";

export const INT64_MAX = (1n << 63n) - 1n;

/** Trustlines, offers and the like of one account at most (core: ACCOUNT_SUBENTRY_LIMIT). */
export const SUBENTRIES_MAX = 1_000;

/** The balances an entry may hold, both inclusive. Stroops. */
export type BalanceRange = { readonly min: bigint; readonly max: bigint };

/** Stroops the account must keep for itself and what it sponsors. */
export function reserve(
  account: Pick<AccountEntry, "subentries" | "sponsoring" | "sponsored">,
  baseReserve: bigint,
): bigint {
  const entries = 2 + account.subentries + account.sponsoring - account.sponsored;
  return BigInt(entries) * baseReserve;
}

export function accountRange(account: AccountEntry, baseReserve: bigint): BalanceRange {
  return {
    min: reserve(account, baseReserve) + account.sellingLiabilities,
    max: INT64_MAX - account.buyingLiabilities,
  };
}

export function trustlineRange(trustline: TrustlineEntry): BalanceRange {
  return {
    min: trustline.sellingLiabilities,
    max: trustline.limit - trustline.buyingLiabilities,
  };
}
