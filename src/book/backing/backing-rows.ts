// The durable form of the backing records: followed entries as of the last committed ledger, and
// what of a record no entry tells. Rows are JSON lists in a fixed order with amounts as decimal
// text, since an amount can have 127 bits. They change with the store's schema alone.
import type { Address } from "../../model/address.ts";
import type { Backing } from "../../model/backing.ts";
import type { TrackedEntry } from "../../model/ledger-delta.ts";
import type { BackingRow } from "../step.ts";
import { type BackingRecord, isShort, type RecordId, unloadedBacking } from "./record.ts";

/** What the ledgers said of the network itself. */
export type NetworkRow = { readonly baseReserve: bigint };

/** What a record is restored with, besides its entries. */
export type RecordRow = {
  readonly owner: Address;
  readonly asset: Address;
  readonly updated?: number;
  readonly answer?: { readonly balance: bigint; readonly allowance: bigint };
  /** Nothing may have changed the answer; undefined in rows of versions that did not keep it. */
  readonly isConfirmed: boolean | undefined;
};

/** The last ledger of an allowance, in a custom token. */
export type ApprovalRow = {
  readonly owner: Address;
  readonly asset: Address;
  readonly liveUntil: number;
};

export type ParsedRow =
  | { readonly kind: "network"; readonly network: NetworkRow }
  | { readonly kind: "entry"; readonly key: string; readonly entry?: TrackedEntry }
  | { readonly kind: "record"; readonly record: RecordRow }
  | { readonly kind: "approval"; readonly approval: ApprovalRow };

/** Of the keys of records' rows. */
export const RECORD_PREFIX = "record:";
type Row = { readonly key: string; readonly value: string };

const NETWORK_KEY = "network";
const ENTRY_PREFIX = "entry:";
const APPROVAL_PREFIX = "approval:";
const ADDRESS_CHARACTERS = 56;
/** Where in a record's row the values begin that can be absent, and whether its answer is confirmed. */
const SHOWN_OPTIONAL_AT = 7;
const CONFIRMED_AT = 10;

export function networkRow({ baseReserve }: NetworkRow): BackingRow {
  return { key: NETWORK_KEY, value: JSON.stringify([`${baseReserve}`]) };
}

export function entryRowKey(key: string): string {
  return `${ENTRY_PREFIX}${key}`;
}

/** `followed` undefined: the key is no longer followed. */
export function entryRow(
  key: string,
  followed: { readonly entry?: TrackedEntry } | undefined,
): BackingRow {
  const row = { key: entryRowKey(key) };
  if (followed === undefined) return row;
  return { ...row, value: JSON.stringify(entryFields(followed.entry)) };
}

export function recordRow(record: BackingRecord): BackingRow {
  const { owner, asset, backing, polled } = record;
  const answer = polled?.answer;
  const value = JSON.stringify([
    backing.updated ?? null,
    answer === undefined ? null : [`${answer.balance}`, `${answer.allowance}`],
    `${backing.balance}`,
    `${backing.allowance}`,
    backing.liveUntil,
    backing.authorized ? 1 : 0,
    `${backing.budget}`,
    backing.headroom === undefined ? null : `${backing.headroom}`,
    backing.skipped ?? null,
    isShort(record) ? 1 : 0,
    polled?.awaiting === undefined ? 1 : 0,
  ]);
  return { key: recordRowKey(owner, asset), value };
}

export function recordRowKey(owner: Address, asset: Address): string {
  return `${RECORD_PREFIX}${owner}${asset}`;
}

/** `liveUntil` undefined: over. */
export function approvalRow(id: RecordId, liveUntil: number | undefined): BackingRow {
  const key = `${APPROVAL_PREFIX}${id.replace(":", "")}`;
  return liveUntil === undefined ? { key } : { key, value: JSON.stringify([liveUntil]) };
}

/** Throws a TypeError on a row that this version did not write. */
export function parseRow({ key, value }: Row): ParsedRow {
  const fields: unknown = JSON.parse(value);
  if (!Array.isArray(fields)) throw unknownRow(key);
  if (key === NETWORK_KEY) return { kind: "network", network: { baseReserve: amount(fields[0]) } };
  if (key.startsWith(ENTRY_PREFIX)) {
    const entry = entryOf(fields, key);
    const parsed = { kind: "entry", key: key.slice(ENTRY_PREFIX.length) } as const;
    return entry === undefined ? parsed : { ...parsed, entry };
  }
  if (key.startsWith(APPROVAL_PREFIX)) {
    const approval = { ...addressesOf(key, APPROVAL_PREFIX), liveUntil: count(fields[0]) };
    return { kind: "approval", approval };
  }
  if (!key.startsWith(RECORD_PREFIX)) throw unknownRow(key);
  return { kind: "record", record: recordOf(fields, key) };
}

function recordOf(fields: readonly unknown[], key: string): RecordRow {
  const [updated, answer] = fields;
  return {
    isConfirmed: isConfirmed(fields),
    ...addressesOf(key, RECORD_PREFIX),
    ...(updated === null ? {} : { updated: count(updated) }),
    ...(Array.isArray(answer)
      ? { answer: { balance: amount(answer[0]), allowance: amount(answer[1]) } }
      : {}),
  };
}

function isConfirmed(fields: readonly unknown[]): boolean | undefined {
  const kept = fields[CONFIRMED_AT];
  return kept === undefined ? undefined : count(kept) === 1;
}

/** What a record's own row says of it. `short`: `isShort`; undefined in rows of versions that did not keep it. */
export type ShownBacking = { readonly backing: Backing; readonly short: boolean | undefined };

/**
 * What a record will show once it is restored, by its own row: a start need not wait for its
 * entries. Undefined for rows of versions that did not keep it. Throws as `parseRow`.
 */
export function shownBacking({ key, value }: Row): ShownBacking | undefined {
  const fields: unknown = JSON.parse(value);
  if (!Array.isArray(fields)) throw unknownRow(key);
  const [updated, answer, balance, allowance, liveUntil, authorized, budget] = fields;
  const [headroom, skipped, kept] = fields.slice(SHOWN_OPTIONAL_AT);
  if (balance === undefined) return undefined;
  const short = kept === undefined ? undefined : count(kept) === 1;
  const { owner, asset } = addressesOf(key, RECORD_PREFIX);
  const pending = !(isConfirmed(fields) ?? answer === null);
  if (updated === null) {
    const unloaded = unloadedBacking(owner, asset, skipped === null ? undefined : count(skipped));
    return { backing: { ...unloaded, pending }, short };
  }
  const backing = {
    owner,
    asset,
    balance: amount(balance),
    allowance: amount(allowance),
    liveUntil: count(liveUntil),
    authorized: count(authorized) === 1,
    budget: amount(budget),
    updated: count(updated),
    pending,
  };
  const absent = {
    ...(headroom === null ? {} : { headroom: amount(headroom) }),
    ...(skipped === null ? {} : { skipped: count(skipped) }),
  };
  return { backing: { ...backing, ...absent }, short };
}

function addressesOf(key: string, prefix: string) {
  const assetAt = prefix.length + ADDRESS_CHARACTERS;
  return {
    owner: key.slice(prefix.length, assetAt) as Address,
    asset: key.slice(assetAt) as Address,
  };
}

function entryFields(entry: TrackedEntry | undefined): readonly unknown[] {
  switch (entry?.kind) {
    case undefined:
      return [];
    case "account": {
      const { balance, sellingLiabilities, buyingLiabilities, ...counts } = entry;
      const { subentries, sponsoring, sponsored, flags } = counts;
      const amounts = [`${balance}`, `${sellingLiabilities}`, `${buyingLiabilities}`];
      return ["account", ...amounts, subentries, sponsoring, sponsored, flags];
    }
    case "trustline": {
      const { balance, limit, sellingLiabilities, buyingLiabilities, flags } = entry;
      const liabilities = [`${sellingLiabilities}`, `${buyingLiabilities}`];
      return ["trustline", `${balance}`, `${limit}`, ...liabilities, flags];
    }
    case "balance":
      return ["balance", `${entry.amount}`, entry.authorized ? 1 : 0];
    case "allowance":
      return ["allowance", `${entry.amount}`, entry.liveUntil];
    case "token":
      return entry.asset === undefined ? ["token"] : ["token", entry.asset];
    case "eventsSetting":
      return ["eventsSetting", entry.bytesMax];
  }
}

function entryOf(fields: readonly unknown[], key: string): TrackedEntry | undefined {
  const [kind, one, two, three, four, five, six, seven] = fields;
  switch (kind) {
    case undefined:
      return undefined;
    case "account":
      return {
        kind,
        balance: amount(one),
        sellingLiabilities: amount(two),
        buyingLiabilities: amount(three),
        subentries: count(four),
        sponsoring: count(five),
        sponsored: count(six),
        flags: count(seven),
      };
    case "trustline":
      return {
        kind,
        balance: amount(one),
        limit: amount(two),
        sellingLiabilities: amount(three),
        buyingLiabilities: amount(four),
        flags: count(five),
      };
    case "balance":
      return { kind, amount: amount(one), authorized: count(two) === 1 };
    case "allowance":
      return { kind, amount: amount(one), liveUntil: count(two) };
    case "token":
      return typeof one === "string" ? { kind, asset: one } : { kind };
    case "eventsSetting":
      return { kind, bytesMax: count(one) };
    default:
      throw unknownRow(key);
  }
}

function amount(field: unknown): bigint {
  if (typeof field !== "string" || field === "") throw new TypeError(`no stored amount: ${field}`);
  return BigInt(field);
}

function count(field: unknown): number {
  if (typeof field !== "number") throw new TypeError(`no stored count: ${field}`);
  return field;
}

function unknownRow(key: string): TypeError {
  return new TypeError(`no row of a backing record: ${key}`);
}
