import assert from "node:assert/strict";
import { test } from "node:test";
import { ProgressMeter, progressText } from "./progress.ts";

test("tells the speed of the last while and what is left, every second", () => {
  let now = 0;
  const meter = new ProgressMeter(() => now, 1_000);
  now = 999;
  assert.equal(meter.reached(1_500, 9_000), undefined);
  now = 1_000;
  assert.deepEqual(meter.reached(1_500, 9_000), {
    ledger: 1_500,
    tip: 9_000,
    perSecond: 500,
    secondsLeft: 15,
  });
  now = 1_999;
  assert.equal(meter.reached(1_600, 9_000), undefined);
  // Much later the speed is that of the last half minute.
  for (let time = 10_000; time <= 100_000; time += 5_000) {
    now = time;
    meter.reached(1_500 + time / 1_000, 9_000);
  }
  now = 105_000;
  assert.ok(Math.abs((meter.reached(1_605, 9_000)?.perSecond ?? 0) - 1) < 0.01);
});

test("is written for people", () => {
  const common = { ledger: 5_000, tip: 9_000, perSecond: 120.4 };
  assert.equal(progressText(common), "ledger 5000 of 9000, 120 ledgers/s");
  assert.match(progressText({ ...common, secondsLeft: 33.2 }), /about 34 s left$/);
  assert.match(progressText({ ...common, secondsLeft: 600 }), /about 10 min left$/);
  assert.match(
    progressText({ ...common, perSecond: 1.25, secondsLeft: 9_000 }),
    /1\.3 .*2\.5 h left$/,
  );
});
