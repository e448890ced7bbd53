import assert from "node:assert/strict";
import { test } from "node:test";
import { RowCopy } from "./row-copy.ts";

const entry = (text: string) => {
  const bytes = Buffer.from(`..${text}--`);
  return { bytes, start: 2, end: 2 + text.length };
};

test("rows come back as they were added, all or those under a prefix", () => {
  const rows = new RowCopy();
  const added = [
    { key: "a", value: "" },
    { key: "a:1", value: "one" },
    { key: "a:2", value: "x".repeat(200_000) },
    { key: "ab", value: "between" },
    { key: "b:1", value: "last" },
  ];
  for (const { key, value } of added) rows.add(entry(key), entry(value));
  const read = (prefix: string) =>
    Array.from(rows.withPrefix(prefix), ({ key, value }) => ({
      key,
      value: Buffer.from(value).toString(),
    }));
  assert.deepEqual(read(""), added);
  assert.deepEqual(read("a:"), added.slice(1, 3));
  assert.deepEqual([...rows.withPrefix("b:1 and more")], []);
  assert.deepEqual([...new RowCopy().withPrefix("")], []);
});
