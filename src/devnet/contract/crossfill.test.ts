import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ANN,
  BEN,
  CAT,
  DAN,
  EXCHANGE,
  failure,
  GOLD,
  IRON,
  NOW,
  returned,
  SampleExchange,
} from "../../../test/support/devnet/sample-exchange.ts";
import { type OrderId, orderId } from "../../model/order.ts";
import { PRICE_UNIT } from "../../model/settlement.ts";
import { crossfillParameters } from "./call.ts";
import type { CallOutcome } from "./host.ts";

function crossfill(
  sample: SampleExchange,
  takerOrder: OrderId,
  ...orders: readonly OrderId[]
): CallOutcome {
  return sample.call(
    DAN,
    "crossfill",
    crossfillParameters.write({ trader: DAN, takerOrder, orders }),
  );
}

/** ANN sells gold for 2 iron each; others sell iron for a quarter gold each. */
function crossed(): { sample: SampleExchange; taker: OrderId; maker: OrderId } {
  const sample = new SampleExchange();
  const taker = sample.place(1, { price: 2n * PRICE_UNIT });
  const maker = sample.place(2, {
    owner: BEN,
    selling: IRON,
    buying: GOLD,
    amount: 120n,
    price: PRICE_UNIT / 4n,
  });
  return { sample, taker, maker };
}

test("the owner gets its price, the caller what is left, and the order's own fill comes last", () => {
  const { sample, taker, maker } = crossed();
  const before = [sample.balance(IRON, ANN), sample.balance(IRON, DAN)];
  assert.deepEqual(returned(crossfill(sample, taker, maker)), [30n, 120n, 60n]);
  const [annBefore = 0n, danBefore = 0n] = before;
  assert.equal(sample.balance(IRON, ANN) - annBefore, 60n);
  assert.equal(sample.balance(IRON, DAN) - danBefore, 60n);
  const pair = { selling: GOLD, buying: IRON };
  assert.deepEqual(sample.events, [
    {
      kind: "trade",
      ...pair,
      ...{ order: maker, taker: ANN, maker: BEN, sold: 30n, bought: 120n, left: 0n },
    },
    {
      kind: "trade",
      ...{ selling: IRON, buying: GOLD },
      ...{ order: taker, taker: DAN, maker: ANN, sold: 60n, bought: 30n, left: 70n },
    },
  ]);
});

test("an order sells no more than its owner can deliver", () => {
  const { sample, taker, maker } = crossed();
  sample.setAllowance(GOLD, ANN, 10n);
  assert.deepEqual(returned(crossfill(sample, taker, maker)), [10n, 40n, 20n]);
});

test("a fill that rounding makes too dear for the owner is refused without a trace", () => {
  const sample = new SampleExchange();
  const taker = sample.place(1, { amount: 1n, price: 2n * PRICE_UNIT });
  const third = { owner: BEN, selling: IRON, buying: GOLD, price: PRICE_UNIT / 3n };
  // One iron costs one gold, rounded up: half of what the owner asks for it.
  const [tiny, whole] = [sample.place(2, { ...third, amount: 1n }), sample.place(3, third)];
  assert.deepEqual(returned(crossfill(sample, taker, tiny)), [0n, 0n, 0n]);
  assert.deepEqual(sample.events, []);
  assert.deepEqual(returned(crossfill(sample, taker, tiny, whole)), [1n, 3n, 1n]);
});

test("an owner that cannot deliver or be paid is skipped, and nothing else happens", () => {
  for (const spoil of [
    (sample: SampleExchange) => sample.setAllowance(GOLD, ANN, 0n),
    (sample: SampleExchange) => sample.setHolding(IRON, ANN, 0n, false),
  ]) {
    const { sample, taker, maker } = crossed();
    spoil(sample);
    // Not even a caller that could not be paid matters then.
    sample.setHolding(IRON, DAN, 0n, false);
    assert.deepEqual(returned(crossfill(sample, taker, maker)), [0n, 0n, 0n]);
    assert.deepEqual(sample.events, [{ kind: "skip", id: taker }]);
  }
});

test("a maker that does not cover its fill is skipped", () => {
  const { sample, taker, maker } = crossed();
  sample.setHolding(IRON, BEN, 119n);
  assert.deepEqual(returned(crossfill(sample, taker, maker)), [0n, 0n, 0n]);
  assert.deepEqual(sample.events, [{ kind: "skip", id: maker }]);
});

test("an order unknown or expired, a caller that cannot be paid and a freeze fail the call", () => {
  const { sample, taker, maker } = crossed();
  assert.equal(failure(crossfill(sample, orderId(9n), maker)), "orderNotFound");
  const expired = sample.place(3, { expires: BigInt(NOW) });
  assert.equal(failure(crossfill(sample, expired, maker)), "orderNotFound");
  sample.setHolding(IRON, DAN, 0n, false);
  assert.equal(failure(crossfill(sample, taker)), "cannotReceive");
  sample.setHolding(IRON, EXCHANGE, 0n, false);
  sample.setAllowance(GOLD, ANN, 0n);
  assert.equal(failure(crossfill(sample, taker, maker)), "intermediaryCannotReceive");
  sample.freeze();
  assert.equal(failure(crossfill(sample, taker, maker)), "frozen");
});

test("payments come from the owner: one that fails fails the call with the token's code", () => {
  const { sample, taker, maker } = crossed();
  sample.setHolding(GOLD, ANN, 1_000n, false);
  assert.equal(failure(crossfill(sample, taker, maker)), 11);
  assert.equal(sample.balance(GOLD, CAT), 10n ** 15n);
});
