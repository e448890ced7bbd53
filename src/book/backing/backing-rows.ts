// The durable form of the backing records: followed entries as of the last committed ledger, and
// what of a record no entry tells. Rows are text: JSON with amounts as decimal strings, since an
// amount can have 127 bits.
import { type Address, parseAddress } from "../../model/address.ts";
import type { TrackedEntry } from "../../model/ledger-delta.ts";
import type { BackingRow } from "../step.ts";
import type { BackingRecord } from "./record.ts";

/** What the ledgers said of the network itself. */
export type NetworkRow = { readonly baseReserve: bigint };

/** What a record is restored with, besides its entries. */
export type RecordRow = {
  readonly owner: Address;
  readonly asset: Address;
  readonly updated?: number;
  readonly answer?: { readonly balance: bigint; readonly allowance: bigint };
  readonly approvedUntil?: number;
};

export type ParsedRow =
  | { readonly kind: "network"; readonly network: NetworkRow }
  | { readonly kind: "entry"; readonly key: string; readonly entry?: TrackedEntry }
  | { readonly kind: "record"; readonly record: RecordRow };

const NETWORK_KEY = "network";
const ENTRY_PREFIX = "entry:";
const RECORD_PREFIX = "record:";

export function networkRow({ baseReserve }: NetworkRow): BackingRow {
  return { key: NETWORK_KEY, value: JSON.stringify({ baseReserve: `${baseReserve}` }) };
}

/** `followed` undefined: the key is no longer followed. */
export function entryRow(
  key: string,
  followed: { readonly entry?: TrackedEntry } | undefined,
): BackingRow {
  const row = { key: `${ENTRY_PREFIX}${key}` };
  if (followed === undefined) return row;
  return { ...row, value: JSON.stringify(followed.entry ?? null, amountToText) };
}

export function recordRow({ owner, asset, backing, polled }: BackingRecord): BackingRow {
  const row: Omit<RecordRow, "owner" | "asset"> = {
    ...(backing.updated === undefined ? {} : { updated: backing.updated }),
    ...(polled?.answer === undefined ? {} : { answer: polled.answer }),
    ...(polled === undefined ? {} : { approvedUntil: polled.approvedUntil }),
  };
  return { key: recordRowKey(owner, asset), value: JSON.stringify(row, amountToText) };
}

export function recordRowKey(owner: Address, asset: Address): string {
  return `${RECORD_PREFIX}${owner}:${asset}`;
}

/** Throws a TypeError on a row that this version did not write. */
export function parseRow(row: { readonly key: string; readonly value: string }): ParsedRow {
  const { key, value } = row;
  if (key === NETWORK_KEY) {
    return { kind: "network", network: { baseReserve: bigintOf(JSON.parse(value).baseReserve) } };
  }
  if (key.startsWith(ENTRY_PREFIX)) {
    const entry: unknown = JSON.parse(value, textToAmount);
    const parsed = { kind: "entry", key: key.slice(ENTRY_PREFIX.length) } as const;
    return entry === null ? parsed : { ...parsed, entry: entry as TrackedEntry };
  }
  if (key.startsWith(RECORD_PREFIX)) {
    const [owner, asset] = key.slice(RECORD_PREFIX.length).split(":").map(parseAddress);
    if (owner !== undefined && asset !== undefined) {
      const rest = JSON.parse(value, textToAmount) as Omit<RecordRow, "owner" | "asset">;
      return { kind: "record", record: { owner, asset, ...rest } };
    }
  }
  throw new TypeError(`no row of a backing record: ${key}`);
}

/** Amounts are the only texts of digits: `kind` and asset names are none. */
function textToAmount(field: string, value: unknown): unknown {
  if (typeof value !== "string" || field === "kind" || field === "asset") return value;
  return bigintOf(value);
}

function amountToText(_field: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}` : value;
}

function bigintOf(value: unknown): bigint {
  if (typeof value !== "string" || !/^-?[0-9]+$/.test(value)) {
    throw new TypeError(`no amount in a backing row: ${value}`);
  }
  return BigInt(value);
}
