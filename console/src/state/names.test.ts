import assert from "node:assert/strict";
import { it } from "node:test";
import { plainName } from "./names.ts";

it("keeps of a name what fits a line and leaves the line as it is", () => {
  assert.equal(plainName("USDC"), "USDC");
  assert.equal(plainName("\u202eCDSU\u200b\n"), "CDSU");
  assert.equal(plainName("W".repeat(300)), `${"W".repeat(11)}…`);
  assert.equal(plainName(""), "?");
  assert.equal(plainName("\u2066\u2069"), "?");
  assert.equal(plainName("\u05d0\u05d1"), "\u2068\u05d0\u05d1\u2069");
  const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}";
  assert.ok([...plainName(family.repeat(32))].length <= 3 * 12 + 3);
});
