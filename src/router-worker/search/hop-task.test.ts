import assert from "node:assert/strict";
import { test } from "node:test";
import { hopOfOffers } from "../../../test/support/hop-of-offers.ts";
import { HopTask } from "./hop-task.ts";

test("an order whose unit costs more than all that is paid is never whole, however little more it is", () => {
  const amount = 2 ** 52;
  const maker = { amount: 1, maker: 1, headroom: 2 ** 60 };
  const hop = hopOfOffers([
    { ...maker, price: 1000 },
    { ...maker, price: 1000 * (amount + 16) },
  ]);
  const task = new HopTask();
  task.begin(hop, {
    ...{ sells: true, amount, exactAmount: undefined, slots: 20, bytes: Number.POSITIVE_INFINITY },
    ...{ below: Number.POSITIVE_INFINITY, cutoff: 0, gap: 0, nodesMax: 1 },
  });
  assert.equal(task.candidates, 1);
  assert.deepEqual([task.canBeWhole(0), task.canBeWhole(1)], [true, false]);
});
