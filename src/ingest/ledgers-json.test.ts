import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { runs } from "../../test/support/runs.ts";
import { parseLedgersJson } from "./ledgers-json.ts";
import { parseLedgersPage } from "./rpc-answers.ts";

/** Seen from dist/src/ingest, where this runs. */
const REAL = new URL("../../../test/fixtures/rpc/get_ledgers.json", import.meta.url);

test("a real page is read as by JSON.parse, however it is written", () => {
  const { result } = JSON.parse(readFileSync(REAL, "utf8")) as { readonly result: unknown };
  const expected = parseLedgersPage(result, 0);
  assert.ok(expected.ledgers.length > 0);
  const compact = JSON.stringify(result);
  // With blanks, and as those write it who escape slashes.
  for (const text of [
    compact,
    JSON.stringify(result, undefined, 2),
    compact.replace(/\//g, "\\/"),
  ]) {
    assert.deepEqual(parseLedgersPage(parseLedgersJson(Buffer.from(text)), 0), expected);
  }
});

test("what is no ledger stays what JSON.parse makes of it", () => {
  const tricky = fc.constantFrom(
    "metadataXdr",
    '"metadataXdr":"AAAA"',
    'x"metadataXdr',
    "#0",
    "é\n",
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(tricky, fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.oneof(tricky, fc.string()), tie("value"), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    ),
  }));
  fc.assert(
    fc.property(value, (json) => {
      const text = JSON.stringify(json);
      assert.deepEqual(plain(parseLedgersJson(Buffer.from(text))), plain(JSON.parse(text)));
    }),
    { numRuns: runs(200) },
  );
});

/** Without what may have been decoded. */
function plain(json: unknown): string {
  return JSON.stringify(json, (key, value: unknown) => (key === "metadataXdr" ? 0 : value));
}

test("ledgers of every length are decoded, and what is no base64 is none", () => {
  const page = (encoded: string) =>
    parseLedgersJson(Buffer.from(`{"metadataXdr":"${encoded}","cursor":"é"}`));
  // Around the size of a piece as well.
  for (const length of [0, 1, 2, 3, 4, 5, 36_863, 36_864, 36_865, 100_000, 100_001, 100_002]) {
    const bytes = Buffer.alloc(length, "ledger");
    assert.deepEqual(page(bytes.toString("base64")), { metadataXdr: bytes, cursor: "é" });
  }
  for (const damaged of ["A", "AAA", "AA*A", "AAAA=", `${"A".repeat(70_000)}*AAA`]) {
    assert.deepEqual(page(damaged), { metadataXdr: null, cursor: "é" });
  }
});

test("a page cut short anywhere is no JSON", () => {
  const text = '{"ledgers":[{"sequence":5,"metadataXdr":"AAAA"},{"metadataXdr":"AAAB"}]}';
  assert.doesNotThrow(() => parseLedgersJson(Buffer.from(text)));
  for (let length = 0; length < text.length; length += 1) {
    assert.throws(() => parseLedgersJson(Buffer.from(text.slice(0, length))), SyntaxError);
  }
});
