import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { prettyJson, prettyPortions } from "./pretty-json.ts";

test("JSON is indented as JSON.stringify does it", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const compact = JSON.stringify(value);
      assert.equal(prettyJson(compact), JSON.stringify(JSON.parse(compact), null, 2));
    }),
  );
  for (const text of [
    '"\\\\"',
    '{"a\\"b{":["]\\\\",{},[[]]]}',
    "[]",
    "-1.5e-7",
    '{"":{"a":[{}]}}',
  ]) {
    assert.equal(prettyJson(text), JSON.stringify(JSON.parse(text), null, 2));
  }
});

test("a long text is indented in portions", () => {
  const value = Array.from({ length: 20_000 }, (_, at) => ({ id: String(at), of: [at, null] }));
  const portions = prettyPortions(JSON.stringify(value));
  let count = 0;
  let step = portions.next();
  for (; step.done !== true; step = portions.next()) count += 1;
  assert.ok(count > 50, `${count} portions`);
  assert.equal(step.value, JSON.stringify(value, null, 2));
});
