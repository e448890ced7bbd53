import assert from "node:assert/strict";
import { test } from "node:test";
import { hopOfOffers } from "../../../test/support/hop-of-offers.ts";
import { BUY } from "./hop-problem.ts";
import { HopSolver } from "./hop-solver.ts";

test("a maker's choices that were left out are not said to be none", () => {
  const offers = [
    { price: 1801, amount: 184_320 },
    { price: 2027, amount: 495 },
    { price: 2300, amount: 876 },
    { price: 2401, amount: 536 },
    { price: 2546, amount: 598 },
    { price: 2820, amount: 532 },
    { price: 2876, amount: 36 },
    { price: 2892, amount: 83 },
    { price: 3158, amount: 983 },
    { price: 3256, amount: 2_852_126_720 },
    { price: 3320, amount: 8864 },
  ];
  const maker = { maker: 1, budget: 1_226_499_338, headroom: 7_522_386_384 };
  const hop = hopOfOffers(offers.map((offer) => ({ ...offer, ...maker })));
  const search = new HopSolver();
  const best = 2_971_623_377;
  for (const nodesMax of [384, 1024, 8192, 1 << 16]) {
    const found = search.solve(hop, {
      direction: BUY,
      amount: 912_743_693,
      exactAmount: undefined,
      slots: 5,
      bytes: Number.POSITIVE_INFINITY,
      below: Number.POSITIVE_INFINITY,
      cutoff: Number.POSITIVE_INFINITY,
      gap: 0,
      nodesMax,
    });
    if (search.complete) assert.equal(found ? search.value : Number.NaN, best, `${nodesMax} nodes`);
    else if (found) assert(search.value >= best);
  }
  assert(search.complete, "not even the last is certain");
});
