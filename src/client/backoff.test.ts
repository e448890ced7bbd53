import assert from "node:assert/strict";
import { it } from "node:test";
import { waitMs } from "./backoff.ts";

it("waits longer after each failure, up to ten seconds", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 100].map((attempts) => waitMs(attempts, 1)),
    [500, 1000, 2000, 4000, 8000, 10_000, 10_000],
  );
  assert.equal(waitMs(2, 0), 1600);
});
