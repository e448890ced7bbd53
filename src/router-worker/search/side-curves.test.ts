import assert from "node:assert/strict";
import { test } from "node:test";
import { hashPlace } from "./side-curves.ts";

test("keys are spread over all of a table, of whatever size", () => {
  for (const mask of [15, (1 << 12) - 1, (1 << 22) - 1]) {
    const isTaken = new Uint8Array(mask + 1);
    for (let key = 0; key <= mask >>> 1; key += 1) isTaken[hashPlace(key, mask)] = 1;
    const taken = isTaken.reduce((sum, one) => sum + one, 0);
    assert(taken > 0.9 * (mask >>> 1), `${taken} of ${mask + 1}`);
  }
});
