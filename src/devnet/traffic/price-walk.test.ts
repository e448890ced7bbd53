import assert from "node:assert/strict";
import { test } from "node:test";
import { contractPrice, type PriceWalk, usdAt } from "./price-walk.ts";

const walk: PriceWalk = { seed: 7, usd: 2, volatility: 0.05 };

test("a walk stays near its middle, moves, and is the same each time it is asked", () => {
  const prices = Array.from({ length: 2_000 }, (_, at) => usdAt(walk, 1_700_000_000 + at * 60));
  for (const price of prices) assert(price > 2 * 0.9 && price < 2 * 1.1);
  assert(new Set(prices).size > 1_900);
  assert.equal(usdAt(walk, 1_700_000_000), prices[0]);
});

test("a second moves a price by little", () => {
  for (let now = 1_700_000_000; now < 1_700_003_600; now += 1) {
    const step = usdAt(walk, now + 1) / usdAt(walk, now);
    assert(step > 0.999 && step < 1.001);
  }
});

test("contract prices carry a ratio at full width and are never 0", () => {
  assert.equal(contractPrice(1), 10n ** 18n);
  assert.equal(contractPrice(0.5), 5n * 10n ** 17n);
  assert.equal(contractPrice(1e-30), 1n);
  assert.equal(contractPrice(65_536), 65_536n * 10n ** 18n);
});
