import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Buckets, LONG_BOUNDS_MS, SHORT_BOUNDS_MS } from "./buckets.ts";

test("an observation is counted under the first bound that is not below it", () => {
  const buckets = new Buckets([1, 10]);
  for (const milliseconds of [0, 1, 1.001, 10, 10.001, 1e9]) buckets.observe(milliseconds);
  assert.deepEqual([...buckets.counts], [2, 2, 2]);
  assert.equal(buckets.count, 6);
});

test("count and sum are those of all observations", () => {
  const observations = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { maxLength: 200 });
  fc.assert(
    fc.property(observations, fc.constantFrom(SHORT_BOUNDS_MS, LONG_BOUNDS_MS), (all, bounds) => {
      const buckets = new Buckets(bounds);
      for (const milliseconds of all) buckets.observe(milliseconds);
      const sum = all.reduce((before, milliseconds) => before + milliseconds, 0);
      assert.equal(buckets.sumMs, sum);
      assert.equal(buckets.count, all.length);
      assert.equal(
        buckets.counts.reduce((before, count) => before + count, 0),
        all.length,
      );
    }),
  );
});
