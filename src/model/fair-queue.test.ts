import assert from "node:assert/strict";
import { test } from "node:test";
import { FairQueue } from "./fair-queue.ts";

function filled(...pieces: readonly string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const piece of pieces) queue.add(piece.slice(0, 1), piece);
  return queue;
}

test("clients take turns, and what each asked for keeps its order", () => {
  const queue = filled("a1", "a2", "a3", "a4", "b1", "c1", "c2");
  assert.deepEqual(queue.take(4), ["a1", "b1", "c1", "a2"]);
  assert.deepEqual([queue.size, queue.sizeOf("a"), queue.sizeOf("b")], [3, 2, 0]);
  queue.add("b", "b2");
  assert.deepEqual(queue.take(10), ["c2", "a3", "b2", "a4"]);
  assert.deepEqual([queue.take(1), queue.size], [[], 0]);
});

test("what is put back comes first of its client, who is next unless it was served", () => {
  const queue = filled("a1", "a2", "a3", "b1", "c1");
  const [served, ...back] = queue.take(4);
  assert.equal(served, "a1");
  queue.add("d", "d1");
  queue.putBack(
    back.map((piece) => [piece.slice(0, 1), piece]),
    new Set(["a"]),
  );
  assert.equal(queue.size, 5);
  assert.deepEqual(queue.take(10), ["b1", "c1", "d1", "a2", "a3"]);
});

test("what nobody wants goes", () => {
  const queue = filled("a1", "a2", "b1");
  queue.keep((piece) => piece !== "b1" && piece !== "a1");
  assert.deepEqual([queue.size, queue.sizeOf("b")], [1, 0]);
  assert.deepEqual(queue.take(5), ["a2"]);
});
