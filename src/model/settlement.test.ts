import assert from "node:assert/strict";
import { test } from "node:test";
import {
  costUp,
  fillBuying,
  fillSelling,
  I128_MAX,
  invertPriceDown,
  invertPriceUp,
  isDust,
  outputDown,
  PRICE_MAX,
  PRICE_MIN,
  PRICE_UNIT,
  U128_MAX,
} from "./settlement.ts";

const THIRD = PRICE_UNIT / 3n;

test("the ends of amounts and prices are the contract's", () => {
  assert.equal(I128_MAX, 170_141_183_460_469_231_731_687_303_715_884_105_727n);
  assert.equal(U128_MAX, 340_282_366_920_938_463_463_374_607_431_768_211_455n);
  assert.equal(PRICE_MAX, 10n ** 36n);
});

test("what is paid is rounded up from the least part of a unit, what is got is rounded down", () => {
  assert.equal(costUp(0n, PRICE_UNIT), 0n);
  assert.equal(costUp(7n, PRICE_UNIT), 7n);
  // A unit at the lowest price costs 10^-18 of one.
  assert.equal(costUp(1n, PRICE_MIN), 1n);
  assert.equal(costUp(PRICE_UNIT, PRICE_MIN), 1n);
  assert.equal(costUp(PRICE_UNIT + 1n, PRICE_MIN), 2n);
  assert.equal(costUp(1n, PRICE_UNIT + 1n), 2n);
  assert.equal(costUp(I128_MAX, PRICE_MAX), I128_MAX * PRICE_UNIT);
  assert.equal(outputDown(6n, 2n * PRICE_UNIT), 3n);
  assert.equal(outputDown(7n, 2n * PRICE_UNIT), 3n);
  assert.equal(outputDown(1n, PRICE_MIN), PRICE_UNIT);
  assert.equal(outputDown(PRICE_UNIT - 1n, PRICE_MAX), 0n);
  // 0.333... x 3 falls short of one by 10^-18.
  assert.equal(costUp(3n, THIRD), 1n);
  assert.equal(outputDown(1n, THIRD), 3n);
});

test("a rest is dust below one unit's worth", () => {
  assert.ok(isDust(PRICE_UNIT - 1n, PRICE_MIN));
  assert.ok(!isDust(PRICE_UNIT, PRICE_MIN));
  assert.ok(isDust(3n, THIRD));
  assert.ok(!isDust(3n, THIRD + 1n));
});

test("prices are inverted to either side, and exactly where they can be", () => {
  const half = PRICE_UNIT / 2n;
  for (const invert of [invertPriceDown, invertPriceUp]) {
    assert.equal(invert(PRICE_UNIT), PRICE_UNIT);
    assert.equal(invert(half), 2n * PRICE_UNIT);
    assert.equal(invert(PRICE_MIN), PRICE_MAX);
    assert.equal(invert(PRICE_MAX), PRICE_MIN);
  }
  assert.equal(invertPriceDown(3n * PRICE_UNIT), THIRD);
  assert.equal(invertPriceUp(3n * PRICE_UNIT), THIRD + 1n);
  // One above a divisor: just below its inverse.
  assert.equal(invertPriceDown(half + 1n), 2n * PRICE_UNIT - 4n);
  assert.equal(invertPriceUp(half + 1n), 2n * PRICE_UNIT - 3n);
});

test("selling fills an order whole where that can be paid, else what the rest buys", () => {
  const price = 2n * PRICE_UNIT;
  assert.deepEqual(fillSelling(21n, 10n, price), { sold: 20n, bought: 10n });
  assert.deepEqual(fillSelling(20n, 10n, price), { sold: 20n, bought: 10n });
  // The odd unit buys nothing and is not paid.
  assert.deepEqual(fillSelling(19n, 10n, price), { sold: 18n, bought: 9n });
  assert.equal(fillSelling(1n, 10n, price), undefined);
  assert.equal(fillSelling(0n, 10n, price), undefined);
  // What pays for a whole order exactly would buy more than it has, were it not for the rounding.
  assert.deepEqual(fillSelling(1n, 1n, PRICE_UNIT / 2n), { sold: 1n, bought: 1n });
});

test("buying takes what is wanted, an order at most", () => {
  const price = PRICE_UNIT + 1n;
  assert.deepEqual(fillBuying(9n, 10n, price), { sold: 10n, bought: 9n });
  assert.deepEqual(fillBuying(10n, 10n, price), { sold: 11n, bought: 10n });
  assert.deepEqual(fillBuying(11n, 10n, price), { sold: 11n, bought: 10n });
});
