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

test("of paths that promise the same, too many to be kept, the first ones stay", () => {
  const queue = new PathQueue();
  for (let at = 0; at < PATHS; at += 1) queue.add(at === 7 ? 4 : 3, 1, 1, at, 0, 0);
  queue.arrange();
  assert.equal(queue.droppedKey, 3);
  assert(queue.count > PATHS / 10, `${queue.count} stay`);
  const sides: number[] = [];
  for (; queue.count > 0; queue.removeTop()) sides.push(queue.side(queue.top, 0));
  // The first ones, in the order they came in.
  assert.deepEqual(sides, [
    7,
    ...Array.from({ length: sides.length - 1 }, (_, at) => at + (at < 7 ? 0 : 1)),
  ]);
});
