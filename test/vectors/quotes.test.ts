import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { parseExactJson } from "./exact-json.ts";
import { replayQuotes } from "./quotes.ts";

function readFixture(name: string): readonly Record<string, unknown>[] {
  const fixture = new URL(`../../../test/fixtures/${name}`, import.meta.url);
  const vectors = parseExactJson(gunzipSync(readFileSync(fixture)).toString("utf8"));
  assert(Array.isArray(vectors));
  return vectors;
}

for (const [name, paths] of [
  ["quotes.json.gz", 260],
  ["quotes-large.json.gz", 23],
  ["quotes-wide.json.gz", 246],
] as const) {
  test(`every path of ${name} is as good as known and settles on the contract model`, () => {
    let seen = 0;
    for (const [at, vector] of readFixture(name).entries()) {
      const replay = replayQuotes(vector);
      assert.deepEqual(replay.failures, [], `case ${at}`);
      seen += replay.paths;
    }
    assert.equal(seen, paths);
  });
}

test("a path that could be better, or is missing, is told apart", () => {
  const vector = readFixture("quotes.json.gz").find(({ best }) => {
    return Array.isArray(best) && best.length === 1;
  });
  assert(vector !== undefined && Array.isArray(vector.best));
  const [best] = vector.best;
  const more = { ...best, bought: "1000000000", sold: "1" };
  const short = replayQuotes({ ...vector, best: [more] });
  assert.match(short.failures.join(), /known 1 for 1000000000/);
  assert(short.shortfall > 0);
  const elsewhere = { ...best, path: [best.path[0], best.path[0]] };
  const missing = replayQuotes({ ...vector, best: [elsewhere] });
  assert.match(missing.failures.join(), /not found/);
  assert.equal(missing.shortfall, 1);
});

test("a vector of another format is refused by name of what is wrong", () => {
  const [vector] = readFixture("quotes.json.gz");
  assert.throws(() => replayQuotes({ ...vector, request: {} }), /request\.direction: /);
});
