import assert from "node:assert/strict";
import { test } from "node:test";
import { LedgerCloseMeta, ScVal, TransactionMeta } from "@stellar/stellar-sdk/xdr";
import { readFixture } from "../../../test/ingest/ledger-fixtures.ts";
import { scI128, scMap, scSymbol, scU32, scVec, scVoid } from "../../../test/ingest/sc-values.ts";
import { compileWalker, type Tap, XdrWalkError } from "./compile-walker.ts";

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

test("ends exactly at the end of every real value", () => {
  const ledger = compileWalker(LedgerCloseMeta.schema, []);
  for (const name of ["pubnet-recent", "pubnet-older", "core-next"] as const) {
    for (const bytes of readFixture(name)) assert.equal(ledger(viewOf(bytes), 0, {}), bytes.length);
  }
  const meta = compileWalker(TransactionMeta.schema, []);
  for (const bytes of readFixture("txmeta")) assert.equal(meta(viewOf(bytes), 0, {}), bytes.length);
});

test("refuses what the schema's own decoder refuses", () => {
  const walk = compileWalker(ScVal.schema, []);
  const value = scMap({
    some: scVec(scU32(1), scVoid(), scI128(-1n)),
    x: ScVal.scvBool(true),
  }).toXdr();
  const schema = ScVal.schema;
  for (let at = 0; at < value.length; at += 1) {
    for (const byte of [0, 1, 2, 22, 23, 255]) {
      const changed = Uint8Array.from(value);
      changed[at] = byte;
      let accepted = true;
      try {
        accepted = walk(viewOf(changed), 0, {}) === changed.length;
      } catch (thrown) {
        assert.ok(thrown instanceof XdrWalkError || thrown instanceof RangeError);
        accepted = false;
      }
      assert.equal(accepted, schema.validateXdr(changed), `byte ${at} set to ${byte}`);
    }
  }
});

test("taps are called at their places, with where the value lies", () => {
  const calls: unknown[] = [];
  const handlers = {
    valueBegins: (_view: DataView, at: number) => calls.push(["begin", at]),
    valueEnds: (_view: DataView, from: number, to: number) => calls.push(["end", from, to]),
    field: (_view: DataView, from: number, to: number) => calls.push(["val", from, to]),
  };
  const taps: readonly Tap<typeof handlers>[] = [
    { at: "ScVal", when: "begin", call: "valueBegins" },
    { at: "ScVal", when: "end", call: "valueEnds" },
    { at: "*.val", when: "end", call: "field" },
  ];
  const bytes = scMap({ k: scU32(7) }).toXdr();
  // Type, presence, count; key: type, length, one byte padded; value: type, number.
  assert.equal(compileWalker(ScVal.schema, taps)(viewOf(bytes), 0, handlers), 32);
  assert.deepEqual(calls, [
    ["begin", 0],
    ["begin", 12],
    ["end", 12, 24],
    ["begin", 24],
    ["end", 24, 32],
    ["val", 24, 32],
    ["end", 0, 32],
  ]);
});

test("a tap that names nothing in the schema is a mistake", () => {
  const taps = [{ at: "ScVal.nothing", when: "end", call: "field" }] as const;
  assert.throws(() => compileWalker<{ field: () => void }>(ScVal.schema, taps), TypeError);
});

test("endless nesting is refused before the stack ends", () => {
  const walk = compileWalker(ScVal.schema, []);
  const level = Buffer.from(scVec(scVoid()).toXdr()).subarray(0, 12);
  const nested = Buffer.concat([
    ...Array.from({ length: 100_000 }, () => level),
    scSymbol("x").toXdr(),
  ]);
  assert.throws(() => walk(viewOf(nested), 0, {}), XdrWalkError);
});
