import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { KeyTable } from "./key-table.ts";

/** A key of `words` words whose content follows from the number. */
function keyOf(number: number, type = 0): { readonly text: string; readonly bytes: Uint8Array } {
  const words = 3 + (number % 9);
  const bytes = new Uint8Array(words * 4);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, type);
  view.setInt32(4, 1);
  view.setInt32(8, number);
  for (let at = 12; at < bytes.length; at += 4) view.setInt32(at, number % 3);
  return { text: Buffer.from(bytes).toString("base64"), bytes };
}

function find(table: KeyTable, { bytes }: { readonly bytes: Uint8Array }): string | undefined {
  // At an odd place of a larger buffer, as in a ledger.
  const within = new Uint8Array(bytes.length + 11);
  within.set(bytes, 7);
  const view = new DataView(within.buffer);
  const id = table.find(view, view.getInt32(7), 11, 7 + bytes.length);
  return id < 0 ? undefined : table.text(id);
}

test("finds what was added and not deleted, like a set of texts", () => {
  const step = fc.record({ add: fc.boolean(), number: fc.nat({ max: 40 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const table = new KeyTable();
      const model = new Set<string>();
      for (const { add, number } of steps) {
        const { text } = keyOf(number);
        if (add) {
          table.add(text);
          model.add(text);
        } else {
          table.delete(text);
          model.delete(text);
        }
        assert.equal(table.size, model.size);
      }
      for (let number = 0; number <= 40; number += 1) {
        const key = keyOf(number);
        assert.equal(find(table, key), model.has(key.text) ? key.text : undefined);
      }
    }),
  );
});

test("stays right while it grows and shrinks through many thousands of keys", () => {
  const table = new KeyTable();
  for (let number = 0; number < 30_000; number += 1) table.add(keyOf(number).text);
  for (let number = 0; number < 30_000; number += 3) table.delete(keyOf(number).text);
  for (let number = 30_000; number < 60_000; number += 1) table.add(keyOf(number).text);
  for (let number = 0; number < 60_000; number += 7) {
    const gone = number < 30_000 && number % 3 === 0;
    assert.equal(find(table, keyOf(number)), gone ? undefined : keyOf(number).text);
  }
  assert.equal(table.size, 50_000);
});

test("keys of settings are their id alone, beside keys of other kinds that end alike", () => {
  const setting = (id: number, ...more: readonly number[]) => {
    const bytes = Buffer.alloc(8 + 4 * more.length);
    for (const [at, word] of [8, id, ...more].entries()) bytes.writeInt32BE(word, 4 * at);
    return { text: bytes.toString("base64"), bytes: new Uint8Array(bytes) };
  };
  const table = new KeyTable();
  for (let id = 0; id < 20; id += 2) table.add(setting(id).text);
  for (let number = 0; number < 2000; number += 1) table.add(keyOf(number).text);
  for (let id = 0; id < 20; id += 1) {
    assert.equal(find(table, setting(id)), id % 2 === 0 ? setting(id).text : undefined);
  }
  table.delete(setting(4).text);
  assert.equal(find(table, setting(4)), undefined);
  assert.throws(() => table.add(setting(3, 0).text), RangeError);
  assert.throws(() => table.add(keyOf(0, 6).text.slice(0, 8)), RangeError);
});

test("the type is part of the key, and only kinds that can be followed are taken", () => {
  const table = new KeyTable();
  table.add(keyOf(5, 0).text);
  assert.equal(find(table, keyOf(5, 1)), undefined);
  assert.throws(() => table.add(keyOf(5, 9).text), RangeError);
  assert.throws(() => table.add("no base64"), RangeError);
  assert.throws(() => table.add("AAAA"), RangeError);
});
