// The table of holders: what stands behind an owner in a Stellar Asset Contract's asset, from the
// ledger entries that decide it.
import { type Address, isContract } from "../../model/address.ts";
import type { TrackedEntry } from "../../model/ledger-delta.ts";
import type { Token } from "./token.ts";

/** Amounts in base units. */
export type RecordValues = {
  readonly balance: bigint;
  readonly allowance: bigint;
  readonly liveUntil: number;
  readonly authorized: boolean;
  readonly budget: bigint;
  readonly headroom?: bigint;
  /**
   * The account's native balance lies below its selling liabilities and reserve: a call that moves
   * any of it, to the account too, fails as a whole (contract.md, Checks).
   */
  readonly short?: true;
};

/** The entries as the ledger has them; absent where it has none. */
export type RecordEntries = {
  readonly holding?: TrackedEntry | undefined;
  readonly allowance?: TrackedEntry | undefined;
  readonly issuer?: TrackedEntry | undefined;
};

/** What an issuer is shown to hold of its own asset: what its token contract answers. */
export const ISSUER_BALANCE = (1n << 63n) - 1n;

/** Account flag AUTH_REQUIRED and trustline flag AUTHORIZED (protocol). */
const AUTH_REQUIRED = 1;
const AUTHORIZED = 1;

export const UNLOADED_VALUES: RecordValues = {
  balance: 0n,
  allowance: 0n,
  liveUntil: 0,
  authorized: false,
  budget: 0n,
};

type Holding = {
  readonly balance: bigint;
  readonly authorized: boolean;
  readonly headroom?: bigint;
  readonly short?: true;
};

/**
 * As the chain answers in `ledger`. `baseReserve` in stroops. An allowance past its last ledger, or
 * of nothing, counts as none, whether or not its entry is still there.
 */
export function recordValues(
  owner: Address,
  token: Exclude<Token, { kind: "other" }>,
  entries: RecordEntries,
  at: { readonly ledger: number; readonly baseReserve: bigint },
): RecordValues {
  const holding = isContract(owner)
    ? contractHolding(token, entries)
    : token.kind === "native"
      ? nativeHolding(entries, at.baseReserve)
      : token.issuer === owner
        ? { balance: ISSUER_BALANCE, authorized: true }
        : trustlineHolding(entries);
  return withBudget(holding, liveAllowance(entries.allowance, at.ledger));
}

type Allowance = { readonly amount: bigint; readonly liveUntil: number };

export const NO_ALLOWANCE: Allowance = { amount: 0n, liveUntil: 0 };

function liveAllowance(entry: TrackedEntry | undefined, ledger: number): Allowance {
  if (entry?.kind !== "allowance" || entry.amount <= 0n) return NO_ALLOWANCE;
  return entry.liveUntil < ledger ? NO_ALLOWANCE : entry;
}

/** Adds an allowance, which must be live, to what the owner holds. */
export function withBudget(holding: Holding, allowance: Allowance): RecordValues {
  const { balance, authorized, headroom, short } = holding;
  const covered = balance >= allowance.amount;
  return {
    balance,
    allowance: allowance.amount,
    liveUntil: allowance.liveUntil,
    authorized,
    budget: !authorized ? 0n : covered ? allowance.amount : balance,
    ...(headroom === undefined ? {} : { headroom }),
    ...(short === undefined ? {} : { short }),
  };
}

/** Selling liabilities and the reserve can exceed the balance: then nothing can be spent. */
function nativeHolding(entries: RecordEntries, baseReserve: bigint): Holding {
  const account = entries.holding;
  if (account?.kind !== "account") return { balance: 0n, authorized: false };
  const reserves = 2 + account.subentries + account.sponsoring - account.sponsored;
  const reserve = BigInt(reserves) * baseReserve;
  const spendable = account.balance - account.sellingLiabilities - reserve;
  if (spendable < 0n) return { balance: 0n, authorized: true, short: true };
  return { balance: spendable, authorized: true };
}

/** Without a trustline nothing can be received: a headroom of 0, not an unknown one. */
function trustlineHolding(entries: RecordEntries): Holding {
  const line = entries.holding;
  if (line?.kind !== "trustline") return { balance: 0n, authorized: false, headroom: 0n };
  return {
    balance: atLeastZero(line.balance - line.sellingLiabilities),
    authorized: (line.flags & AUTHORIZED) !== 0,
    headroom: atLeastZero(line.limit - line.balance - line.buyingLiabilities),
  };
}

/**
 * A contract without an entry starts as its issuer's flags say. Where the issuer's account is gone,
 * the token contract fails when it looks for those flags: nothing can be received.
 */
function contractHolding(token: Token, entries: RecordEntries): Holding {
  const held = entries.holding;
  if (held?.kind === "balance") {
    return { balance: atLeastZero(held.amount), authorized: held.authorized };
  }
  if (token.kind === "native") return { balance: 0n, authorized: true };
  const issuer = entries.issuer;
  const authorized = issuer?.kind === "account" && (issuer.flags & AUTH_REQUIRED) === 0;
  return { balance: 0n, authorized };
}

function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}
