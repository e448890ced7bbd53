import assert from "node:assert/strict";
import { test } from "node:test";
import {
  FrozenLedgerKeys,
  LedgerCloseMeta,
  LedgerEntry,
  LedgerEntryData,
  LedgerKey,
  Price,
  ScVal,
  TransactionEnvelope,
  XdrString,
} from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import { randomFrom } from "../../../test/support/random-ledgers.ts";
import { RandomXdr } from "../../../test/support/random-xdr.ts";
import { runs } from "../../../test/support/runs.ts";
import { accountAddress, contractAddress } from "../../model/address.ts";
import { childrenOf, describe, resolved, type Schema } from "../../model/xdr-schema.ts";
import type { Value } from "../contract/value.ts";
import type { ClassicAsset } from "./asset.ts";
import type { Entry } from "./entry.ts";
import { keyOfEntry } from "./key.ts";
import { entryFromXdr } from "./read-entry.ts";
import { hostValueXdr, valueFromWire, valueWire } from "./sc-val.ts";
import { entryXdr } from "./write-entry.ts";
import { encode, encodeBytes, type XdrClass } from "./xdr-encoder.ts";
import { xdrBytes } from "./xdr-writer.ts";

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const account = bytes32.map(accountAddress);
const contract = bytes32.map(contractAddress);
const u128 = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n });
const i128 = fc.bigInt({ min: -(1n << 127n), max: (1n << 127n) - 1n });
const int64 = fc.bigInt({ min: 0n, max: (1n << 63n) - 1n });
const uint32 = fc.integer({ min: 0, max: 0xffff_ffff });
const small = fc.integer({ min: 0, max: 1_000 });
const symbolText = fc.stringMatching(/^[a-zA-Z0-9_]{0,32}$/);

const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant<Value>({ type: "void" }),
    fc.boolean().map((of): Value => ({ type: "bool", value: of })),
    uint32.map((of): Value => ({ type: "u32", value: of })),
    int64.map((of): Value => ({ type: "u64", value: of })),
    u128.map((of): Value => ({ type: "u128", value: of })),
    i128.map((of): Value => ({ type: "i128", value: of })),
    symbolText.map((of): Value => ({ type: "symbol", value: of })),
    fc.oneof(account, contract).map((of): Value => ({ type: "address", value: of })),
    fc.array(tie("value"), { maxLength: 4 }).map((of): Value => ({ type: "vec", value: of })),
    fc.string({ unit: "grapheme" }).map((of): Value => ({ type: "string", value: of })),
    // As it is read: the SDK's objects have no prototype.
    int64.map((nonce) =>
      valueFromWire(ScVal.schema.decode(ScVal.schema.encode({ type: 21, nonceKey: { nonce } }))),
    ),
    fc
      .uniqueArray(fc.tuple(symbolText, tie("value")), { maxLength: 4, selector: ([key]) => key })
      // In the order of their keys, as Soroban takes them.
      .map((of) => [...of].sort(([one], [other]) => (one < other ? -1 : 1)))
      .map((of): Value => ({ type: "map", value: of })),
  ),
}));

const issued = fc
  .record({ code: fc.stringMatching(/^[a-zA-Z0-9]{1,12}$/), issuer: account })
  .map((of) => ({ kind: "issued" as const, ...of }));
const asset = fc.oneof(fc.constant<ClassicAsset>({ kind: "native" }), issued);
const sponsor = fc.option(account, { nil: undefined }).map((of) => (of ? { sponsor: of } : {}));

const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc
    .record({
      account,
      balance: int64,
      sequence: int64,
      subentries: small,
      flags: fc.integer({ min: 0, max: 15 }),
      buyingLiabilities: int64,
      sellingLiabilities: int64,
      sponsored: small,
      sponsoring: small,
      sequenceLedger: uint32,
      sequenceTime: uint32,
      paid: sponsor,
    })
    .map(({ paid, ...of }) => ({ kind: "account" as const, ...of, ...paid })),
  fc
    .record({
      account,
      asset: issued,
      balance: int64,
      limit: int64,
      flags: fc.integer({ min: 0, max: 7 }),
      buyingLiabilities: int64,
      sellingLiabilities: int64,
      paid: sponsor,
    })
    .map(({ paid, ...of }) => ({ kind: "trustline" as const, ...of, ...paid })),
  fc
    .record({
      seller: account,
      id: int64,
      selling: asset,
      buying: asset,
      amount: int64,
      price: fc.record({ n: small, d: small }),
    })
    .map((of) => ({ kind: "offer" as const, ...of })),
  fc
    .record({
      contract,
      durability: fc.constantFrom("temporary" as const, "persistent" as const),
      key: value,
      value,
    })
    .map((of) => ({ kind: "data" as const, ...of })),
  fc.record({ keyHash: bytes32, liveUntil: uint32 }).map((of) => ({ kind: "ttl" as const, ...of })),
);

test("values are written as the SDK writes them, and read back", () => {
  fc.assert(
    fc.property(value, (of) => {
      const written = xdrBytes(hostValueXdr(of));
      assert.ok(written.equals(ScVal.schema.encode(valueWire(of))));
      assert.equal(hostValueXdr(valueWire(of)), hostValueXdr(of));
      assert.deepEqual(valueFromWire(ScVal.schema.decode(written)), of);
    }),
  );
});

test("entries and their keys are XDR to the SDK, and read back", () => {
  fc.assert(
    fc.property(entry, uint32, (of, modified) => {
      const written = entryXdr(of, modified);
      const bytes = xdrBytes(written);
      const decoded = LedgerEntry.schema.decode(bytes);
      assert.equal(decoded.lastModifiedLedgerSeq, modified);
      assert.ok(bytes.equals(LedgerEntry.schema.encode(decoded)));
      assert.equal(JSON.stringify(plain(entryFromXdr(written))), JSON.stringify(plain(of)));
      assert.ok(LedgerKey.validateXdr(xdrBytes(keyOfEntry(of))));
    }),
  );
});

/** Bigints as text and typed arrays as lists, with fields in one order. */
function plain(of: unknown): unknown {
  return JSON.parse(
    JSON.stringify(of, (_, field: unknown) => {
      if (typeof field === "bigint") return String(field);
      if (field instanceof Uint8Array) return [...field];
      if (typeof field !== "object" || field === null || Array.isArray(field)) return field;
      return Object.fromEntries(
        Object.entries(field).sort(([one], [other]) => (one < other ? -1 : 1)),
      );
    }),
  );
}

/** Values of each type; RandomXdr gives every arm, enum value and length its turn. */
const VALUES = 40;
const ROOM = 3_000;
const TYPES: readonly XdrClass<unknown>[] = [
  LedgerCloseMeta,
  LedgerEntry,
  LedgerKey,
  ScVal,
  TransactionEnvelope,
];

test("whatever the protocol's schema knows is written as the SDK writes it", () => {
  const xdr = new RandomXdr({ random: randomFrom(24), bytesMax: {} });
  for (const { schema } of TYPES) {
    for (let left = runs(VALUES); left > 0; left -= 1) {
      const bytes = xdr.value(schema, ROOM);
      assert.ok(encodeBytes({ schema }, schema.decode(bytes) as object).equals(bytes), schema.name);
    }
  }
});

test("XDR that was encoded before stands for the value", () => {
  const key = { type: 9, ttl: { keyHash: new Uint8Array(32).fill(7) } } as const;
  const data = { type: 9, ttl: { ...key.ttl, liveUntilLedgerSeq: 5 } } as const;
  const entry = { lastModifiedLedgerSeq: 3, data, ext: { v: 0 } } as const;
  const whole = encodeBytes(LedgerEntry, entry);
  for (const given of [encode(LedgerEntryData, data), encodeBytes(LedgerEntryData, data)]) {
    assert.deepEqual(encodeBytes(LedgerEntry, { ...entry, data: given }), whole);
  }
  assert.deepEqual(encodeBytes(LedgerEntry, whole), whole);
});

test("bytes stand for a value of any struct or union, whatever its fields are called", () => {
  const schemas = new Set<Schema>();
  const visit = (of: Schema): void => {
    const schema = resolved(of);
    if (schemas.has(schema)) return;
    schemas.add(schema);
    for (const child of childrenOf(describe(schema))) visit(child);
  };
  for (const { schema } of TYPES) visit(schema);
  assert.ok(schemas.has(FrozenLedgerKeys.schema));
  const given = Buffer.from("0000000100000002", "hex");
  for (const schema of schemas) {
    const node = describe(schema);
    if (node.kind !== "struct" && node.kind !== "union") continue;
    for (const bytes of [given, new Uint8Array(given)]) {
      assert.ok(encodeBytes({ schema }, bytes).equals(given), node.name);
    }
  }
});

test("values that are not of the type are refused, and leave the next one alone", () => {
  const ledger = { type: 9, ttl: { keyHash: new Uint8Array(32), liveUntilLedgerSeq: 1 } } as const;
  const price = (n: number) => encode(Price, { n, d: 1 });
  const u64 = (value: bigint) => encode(ScVal, { type: 5, u64: value });
  const i64 = (value: bigint) => encode(ScVal, { type: 6, i64: value });
  for (const wrong of [1.5, Number.NaN, 2 ** 31, -(2 ** 31) - 1]) {
    assert.throws(() => price(wrong), RangeError);
  }
  for (const wrong of [-1, 0.5, 2 ** 32]) {
    const ttl = { ...ledger.ttl, liveUntilLedgerSeq: wrong };
    assert.throws(() => encode(LedgerEntryData, { type: 9, ttl }), RangeError);
  }
  for (const wrong of [-1n, 1n << 64n]) assert.throws(() => u64(wrong), RangeError);
  for (const wrong of [1n << 63n, -(1n << 63n) - 1n]) assert.throws(() => i64(wrong), RangeError);
  const ttl = { ...ledger.ttl, keyHash: new Uint8Array(31) };
  assert.throws(() => encode(LedgerEntryData, { type: 9, ttl }), RangeError);
  const untyped = ScVal as XdrClass<unknown>;
  for (const wrong of [{ type: 99 }, { type: 0, b: 1 }, { type: 5 }, { type: 5, u64: 1 }, {}]) {
    assert.throws(() => encode(untyped, wrong), `${JSON.stringify(wrong)}`);
  }
  const long = { type: 15, sym: new XdrString("x".repeat(33)) } as const;
  assert.throws(() => encode(ScVal, long), RangeError);
  assert.equal(xdrBytes(encode(ScVal, { type: 1 })).toString("hex"), "00000001");
});

test("a value longer than the buffer at first is written whole", () => {
  const bytes = new Uint8Array(300_000).fill(5);
  const value = {
    type: 16,
    vec: [
      { type: 13, bytes },
      { type: 3, u32: 9 },
    ],
  } as const;
  const written = encodeBytes(ScVal, { type: 16, vec: [...value.vec] });
  assert.ok(written.equals(ScVal.schema.encode({ type: 16, vec: [...value.vec] })));
});
