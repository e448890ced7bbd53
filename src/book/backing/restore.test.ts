import assert from "node:assert/strict";
import { test } from "node:test";
import { Slices } from "./restore.ts";

function* portions(done: number[], count: number): Generator<void> {
  for (let portion = 0; portion < count; portion += 1) {
    done.push(portion);
    yield;
  }
}

const never = new AbortController().signal;

test("what is needed at once is done at once, and once", async () => {
  const done: number[] = [];
  const slices = new Slices(portions(done, 3));
  slices.finish();
  slices.finish();
  await slices.finishInTurns(never);
  assert.deepEqual(done, [0, 1, 2]);
});

test("who needs it in the middle gets it whole", async () => {
  const done: number[] = [];
  const slow = (function* () {
    for (const _ of portions(done, 50)) {
      const end = performance.now() + 1;
      while (performance.now() < end);
      yield;
    }
  })();
  const slices = new Slices(slow);
  const inTurns = slices.finishInTurns(never);
  await new Promise((resolve) => setImmediate(resolve));
  assert(done.length < 50, "the loop had its turn before the end");
  slices.finish();
  assert.equal(done.length, 50);
  await inTurns;
  assert.equal(done.length, 50);
});

test("a signal ends it", async () => {
  const done: number[] = [];
  const stop = new AbortController();
  stop.abort();
  await new Slices(portions(done, 3)).finishInTurns(stop.signal);
  assert.deepEqual(done, []);
});

test("what failed fails for everyone: nobody takes a part for the whole", async () => {
  const slices = new Slices(
    (function* () {
      yield;
      throw new TypeError("no row");
    })(),
  );
  await assert.rejects(slices.finishInTurns(never), /no row/);
  assert.throws(() => slices.finish(), /no row/);
  assert.throws(() => slices.finish(), /no row/);
});
