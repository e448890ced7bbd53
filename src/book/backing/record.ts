// A backing record: why it is tracked, and what stands behind its owner in its token.
import { type Address, isContract } from "../../model/address.ts";
import type { Backing } from "../../model/backing.ts";
import type { TrackedEntry } from "../../model/ledger-delta.ts";
import type { RecordKeys, Token } from "./ledger-keys.ts";

/** What a custom token answered, or is awaited to. */
export type Polled = {
  /** The answers; absent until there were some. */
  readonly answer?: { readonly balance: bigint; readonly allowance: bigint };
  /** Last ledger in which something may have changed the answers; absent once that is confirmed. */
  readonly awaiting?: number;
};

/** Immutable. */
export type BackingRecord = {
  readonly owner: Address;
  readonly asset: Address;
  /** Live orders of the owner that sell or buy the asset. */
  readonly orders: number;
  readonly watched: boolean;
  /** The exchange contract itself, in a token that is traded. */
  readonly market: boolean;
  /** Absent until the token's kind is known, and for custom tokens. */
  readonly keys?: RecordKeys;
  readonly polled?: Polled;
  readonly backing: Backing;
  /**
   * What can be taken and received in the next ledger, for quotes and depth: `backing`, but without
   * an allowance which ends with the ledger shown, and not authorized where the holder is short.
   */
  readonly next: Backing;
};

export type RecordId = string;

/** A touched record before and after the step; absent: not tracked. */
export type RecordChange = {
  readonly id: RecordId;
  readonly former: BackingRecord | undefined;
  readonly now: BackingRecord | undefined;
};

export function recordId(owner: Address, asset: Address): RecordId {
  return `${owner}:${asset}`;
}

/** Whether the API shows the record; the contract's own is for quotes alone. */
export function isShown(record: BackingRecord): boolean {
  return record.orders > 0 || record.watched;
}

/** Whether the shared book holds the record. */
export function isInBook(record: BackingRecord): boolean {
  return record.orders > 0 || record.market;
}

/** Whether the shared book holds the record, but without values: none were loaded. */
export function isUnloaded(record: BackingRecord | undefined): boolean {
  return record !== undefined && isInBook(record) && record.backing.updated === undefined;
}

/** Whether the holder is short (`RecordValues`): what the API shows of it does not say so. */
export function isShort({ backing, next }: BackingRecord): boolean {
  return backing.authorized && !next.authorized;
}

/** Whether a token of another kind has to be asked about the record. */
export function isPolled(record: BackingRecord | undefined): boolean {
  return record?.polled !== undefined && isShown(record);
}

export function unloadedBacking(owner: Address, asset: Address, skipped?: number): Backing {
  const times = skipped === undefined ? {} : { skipped };
  return { owner, asset, ...UNLOADED_VALUES, ...times, pending: false };
}

/** An allowance whose end no event told counts as without end (u32). */
const NO_END = 0xffff_ffff;

/**
 * A token of another kind is taken to be able to receive, without bound. `approvedUntil`: what the
 * owner's last approve event said; undefined where none was seen.
 */
export function polledValues(
  polled: Polled,
  approvedUntil: number | undefined,
): RecordValues | undefined {
  if (polled.answer === undefined) return undefined;
  const { balance, allowance } = polled.answer;
  const holding = { balance: balance > 0n ? balance : 0n, authorized: true };
  const liveUntil = approvedUntil ?? NO_END;
  return withBudget(holding, allowance > 0n ? { amount: allowance, liveUntil } : NO_ALLOWANCE);
}

/** `former` with new values; the same object where nothing a client sees differs. */
export function changedBacking(
  former: Backing,
  values: RecordValues | undefined,
  next: { readonly pending: boolean; readonly skipped: number | undefined; readonly now: number },
): Backing {
  const { owner, asset } = former;
  const times = next.skipped === undefined ? {} : { skipped: next.skipped };
  if (values === undefined) {
    if (former.skipped === next.skipped && former.pending === next.pending) return former;
    return { ...former, ...times, pending: next.pending };
  }
  const { short: _, ...shown } = values;
  const same = former.updated !== undefined && sameValues(former, shown);
  if (same && former.skipped === next.skipped && former.pending === next.pending) return former;
  const updated = same && former.updated !== undefined ? former.updated : next.now;
  return { owner, asset, ...shown, updated, ...times, pending: next.pending };
}

function sameValues(one: RecordValues, other: RecordValues): boolean {
  return (
    one.balance === other.balance &&
    one.allowance === other.allowance &&
    one.liveUntil === other.liveUntil &&
    one.authorized === other.authorized &&
    one.budget === other.budget &&
    one.headroom === other.headroom
  );
}

/** `backing` as of `ledger`, for the ledger after it; `former` where that is the same. */
export function inNextLedger(
  backing: Backing,
  { ledger, short }: { readonly ledger: number; readonly short: boolean },
  former: Backing,
): Backing {
  const lapses = backing.allowance !== 0n && backing.liveUntil === ledger;
  if (!lapses && !short) return backing;
  const next = {
    ...backing,
    ...(lapses ? { allowance: 0n, liveUntil: 0 } : {}),
    authorized: backing.authorized && !short,
    budget: 0n,
  };
  const isSame =
    sameValues(next, former) &&
    next.updated === former.updated &&
    next.skipped === former.skipped &&
    next.pending === former.pending;
  return isSame ? former : next;
}

// The table of holders: what stands behind an owner in a Stellar Asset Contract's asset, from the
// ledger entries that decide it.

/** The part of a backing that the ledger decides. */
export type RecordValues = Pick<
  Backing,
  "balance" | "allowance" | "liveUntil" | "authorized" | "budget" | "headroom"
> & {
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

const UNLOADED_VALUES: RecordValues = {
  balance: 0n,
  allowance: 0n,
  liveUntil: 0,
  authorized: false,
  budget: 0n,
};

type Holding = Pick<RecordValues, "balance" | "authorized" | "headroom" | "short">;

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

const NO_ALLOWANCE: Allowance = { amount: 0n, liveUntil: 0 };

function liveAllowance(entry: TrackedEntry | undefined, ledger: number): Allowance {
  if (entry?.kind !== "allowance" || entry.amount <= 0n) return NO_ALLOWANCE;
  return entry.liveUntil < ledger ? NO_ALLOWANCE : entry;
}

/** Adds an allowance, which must be live, to what the owner holds. */
function withBudget(holding: Holding, allowance: Allowance): RecordValues {
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

/** The exchange contract itself in a token of another kind: it may hold it, and that is all. */
export const FREE_HOLDER: RecordValues = withBudget(
  { balance: 0n, authorized: true },
  NO_ALLOWANCE,
);

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
