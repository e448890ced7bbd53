import assert from "node:assert/strict";
import { test } from "node:test";
import { hopOfOffers } from "../../../test/support/hop-of-offers.ts";
import { randomFrom } from "../../../test/support/random-ledgers.ts";
import type { HopDemand } from "./hop-problem.ts";
import { HopTask } from "./hop-task.ts";
import { Multipliers } from "./multipliers.ts";
import { ProfitSums } from "./profit-sums.ts";

const SLOTS = 4;
const DEMAND = {
  exactAmount: undefined,
  slots: SLOTS,
  bytes: Number.POSITIVE_INFINITY,
  below: Number.POSITIVE_INFINITY,
};

test("no shadow price bounds a hop closer than the one that is found", () => {
  const random = randomFrom(11);
  const multipliers = new Multipliers();
  const profits = new ProfitSums();
  const task = new HopTask();
  task.canBeWhole = () => true;
  const sums = new Float64Array(SLOTS + 1);
  let short = 0;
  for (let at = 0; at < 200; at += 1) {
    const hop = hopOfOffers(
      // No two of one price: where several have the divisible one, the bound may be a little farther.
      Array.from({ length: 30 }, (_, rank) => ({
        price: 1000 + 13 * rank + random(13),
        amount: 1 + random(100_000),
      })),
    );
    const sells = random(2) === 0;
    const uses = sells ? hop.columns.cost : hop.columns.amount;
    const largest = uses.toSorted((one, other) => other - one).subarray(0, SLOTS);
    const most = largest.reduce((sum, use) => sum + use, 0);
    const amount = 1 + Math.floor((most * (1 + random(90))) / 100);
    const demand: HopDemand = { ...DEMAND, sells, amount, cutoff: 0, gap: 0, nodesMax: 0 };
    const bound = (lambda: number): number => {
      profits.fill(sums, hop, lambda, SLOTS, task);
      const profit = sums[SLOTS] ?? 0;
      return sells ? (amount + profit) / lambda : profit - amount * lambda;
    };
    task.begin(hop, demand);
    multipliers.find(task, SLOTS);
    const found = bound(multipliers.lambda);
    if (multipliers.mu > 0) short += 1;
    for (let part = 0; part <= 200; part += 1) {
      const other = bound(0.9 + part / 100);
      assert.ok(
        found <= other + Math.abs(other) * 1e-9,
        `hop ${at}: ${found} at ${multipliers.lambda}, ${other}`,
      );
    }
  }
  assert.ok(short > 50, `${short} of 200 hops are short of slots`);
});
