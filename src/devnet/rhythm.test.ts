import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Rhythm } from "./rhythm.ts";

/** Timers and a clock that move together. */
function madeUpTime(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout", "setImmediate"] });
  const time = { now: 0 };
  const pass = (ms: number): void => {
    for (let step = 0; step < ms; step += 1) {
      time.now += 1;
      t.mock.timers.tick(1);
    }
  };
  return { time, pass };
}

test("beats come at the interval as it is asked for each time, until stopped", (t) => {
  const { time, pass } = madeUpTime(t);
  const beats: number[] = [];
  const rhythm = new Rhythm(
    () => (beats.length < 2 ? 10 : 30),
    () => beats.push(time.now),
    () => time.now,
  );
  rhythm.start();
  rhythm.start();
  pass(100);
  assert.deepEqual(beats, [10, 20, 50, 80]);
  rhythm.stop();
  assert.equal(rhythm.running, false);
  pass(100);
  assert.equal(beats.length, 4);
});

test("a beat that takes long delays the next ones, which do not catch up", (t) => {
  const { time, pass } = madeUpTime(t);
  const beats: number[] = [];
  const rhythm = new Rhythm(
    () => 10,
    () => {
      beats.push(time.now);
      if (beats.length === 2) time.now += 25;
    },
    () => time.now,
  );
  rhythm.start();
  pass(40);
  // Begun at 20 and done at 45: the next is late already and comes at once, then every 10.
  assert.deepEqual(beats.slice(0, 4), [10, 20, 45, 55]);
});

test("without an interval a beat leaves the thread to others, and can stop the rhythm", (t) => {
  t.mock.timers.enable({ apis: ["setImmediate"] });
  let beats = 0;
  const rhythm = new Rhythm(
    () => 0,
    () => {
      beats += 1;
      if (beats === 3) rhythm.stop();
    },
  );
  rhythm.start();
  assert.equal(beats, 0);
  for (let at = 0; at < 10; at += 1) t.mock.timers.tick(1);
  assert.equal(beats, 3);
});
