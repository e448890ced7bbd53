import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { LedgerEntryData } from "@stellar/stellar-sdk/xdr";
import { RpcError } from "./json-rpc.ts";
import { readHeader, readLedgerHead } from "./ledger-header.ts";
import {
  parseEntries,
  parseHealth,
  parseLedgersPage,
  parsePassphrase,
  rangeInRefusal,
} from "./rpc-answers.ts";
import { parseSimulated } from "./simulate.ts";
import { trackedEntry } from "./tracked-entry.ts";

/** A real answer. Seen from dist/src/ingest, where this runs. */
function fixture(name: string): { readonly result: unknown; readonly records: unknown } {
  const path = new URL(`../../../test/fixtures/rpc/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, "utf8"));
}

test("reads a real page of ledgers", () => {
  const page = parseLedgersPage(fixture("get_ledgers").result, 0);
  assert.deepEqual([page.oldest, page.latest], [8, 113]);
  const heads = page.ledgers.map(({ sequence, bytes }) => readLedgerHead(bytes, sequence));
  assert.deepEqual(
    heads.map(({ sequence, closeTime }) => [sequence, closeTime]),
    [
      [10, 1_731_554_414],
      [11, 1_731_554_415],
    ],
  );
  assert.equal(heads[1]?.previousHash, heads[0]?.hash);
  for (const { hash, computedHash } of heads) assert.equal(computedHash, hash);
});

test("reads real health, network and entries, whose numbers may be texts", () => {
  assert.deepEqual(parseHealth(fixture("get_health").result), { oldest: 1, latest: 50_000 });
  assert.equal(
    parsePassphrase(fixture("get_network").result),
    "Standalone Network ; February 2017",
  );
  const entries = parseEntries(fixture("get_ledger_entries").result);
  assert.equal(entries.ledger, 7_943);
  assert.deepEqual(
    entries.entries.map(({ modified }) => modified),
    [159, 7_177],
  );
  assert.deepEqual(parseEntries({ latestLedger: 5 }), { ledger: 5, entries: [] });
  const data = parseEntries(fixture("get_contract_data").result);
  assert.deepEqual([data.ledger, data.entries[0]?.modified], [296, 290]);
  const none = parseEntries(fixture("get_contract_data_return_null").result);
  assert.deepEqual(none, { ledger: 296, entries: [] });
});

test("reads a real balance of a contract, and what a real simulation gave", () => {
  const [balance] = parseEntries(fixture("get_sac_balance").result).entries;
  assert.deepEqual(trackedEntry(LedgerEntryData.fromXdr(balance?.data ?? "", "base64")), {
    kind: "balance",
    amount: 28n,
    authorized: true,
  });
  assert.deepEqual(parseSimulated(fixture("simulate_transaction").result), {
    value: { kind: "u32", value: 20 },
    ledger: 14_245,
  });
});

test("refuses what is missing, of another kind or damaged, and says which", () => {
  const page = {
    ledgers: [{ sequence: 5, metadataXdr: "AAAA" }],
    oldestLedger: 1,
    latestLedger: 9,
  };
  assert.equal(parseLedgersPage(page, 0).ledgers.length, 1);
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [undefined, /getLedgers/],
    [[], /getLedgers/],
    [{ ...page, ledgers: {} }, /ledgers/],
    [{ ...page, latestLedger: "soon" }, /latestLedger/],
    [{ ...page, oldestLedger: -1 }, /oldestLedger/],
    [{ ...page, latestLedger: 2 ** 32 }, /latestLedger/],
    [{ ...page, ledgers: [{ sequence: 5.5, metadataXdr: "AAAA" }] }, /sequence/],
  ];
  for (const [result, words] of wrong) {
    assert.throws(
      () => parseLedgersPage(result, 0),
      (thrown) =>
        thrown instanceof RpcError && thrown.failure === "garbage" && words.test(thrown.message),
    );
  }
});

test("finds the range in both forms of a refusal", () => {
  const range = { oldest: 100, latest: 200 };
  const text = "between the oldest ledger: 100 and the latest ledger: 200 for this rpc instance";
  assert.deepEqual(rangeInRefusal(`start ledger (201) must be ${text}`), range);
  assert.deepEqual(rangeInRefusal(`cursor ('200') must be ${text}`), range);
  assert.equal(rangeInRefusal("rpc queue for getLedgers surpassed queue limit"), undefined);
});

test("headers of 50 public ledgers in a row link", () => {
  const records = fixture("header-corpus").records as readonly {
    readonly sequence: number;
    readonly headerXdr: string;
  }[];
  let previous: string | undefined;
  for (const { sequence, headerXdr } of records) {
    const bytes = Buffer.from(headerXdr, "base64");
    const head = readHeader(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0);
    assert.equal(head.sequence, sequence);
    if (previous !== undefined) assert.equal(head.previousHash, previous);
    previous = head.hash;
  }
  assert.equal(records.length, 50);
});

test("a ledger that came damaged is damage of that ledger alone; pages are in order, each ledger once", () => {
  const ledgers = [
    { sequence: 7, metadataXdr: "AA*A" },
    { sequence: 5, metadataXdr: "AAAA" },
    { sequence: 7, metadataXdr: "AA*A" },
    { sequence: 6, metadataXdr: "AAA" },
    { sequence: 8 },
  ];
  const page = parseLedgersPage({ ledgers, oldestLedger: 5, latestLedger: 8 }, 0);
  assert.deepEqual(
    page.ledgers.map(({ sequence, bytes }) => [sequence, bytes.length]),
    [
      [5, 3],
      [6, 0],
      [7, 0],
      [8, 0],
    ],
  );
});
