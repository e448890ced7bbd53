import assert from "node:assert/strict";
import { test } from "node:test";
import {
  asStepWork,
  inStepSlices,
  isStepInWork,
  nextSlice,
  Slices,
  stepTurn,
} from "./slice-turns.ts";

test("of all long work one slice runs in a turn, each in its turn", async () => {
  const ran: string[] = [];
  let turn = 0;
  let immediate = setImmediate(function count() {
    turn += 1;
    immediate = setImmediate(count);
  });
  const turns: number[] = [];
  const work = async (name: string): Promise<void> => {
    for (let slice = 1; slice <= 3; slice += 1) {
      await nextSlice();
      ran.push(`${name}${slice}`);
      turns.push(turn);
    }
  };
  await Promise.all(["a", "b", "c"].map(work));
  clearImmediate(immediate);
  assert.deepEqual(ran, ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]);
  assert.equal(new Set(turns).size, turns.length, "two slices in one turn");
});

test("a step's work gives the loop its turns, and waits behind nobody's slices", async () => {
  const portions = 5;
  let turn = 0;
  let immediate = setImmediate(function count() {
    turn += 1;
    immediate = setImmediate(count);
  });
  let slices = 0;
  const others = Array.from({ length: 10 * portions }, async () => {
    await nextSlice();
    slices += 1;
  });
  const turns: number[] = [];
  function* work(): Generator<void, string> {
    for (let portion = 0; portion < portions; portion += 1) {
      turns.push(turn);
      assert.ok(isStepInWork());
      // Longer than a slice is.
      for (const end = performance.now() + 5; performance.now() < end; );
      yield;
    }
    return "done";
  }
  const done = inStepSlices(work());
  assert.ok(isStepInWork(), "between its slices, too");
  assert.equal(await done, "done");
  assert.ok(!isStepInWork());
  assert.ok(slices < others.length, `${slices} slices of others were waited for`);
  clearImmediate(immediate);
  assert.equal(new Set(turns).size, portions, "two portions in one turn");
  await Promise.all(others);
});

test("the parts of a step that follow each other share a slice, and what is done at once has a turn", async () => {
  let turn = 0;
  let immediate = setImmediate(function count() {
    turn += 1;
    immediate = setImmediate(count);
  });
  const turns: number[] = [];
  // biome-ignore lint/correctness/useYield: it ends within its first slice, of which it leaves nothing.
  function* work(): Generator<void, void> {
    turns.push(turn);
    // Longer than a slice is.
    for (const end = performance.now() + 5; performance.now() < end; );
  }
  await inStepSlices(work());
  await inStepSlices(work());
  await stepTurn();
  turns.push(turn);
  clearImmediate(immediate);
  assert.equal(new Set(turns).size, 3, `turns ${turns}`);
  assert.ok(!isStepInWork());
});

test("a step that another thread works on is in work, and no longer", async () => {
  let end: (value: string) => void = () => undefined;
  const done = asStepWork(
    () =>
      new Promise<string>((resolve) => {
        end = resolve;
      }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(isStepInWork());
  end("done");
  assert.equal(await done, "done");
  assert.ok(!isStepInWork());
});

test("a step's work that fails is told", async () => {
  function* work(): Generator<void, void> {
    yield;
    throw new RangeError("too much");
  }
  await assert.rejects(inStepSlices(work()), { message: "too much" });
  assert.ok(!isStepInWork());
});

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
