import assert from "node:assert/strict";
import { test } from "node:test";
import { randomFrom } from "../../../test/support/random-ledgers.ts";
import { runs } from "../../../test/support/runs.ts";
import { costUp, outputDown, PRICE_UNIT } from "../../model/settlement.ts";
import { costOf, outputOf, realPrice } from "./rounding.ts";

const CASES = runs(2_000);
/** Below it plain numbers are exact. */
const EXACT_MAX = 2n ** 53n;

const random = randomFrom(3);

function randomBigint(bits: number): bigint {
  let value = 1n;
  for (let bit = 0; bit < bits; bit += 1) value = 2n * value + BigInt(random(2));
  return value;
}

function wordsOf(price: bigint): BigUint64Array {
  return BigUint64Array.of(price & (2n ** 64n - 1n), price >> 64n);
}

/** A price of up to 2^100, and an amount that comes out beside a whole number of units. */
function nearUnit(turns: (units: bigint, price: bigint) => bigint): [price: bigint, from: bigint] {
  const price = randomBigint(20 + random(80));
  const units = randomBigint(random(52));
  const from = turns(units, price) + BigInt(random(3) - 1);
  return [price, from > 0n ? from : 1n];
}

test("a cost is the contract's to the unit, also where a double is on neither side of it", () => {
  let compared = 0;
  for (let at = 0; at < CASES; at += 1) {
    const [price, got] = nearUnit((units, of) => (units * PRICE_UNIT) / of);
    const cost = costUp(got, price);
    if (got >= EXACT_MAX || cost >= EXACT_MAX) continue;
    const found = costOf(Number(got), realPrice(Number(price)), wordsOf(price), 0);
    assert.equal(BigInt(found), cost, `${got} at ${price}`);
    compared += 1;
  }
  assert.ok(compared > CASES / 4, `${compared} costs`);
  // A double of a hair above one is one.
  const hair = PRICE_UNIT + 1n;
  assert.equal(costOf(7, realPrice(Number(hair)), wordsOf(hair), 0), 8);
});

test("an output is the contract's to the unit, also where a double is on neither side of it", () => {
  let compared = 0;
  for (let at = 0; at < CASES; at += 1) {
    const [price, paid] = nearUnit((units, of) => (units * of) / PRICE_UNIT);
    const output = outputDown(paid, price);
    if (paid >= EXACT_MAX || output >= EXACT_MAX) continue;
    const found = outputOf(Number(paid), realPrice(Number(price)), wordsOf(price), 0);
    assert.equal(BigInt(found), output, `${paid} at ${price}`);
    compared += 1;
  }
  assert.ok(compared > CASES / 4, `${compared} outputs`);
  const hair = PRICE_UNIT + 1n;
  assert.equal(outputOf(7, realPrice(Number(hair)), wordsOf(hair), 0), 6);
});
