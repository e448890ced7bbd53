// The durable form of the backing records: followed entries as of the last committed ledger, and
// what of a record no entry tells. Keys are text. A value is FORM and then fields in a fixed order
// (store/record-bytes.ts); amounts have a sign, which their lowest bit is. Values that begin otherwise
// are of versions that wrote JSON lists of the same fields: they are read, and go with the next change of
// what they tell. The writer of rows is the caller's, one for all rows of a step.
import type { Address } from "../../model/address.ts";
import type { Backing } from "../../model/backing.ts";
import type { TrackedEntry } from "../../model/ledger-delta.ts";
import { RecordReader, type RecordWriter } from "../../store/record-bytes.ts";
import type { BackingRow } from "../step.ts";
import { type BackingRecord, isShort, type RecordId, unloadedBacking } from "./record.ts";

/** What a record is restored with, besides its entries. */
export type RecordRow = {
  readonly owner: Address;
  readonly asset: Address;
  readonly updated?: number;
  readonly answer?: { readonly balance: bigint; readonly allowance: bigint };
  /** Nothing may have changed the answer; undefined in rows of versions that did not keep it. */
  readonly isConfirmed: boolean | undefined;
};

export type ParsedRow =
  /** What the ledgers said of the network itself. */
  | { readonly kind: "network"; readonly baseReserve: bigint }
  | { readonly kind: "entry"; readonly key: string; readonly entry?: TrackedEntry }
  | { readonly kind: "record"; readonly record: RecordRow }
  /** The last ledger of an allowance, in a custom token. */
  | {
      readonly kind: "approval";
      readonly owner: Address;
      readonly asset: Address;
      readonly liveUntil: number;
    };

export const RECORD_PREFIX = "record:";
type Row = { readonly key: string; readonly value: Uint8Array };

const NETWORK_KEY = "network";
const ENTRY_PREFIX = "entry:";
const APPROVAL_PREFIX = "approval:";
const ADDRESS_CHARACTERS = 56;
/** The first byte of every value; no JSON begins with it. */
const FORM = 1;

/** Of a followed entry; 0: the ledger has none. */
const ENTRY_KINDS = [
  undefined,
  "account",
  "trustline",
  "balance",
  "allowance",
  "token",
  "eventsSetting",
] as const;

/** Of a record, in one byte: what is there, and what is so. */
const UPDATED = 1;
const ANSWERED = 2;
const CONFIRMED = 4;
const AUTHORIZED = 8;
const HEADROOM = 16;
const SKIPPED = 32;
const SHORT = 64;

export function networkRow(
  writer: RecordWriter,
  { baseReserve }: { readonly baseReserve: bigint },
): BackingRow {
  writer.byte(FORM);
  writeAmount(writer, baseReserve);
  return { key: NETWORK_KEY, value: writer.take() };
}

export function entryRowKey(key: string): string {
  return `${ENTRY_PREFIX}${key}`;
}

/** `followed` undefined: the key is no longer followed. */
export function entryRow(
  writer: RecordWriter,
  key: string,
  followed: { readonly entry?: TrackedEntry } | undefined,
): BackingRow {
  const row = { key: entryRowKey(key) };
  if (followed === undefined) return row;
  writer.byte(FORM).byte(ENTRY_KINDS.indexOf(followed.entry?.kind));
  writeEntry(writer, followed.entry);
  return { ...row, value: writer.take() };
}

export function recordRow(writer: RecordWriter, record: BackingRecord): BackingRow {
  const { owner, asset, backing, polled } = record;
  const answer = polled?.answer;
  const flags =
    (backing.updated === undefined ? 0 : UPDATED) |
    (answer === undefined ? 0 : ANSWERED) |
    (polled?.awaiting === undefined ? CONFIRMED : 0) |
    (backing.authorized ? AUTHORIZED : 0) |
    (backing.headroom === undefined ? 0 : HEADROOM) |
    (backing.skipped === undefined ? 0 : SKIPPED) |
    (isShort(record) ? SHORT : 0);
  writer.byte(FORM).byte(flags);
  if (backing.updated !== undefined) writer.count(backing.updated);
  if (answer !== undefined) writeAmount(writer, answer.balance, answer.allowance);
  writeAmount(writer, backing.balance, backing.allowance);
  writer.count(backing.liveUntil);
  writeAmount(writer, backing.budget);
  if (backing.headroom !== undefined) writeAmount(writer, backing.headroom);
  if (backing.skipped !== undefined) writer.count(backing.skipped);
  return { key: recordRowKey(owner, asset), value: writer.take() };
}

export function recordRowKey(owner: Address, asset: Address): string {
  return `${RECORD_PREFIX}${owner}${asset}`;
}

/** `liveUntil` undefined: over. */
export function approvalRow(
  writer: RecordWriter,
  id: RecordId,
  liveUntil: number | undefined,
): BackingRow {
  const key = `${APPROVAL_PREFIX}${id.replace(":", "")}`;
  if (liveUntil === undefined) return { key };
  return { key, value: writer.byte(FORM).count(liveUntil).take() };
}

/** Throws a TypeError or a StoreError on a row that no version wrote. */
export function parseRow({ key, value }: Row): ParsedRow {
  const row = openRow({ key, value });
  if (key === NETWORK_KEY) return { kind: "network", baseReserve: row.amount() };
  if (key.startsWith(ENTRY_PREFIX)) {
    const entry = readEntry(row, key);
    const parsed = { kind: "entry", key: key.slice(ENTRY_PREFIX.length) } as const;
    return entry === undefined ? parsed : { ...parsed, entry };
  }
  if (key.startsWith(APPROVAL_PREFIX)) {
    return { kind: "approval", ...addressesOf(key, APPROVAL_PREFIX), liveUntil: row.count() };
  }
  if (!key.startsWith(RECORD_PREFIX)) throw unknownRow(key);
  const { updated, answer, isConfirmed } = row.record();
  return {
    kind: "record",
    record: {
      isConfirmed,
      ...addressesOf(key, RECORD_PREFIX),
      ...(updated === undefined ? {} : { updated }),
      ...(answer === undefined ? {} : { answer }),
    },
  };
}

/** What a record's own row says of it. `short`: `isShort`; undefined in rows of versions that did not keep it. */
export type ShownBacking = { readonly backing: Backing; readonly short: boolean | undefined };

/**
 * What a record will show once it is restored, by its own row: a start need not wait for its
 * entries. Undefined for rows of versions that did not keep it. Throws as `parseRow`.
 */
export function shownBacking({ key, value }: Row): ShownBacking | undefined {
  const { updated, answer, isConfirmed, shown } = openRow({ key, value }).record();
  if (shown === undefined) return undefined;
  const { owner, asset } = addressesOf(key, RECORD_PREFIX);
  const { short, headroom, skipped, ...values } = shown;
  const pending = !(isConfirmed ?? answer === undefined);
  if (updated === undefined) {
    return { backing: { ...unloadedBacking(owner, asset, skipped), pending }, short };
  }
  const backing = { owner, asset, ...values, updated, pending };
  const absent = {
    ...(headroom === undefined ? {} : { headroom }),
    ...(skipped === undefined ? {} : { skipped }),
  };
  return { backing: { ...backing, ...absent }, short };
}

/** The fields of a row, one after the other. */
type RowFields = BinaryRow | TextRow;

function openRow({ key, value }: Row): RowFields {
  if (value[0] === FORM) return new BinaryRow(value);
  const fields: unknown = JSON.parse(Buffer.from(value).toString());
  if (!Array.isArray(fields)) throw unknownRow(key);
  return new TextRow(key, fields);
}

class BinaryRow {
  readonly #fields: RecordReader;

  constructor(value: Uint8Array) {
    this.#fields = new RecordReader(value);
    this.#fields.byte();
  }

  get isAtEnd(): boolean {
    return this.#fields.isAtEnd;
  }

  amount(): bigint {
    const signed = this.#fields.uint();
    return (signed & 1n) === 0n ? signed >> 1n : -(signed >> 1n) - 1n;
  }

  count(): number {
    return this.#fields.count();
  }

  text(): string {
    return this.#fields.text();
  }

  entryKind(): string | undefined {
    const kind = this.#fields.byte();
    return kind < ENTRY_KINDS.length ? ENTRY_KINDS[kind] : `number ${kind}`;
  }

  record() {
    const flags = this.#fields.byte();
    const has = (flag: number) => (flags & flag) !== 0;
    const updated = has(UPDATED) ? this.count() : undefined;
    const answer = has(ANSWERED) ? { balance: this.amount(), allowance: this.amount() } : undefined;
    const shown = {
      balance: this.amount(),
      allowance: this.amount(),
      liveUntil: this.count(),
      authorized: has(AUTHORIZED),
      budget: this.amount(),
      headroom: has(HEADROOM) ? this.amount() : undefined,
      skipped: has(SKIPPED) ? this.count() : undefined,
      short: has(SHORT),
    };
    return { updated, answer, isConfirmed: has(CONFIRMED), shown };
  }
}

/** Of versions before: a JSON list, amounts in decimal text, null for what is not there. */
class TextRow {
  readonly #key: string;
  readonly #fields: readonly unknown[];
  #at = 0;

  constructor(key: string, fields: readonly unknown[]) {
    this.#key = key;
    this.#fields = fields;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#fields.length;
  }

  amount(): bigint {
    const field = this.#next();
    if (typeof field !== "string" || field === "") throw unknownRow(this.#key);
    return BigInt(field);
  }

  count(): number {
    const field = this.#next();
    if (typeof field !== "number") throw unknownRow(this.#key);
    return field;
  }

  text(): string {
    return String(this.#next());
  }

  entryKind(): string | undefined {
    return this.isAtEnd ? undefined : this.text();
  }

  /** `shown`: undefined in rows of versions that did not keep it. */
  record() {
    const updated = this.#optional(() => this.count());
    const pair = this.#next();
    const answered = Array.isArray(pair) ? new TextRow(this.#key, pair) : undefined;
    const answer = answered && { balance: answered.amount(), allowance: answered.amount() };
    if (this.isAtEnd) return { updated, answer, isConfirmed: undefined, shown: undefined };
    const shown = {
      balance: this.amount(),
      allowance: this.amount(),
      liveUntil: this.count(),
      authorized: this.count() === 1,
      budget: this.amount(),
      headroom: this.#optional(() => this.amount()),
      skipped: this.#optional(() => this.count()),
      short: this.#optional(() => this.count() === 1),
    };
    return { updated, answer, shown, isConfirmed: this.#optional(() => this.count() === 1) };
  }

  #next(): unknown {
    this.#at += 1;
    return this.#fields[this.#at - 1];
  }

  #optional<T>(read: () => T): T | undefined {
    if ((this.#fields[this.#at] ?? null) !== null) return read();
    this.#at += 1;
    return undefined;
  }
}

function addressesOf(key: string, prefix: string) {
  const assetAt = prefix.length + ADDRESS_CHARACTERS;
  return {
    owner: key.slice(prefix.length, assetAt) as Address,
    asset: key.slice(assetAt) as Address,
  };
}

/** Of any sign and width. */
function writeAmount(writer: RecordWriter, ...amounts: readonly bigint[]): void {
  for (const amount of amounts) writer.uint(amount < 0n ? -2n * amount - 1n : 2n * amount);
}

function writeEntry(writer: RecordWriter, entry: TrackedEntry | undefined): void {
  switch (entry?.kind) {
    case undefined:
      break;
    case "account":
      writeAmount(writer, entry.balance, entry.sellingLiabilities, entry.buyingLiabilities);
      writer.count(entry.subentries).count(entry.sponsoring).count(entry.sponsored);
      writer.count(entry.flags);
      break;
    case "trustline":
      writeAmount(writer, entry.balance, entry.limit);
      writeAmount(writer, entry.sellingLiabilities, entry.buyingLiabilities);
      writer.count(entry.flags);
      break;
    case "balance":
      writeAmount(writer, entry.amount);
      writer.count(entry.authorized ? 1 : 0);
      break;
    case "allowance":
      writeAmount(writer, entry.amount);
      writer.count(entry.liveUntil);
      break;
    case "token":
      if (entry.asset !== undefined) writer.text(entry.asset);
      break;
    case "eventsSetting":
      writer.count(entry.bytesMax);
  }
}

/** Fields in the order written. */
function readEntry(row: RowFields, key: string): TrackedEntry | undefined {
  const kind = row.entryKind();
  switch (kind) {
    case undefined:
      return undefined;
    case "account":
      return {
        kind,
        balance: row.amount(),
        sellingLiabilities: row.amount(),
        buyingLiabilities: row.amount(),
        subentries: row.count(),
        sponsoring: row.count(),
        sponsored: row.count(),
        flags: row.count(),
      };
    case "trustline":
      return {
        kind,
        balance: row.amount(),
        limit: row.amount(),
        sellingLiabilities: row.amount(),
        buyingLiabilities: row.amount(),
        flags: row.count(),
      };
    case "balance":
      return { kind, amount: row.amount(), authorized: row.count() === 1 };
    case "allowance":
      return { kind, amount: row.amount(), liveUntil: row.count() };
    case "token":
      return row.isAtEnd ? { kind } : { kind, asset: row.text() };
    case "eventsSetting":
      return { kind, bytesMax: row.count() };
    default:
      throw unknownRow(key);
  }
}

function unknownRow(key: string): TypeError {
  return new TypeError(`no row of a backing record: ${key}`);
}
