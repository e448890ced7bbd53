import assert from "node:assert/strict";
import { test } from "node:test";
import { RangePlan } from "./range-plan.ts";

test("cuts everything once, larger ranges for smaller ledgers", () => {
  const plan = new RangePlan(3, 1_000, 1);
  let next = 3;
  const sizes: number[] = [];
  for (let range = plan.take(); range !== undefined; range = plan.take()) {
    assert.equal(range.from, next);
    assert.ok(range.to >= range.from);
    next = range.to + 1;
    sizes.push(range.to - range.from + 1);
    plan.took(
      range.to - range.from + 1,
      (range.to - range.from + 1) * (next < 500 ? 1 << 20 : 100),
    );
  }
  assert.equal(next, 1_001);
  assert.deepEqual(sizes.slice(0, 3), [8, 8, 8]);
  assert.ok(Math.max(...sizes) > 8 && Math.max(...sizes) <= 200);
});

test("keeps a lake's batches whole", () => {
  const plan = new RangePlan(70, 1_000, 64);
  assert.deepEqual(plan.take(), { from: 70, to: 127 });
  assert.deepEqual(plan.take(), { from: 128, to: 191 });
  plan.took(64, 64 * 100);
  assert.deepEqual(plan.take(), { from: 192, to: 447 });
});
