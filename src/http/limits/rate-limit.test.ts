import assert from "node:assert/strict";
import { test } from "node:test";
import { RateLimit } from "./rate-limit.ts";

test("a client may take two seconds' worth at once and goes on at the rate", () => {
  let nowMs = 0;
  const limit = new RateLimit(5, () => nowMs);
  const taken = (client: string): number => {
    let count = 0;
    while (limit.wait(client) === 0) count += 1;
    return count;
  };
  assert.equal(taken("a"), 10);
  assert.equal(taken("b"), 10, "another client has its own");
  nowMs += 1000;
  assert.equal(taken("a"), 5);
  nowMs += 60_000;
  assert.equal(taken("a"), 10);
  assert.equal(limit.wait("a"), 1);
});

test("a slow rate says how long to wait", () => {
  let nowMs = 0;
  const limit = new RateLimit(1, () => nowMs);
  assert.deepEqual([limit.wait("a"), limit.wait("a"), limit.wait("a")], [0, 0, 1]);
  nowMs += 1000;
  assert.equal(limit.wait("a"), 0);
});

test("whoever asks from ever new addresses makes it remember no more than it can", () => {
  const limit = new RateLimit(1, () => 0);
  for (let n = 0; n < 3; n += 1) limit.wait("first");
  assert.equal(limit.wait("first"), 1);
  for (let n = 0; n < 100_000; n += 1) limit.wait(`other ${n}`);
  assert.equal(limit.wait("first"), 0, "it was forgotten");
});
