import assert from "node:assert/strict";
import { test } from "node:test";
import { account, token } from "../../../test/support/addresses.ts";
import { textRows } from "../../../test/support/text-rows.ts";
import type { TrackedEntry } from "../../model/ledger-delta.ts";
import { RecordWriter } from "../../store/record-bytes.ts";
import type { BackingRow } from "../step.ts";
import {
  approvalRow,
  entryRow,
  networkRow,
  parseRow,
  recordRow,
  recordRowKey,
  shownBacking,
} from "./backing-rows.ts";
import { type BackingRecord, unloadedBacking } from "./record.ts";

const [owner, asset] = [account(1), token(2)];
const [I64_MAX, U32_MAX] = [2n ** 63n - 1n, 2 ** 32 - 1];
const [I128_MAX, I128_MIN] = [2n ** 127n - 1n, -(2n ** 127n)];

const ENTRIES: readonly (TrackedEntry | undefined)[] = [
  undefined,
  {
    ...{ kind: "account", balance: I64_MAX, sellingLiabilities: 0n, buyingLiabilities: I64_MAX },
    ...{ subentries: 1000, sponsoring: U32_MAX, sponsored: 0, flags: 15 },
  },
  {
    ...{ kind: "trustline", balance: -1n, limit: I64_MAX, sellingLiabilities: 1n },
    ...{ buyingLiabilities: -(2n ** 63n), flags: U32_MAX },
  },
  { kind: "balance", amount: I128_MAX, authorized: true },
  { kind: "balance", amount: I128_MIN, authorized: false },
  { kind: "allowance", amount: I128_MIN, liveUntil: U32_MAX },
  { kind: "token" },
  { kind: "token", asset: "native" },
  { kind: "token", asset: `ABCDEFGHIJKL:${owner}` },
  { kind: "token", asset: "\u{1f600}" },
  { kind: "eventsSetting", bytesMax: U32_MAX },
  { kind: "eventsSetting", bytesMax: 0 },
];

const values = {
  ...{ owner, asset, balance: I128_MAX, allowance: 1n, liveUntil: U32_MAX, authorized: true },
  ...{ budget: 1n, updated: 1_700_000_000, pending: false },
};
const common = { owner, asset, orders: 1, watched: false, market: false };

const RECORDS: readonly BackingRecord[] = [
  { ...common, backing: values, next: values },
  { ...common, backing: { ...values, headroom: 0n, skipped: 7 }, next: values },
  // Short: it may not be touched in the next ledger.
  { ...common, backing: values, next: { ...values, authorized: false } },
  {
    ...{ ...common, polled: { answer: { balance: I128_MIN, allowance: -1n } } },
    ...{ backing: { ...values, authorized: false, budget: 0n }, next: values },
  },
  {
    ...{ ...common, polled: { awaiting: 9 } },
    ...{ backing: { ...unloadedBacking(owner, asset, 5), pending: true }, next: values },
  },
  { ...common, backing: unloadedBacking(owner, asset), next: unloadedBacking(owner, asset) },
];

const writer = new RecordWriter();

/** The row as it is read; the same of the form before. */
function read({ key, value }: BackingRow) {
  assert.ok(value !== undefined);
  const [text] = textRows(new Map([[key, value]])).values();
  assert.ok(text !== undefined && text.length >= value.length);
  const row = parseRow({ key, value });
  assert.deepEqual(parseRow({ key, value: text }), row);
  return { row, value, text };
}

test("rows are read as they were written, and as versions wrote them before", () => {
  for (const entry of ENTRIES) {
    const written = entryRow(writer, "AAAA", entry === undefined ? {} : { entry });
    const expected = { kind: "entry", key: "AAAA", ...(entry === undefined ? {} : { entry }) };
    assert.deepEqual(read(written).row, expected);
  }
  for (const record of RECORDS) {
    const { key } = recordRow(writer, record);
    const { row, value, text } = read(recordRow(writer, record));
    const { backing, polled, next } = record;
    const { updated } = backing;
    assert.deepEqual(row, {
      kind: "record",
      record: {
        ...{ owner, asset, isConfirmed: polled?.awaiting === undefined },
        ...(updated === undefined ? {} : { updated }),
        ...(polled?.answer === undefined ? {} : { answer: polled.answer }),
      },
    });
    const short = backing.authorized && !next.authorized;
    assert.deepEqual(shownBacking({ key, value }), { backing, short });
    assert.deepEqual(shownBacking({ key, value: text }), { backing, short });
  }
  assert.deepEqual(read(networkRow(writer, { baseReserve: 5_000_000n })).row, {
    kind: "network",
    baseReserve: 5_000_000n,
  });
  assert.deepEqual(read(approvalRow(writer, `${owner}:${asset}`, U32_MAX)).row, {
    kind: "approval",
    ...{ owner, asset, liveUntil: U32_MAX },
  });
});

test("a row that a version before wrote, as it stands in stores", () => {
  const key = recordRowKey(owner, asset);
  const value = Buffer.from('[1700000000,["-3","40"],"0","40",12,1,"0",null,8,0,0]');
  const shown = { balance: 0n, allowance: 40n, liveUntil: 12, authorized: true, budget: 0n };
  assert.deepEqual(shownBacking({ key, value }), {
    backing: { owner, asset, ...shown, updated: 1_700_000_000, skipped: 8, pending: true },
    short: false,
  });
  // Before it was kept what was shown of a record.
  const first = Buffer.from("[1700000000,null]");
  assert.equal(shownBacking({ key, value: first }), undefined);
  assert.deepEqual(parseRow({ key, value: first }), {
    kind: "record",
    record: { owner, asset, updated: 1_700_000_000, isConfirmed: undefined },
  });
});

test("a row that no version wrote is refused", () => {
  const { value = new Uint8Array() } = entryRow(writer, "AAAA", { entry: { kind: "token" } });
  const bad: readonly (readonly [key: string, value: Uint8Array])[] = [
    ["entry:AAAA", Uint8Array.of(1, 7)],
    ["entry:AAAA", Uint8Array.of(1, 1, 2)],
    ["entry:AAAA", Uint8Array.of(1)],
    ["entry:AAAA", new Uint8Array()],
    ["entry:AAAA", Buffer.from('["pool"]')],
    ["entry:AAAA", Buffer.from('["allowance",1,2]')],
    ["entry:AAAA", Buffer.from("{}")],
    ["network", Buffer.from("[5]")],
    ["else", value],
  ];
  for (const [key, bytes] of bad) assert.throws(() => parseRow({ key, value: bytes }), key);
});
