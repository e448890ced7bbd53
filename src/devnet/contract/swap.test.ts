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
  returned,
  SALT,
  SampleExchange,
} from "../../../test/support/devnet/sample-exchange.ts";
import { type OrderId, orderId } from "../../model/order.ts";
import { PRICE_UNIT } from "../../model/settlement.ts";
import { Direction, type SwapCall, swapParameters } from "./call.ts";
import type { CallOutcome } from "./host.ts";

/** DAN swaps iron to gold to salt, unless `call` says otherwise. */
function swap(
  sample: SampleExchange,
  hops: readonly (readonly OrderId[])[],
  call: Partial<SwapCall> = {},
): CallOutcome {
  const assets = [GOLD, SALT];
  const path = hops.map((orders, at) => ({ asset: assets[at] ?? SALT, orders }));
  const usual = { direction: Direction.sell, trader: DAN, selling: IRON };
  const amounts = { sellingAmount: 100n, buyingAmount: 1n };
  return sample.call(DAN, "swap", swapParameters.write({ ...usual, ...amounts, path, ...call }));
}

function twoHops(): { sample: SampleExchange; first: OrderId; second: OrderId } {
  const sample = new SampleExchange();
  const first = sample.place(1, { price: 2n * PRICE_UNIT });
  const salt = { owner: BEN, selling: SALT, buying: GOLD };
  const second = sample.place(2, { ...salt, price: 3n * PRICE_UNIT });
  return { sample, first, second };
}

test("a sale pays what its output needs, less than the input where that buys nothing more", () => {
  const { sample, first, second } = twoHops();
  // 100 iron buy 50 gold, which buy 16 salt; those cost 48 gold, and these 96 iron.
  assert.deepEqual(returned(swap(sample, [[first], [second]])), [96n, 16n]);
  const [one, other, last] = sample.events;
  assert(one?.kind === "trade" && one.taker === DAN && one.sold === 96n && one.bought === 48n);
  assert(other?.kind === "trade" && other.taker === EXCHANGE && other.sold === 48n);
  assert.deepEqual(last, {
    kind: "swap",
    ...{ selling: IRON, buying: SALT, trader: DAN, sold: 96n, bought: 16n },
  });
  assert.equal(sample.balance(GOLD, EXCHANGE), 0n);
});

test("a purchase delivers exactly its output for at most the input given", () => {
  const { sample, first, second } = twoHops();
  const buy = { direction: Direction.buy, buyingAmount: 5n };
  const cheap = swap(sample, [[first], [second]], { ...buy, sellingAmount: 29n });
  assert.equal(failure(cheap), "notFilled");
  const enough = swap(sample, [[first], [second]], { ...buy, sellingAmount: 30n });
  assert.deepEqual(returned(enough), [30n, 5n]);
});

test("input left over that would still buy something fails the swap", () => {
  const { sample, first, second } = twoHops();
  const beyond = swap(sample, [[first], [second]], { sellingAmount: 202n });
  assert.equal(failure(beyond), "notFilled");
  assert.equal(failure(swap(sample, [[first], []])), "notFilled");
  const dear = swap(sample, [[first], [second]], { buyingAmount: 17n });
  assert.equal(failure(dear), "notFilled");
});

test("orders of other pairs do not help, unbacked ones are skipped and reported after their hop", () => {
  const { sample, first, second } = twoHops();
  const unbacked = sample.place(3, { owner: CAT });
  sample.setAllowance(GOLD, CAT, 47n);
  const backed = swap(sample, [[unbacked, second, orderId(9n), first], [second]]);
  assert.deepEqual(returned(backed), [96n, 16n]);
  assert.deepEqual(
    sample.events.map(({ kind }) => kind),
    ["trade", "skip", "trade", "swap"],
  );
});

test("a maker too small for the forward plan can still serve the one that executes", () => {
  const { sample, first, second } = twoHops();
  const small = sample.place(3, { owner: CAT });
  sample.setAllowance(GOLD, CAT, 60n);
  assert.deepEqual(returned(swap(sample, [[small, first], [second]])), [48n, 16n]);
});

test("a swap is strict: what cannot be collected, paid or handed out fails it", () => {
  const { sample, first, second } = twoHops();
  const path = [[first], [second]];
  sample.setHolding(SALT, DAN, 0n, false);
  assert.equal(failure(swap(sample, path)), 11);
  sample.setHolding(SALT, BEN, 1_000n, false);
  assert.equal(failure(swap(sample, path)), 11);
  sample.setHolding(IRON, DAN, 95n);
  assert.equal(failure(swap(sample, path)), 10);
  sample.setHolding(GOLD, EXCHANGE, 0n, false);
  assert.equal(failure(swap(sample, path)), "intermediaryCannotReceive");
});

test("a path may come back to an asset, and a maker serve it twice", () => {
  const sample = new SampleExchange();
  const out = sample.place(1);
  const back = sample.place(2, { owner: BEN, selling: IRON, buying: GOLD });
  const path = [out, back, out].map((id, at) => ({
    asset: at === 1 ? IRON : GOLD,
    orders: [id],
  }));
  assert.deepEqual(returned(swap(sample, [], { path, sellingAmount: 40n })), [40n, 40n]);
  assert.equal(sample.order(out)?.amount, 20n);
  assert.equal(sample.order(back)?.amount, 60n);
});

test("an order that two hops need more of than it has settles otherwise than planned", () => {
  const sample = new SampleExchange();
  const out = sample.place(1);
  const back = sample.place(2, { owner: BEN, selling: IRON, buying: GOLD });
  const path = [out, back, out].map((id, at) => ({
    asset: at === 1 ? IRON : GOLD,
    orders: [id],
  }));
  const swapped = (sellingAmount: bigint) => failure(swap(sample, [], { path, sellingAmount }));
  assert.equal(swapped(60n), "notFilled");
  // All of it in the first hop: it is gone by the third.
  assert.equal(swapped(100n), "notFilled");
  assert.equal(sample.order(out)?.amount, 100n);
});

test("a maker that two hops need more of than it may spend fails with its token's code", () => {
  const sample = new SampleExchange();
  const [out, again] = [sample.place(1), sample.place(3)];
  const back = sample.place(2, { owner: BEN, selling: IRON, buying: GOLD });
  const path = [out, back, again].map((id, at) => ({
    asset: at === 1 ? IRON : GOLD,
    orders: [id],
  }));
  sample.setAllowance(GOLD, ANN, 50n);
  assert.equal(failure(swap(sample, [], { path, sellingAmount: 30n })), 9);
});

test("an empty path and amounts of nothing are no match; a pair of one asset is not filled", () => {
  const { sample, first, second } = twoHops();
  assert.equal(failure(swap(sample, [])), "invalidMatch");
  const same = [{ asset: IRON, orders: [first] }];
  assert.equal(failure(swap(sample, [], { path: same })), "notFilled");
  assert.equal(failure(swap(sample, [[first], [second]], { sellingAmount: 0n })), "invalidMatch");
  assert.equal(failure(swap(sample, [[first], [second]], { buyingAmount: 0n })), "invalidMatch");
  sample.setHolding(SALT, EXCHANGE, 0n, false);
  const unplanned = swap(sample, [[], [second]]);
  assert.equal(failure(unplanned), "intermediaryCannotReceive");
  const approve = { asset: SALT, amount: -1n, liveUntil: 0 };
  assert.equal(failure(swap(sample, [[], []], { approve })), 8);
  sample.freeze();
  assert.equal(failure(swap(sample, [[first], [second]])), "frozen");
});
