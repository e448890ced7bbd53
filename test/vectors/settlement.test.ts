import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { parseExactJson } from "./exact-json.ts";
import { replaySettlement } from "./settlement.ts";

const fixture = new URL("../../../test/fixtures/settlement.json.gz", import.meta.url);

function readFixture(): readonly Record<string, unknown>[] {
  const vectors = parseExactJson(gunzipSync(readFileSync(fixture)).toString("utf8"));
  assert(Array.isArray(vectors));
  return vectors;
}

test("every settlement vector replays on the contract model", () => {
  const vectors = readFixture();
  assert.equal(vectors.length, 612);
  for (const [at, vector] of vectors.entries()) {
    assert.deepEqual(replaySettlement(vector), [], `case ${at}`);
  }
});

test("a vector with a wrong result, event or state is told apart", () => {
  const vectors = readFixture();
  const traded = vectors.find(({ events }) => Array.isArray(events) && events.length > 1);
  assert(traded !== undefined);
  const { before, after } = traded;
  assert(typeof before === "object" && typeof after === "object");
  assert.match(replaySettlement({ ...traded, result: { ok: [1, 2] } }).join(), /^result: /);
  assert.match(replaySettlement({ ...traded, events: [] }).join(), /^events: /);
  const unchanged = { ...before, holders: [], allowances: [] };
  assert.match(replaySettlement({ ...traded, after: unchanged }).join(), /order .*holder /);
});

test("a vector of another format is refused by name of what is wrong", () => {
  const [vector] = readFixture();
  assert.throws(() => replaySettlement({ ...vector, fn: "mint" }), /fn: /);
  assert.throws(() => replaySettlement({ ...vector, before: {} }), /before\.contract: /);
});

test("integers beyond 2^53 keep every digit, in numbers and next to strings", () => {
  const text =
    '{"a":123456789012345678901,"b":"9007199254740993\\"1234567890123456789","c":[7,1.5]}';
  assert.deepEqual(parseExactJson(text), {
    a: "123456789012345678901",
    b: '9007199254740993"1234567890123456789',
    c: [7, 1.5],
  });
});
