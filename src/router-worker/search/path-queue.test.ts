import assert from "node:assert/strict";
import { test } from "node:test";
import { PathQueue } from "./path-queue.ts";

/** Far more than a dense market of 60 assets has. */
const PATHS = 70_000;

/** The first side of each path in the queue, the most promising first. */
function emptied(queue: PathQueue): readonly number[] {
  const taken: number[] = [];
  for (; queue.count > 0; queue.removeTop()) taken.push(...queue.sides(queue.top));
  return taken;
}

test("the most promising path comes first, and none is left out", () => {
  const queue = new PathQueue(PATHS);
  const keys = Array.from({ length: PATHS }, (_, at) => (at * 7919) % PATHS);
  for (const [at, key] of keys.entries()) queue.add(key, 1, 1, at, 0, 0);
  queue.arrange();
  const kept = emptied(queue).map((at) => keys[at]);
  assert.deepEqual(
    kept,
    keys.toSorted((one, other) => other - one),
  );
});

test("of paths that promise the same the first ones come first", () => {
  const queue = new PathQueue(PATHS);
  for (let at = 0; at < PATHS; at += 1) queue.add(at === 7 ? 4 : 3, 1, 1, at, 0, 0);
  queue.arrange();
  const others = Array.from({ length: PATHS - 1 }, (_, at) => at + (at < 7 ? 0 : 1));
  assert.deepEqual(emptied(queue), [7, ...others]);
});

test("more paths than the capacity are refused", () => {
  const queue = new PathQueue(2);
  for (const side of [0, 1]) queue.add(1, 1, 1, side, 0, 0);
  queue.arrange();
  queue.add(1, 1, 1, 2, 0, 0);
  assert.throws(() => queue.arrange(), RangeError);
});
