import assert from "node:assert/strict";
import { test } from "node:test";
import { PathQueue } from "./path-queue.ts";

/** More than the queue keeps. */
const PATHS = 70_000;

test("the most promising path comes first, and of those that were dropped the best bound is known", () => {
  const queue = new PathQueue();
  const keys = Array.from({ length: PATHS }, (_, at) => (at * 7919) % PATHS);
  for (const [at, key] of keys.entries()) queue.add(key, 1, 1, at, 0, 0);
  queue.arrange();
  const kept: number[] = [];
  while (queue.count > 0) {
    kept.push(queue.key(queue.top));
    queue.removeTop();
  }
  const best = keys.toSorted((one, other) => other - one).slice(0, kept.length);
  assert.deepEqual(kept, best);
  assert(kept.length < PATHS && queue.droppedKey >= PATHS - 1 - kept.length);
  queue.clear();
  assert.equal(queue.droppedKey, Number.NEGATIVE_INFINITY);
});
