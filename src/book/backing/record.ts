// A backing record with the reasons why it is tracked.
import type { Address } from "../../model/address.ts";
import type { Backing } from "../../model/backing.ts";
import type { RecordKeys } from "./record-keys.ts";
import { NO_ALLOWANCE, type RecordValues, UNLOADED_VALUES, withBudget } from "./record-values.ts";

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

/** The exchange contract itself in a token of another kind: it may hold it, and that is all. */
export const FREE_HOLDER: RecordValues = withBudget(
  { balance: 0n, authorized: true },
  NO_ALLOWANCE,
);

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
