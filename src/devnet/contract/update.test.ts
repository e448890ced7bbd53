import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ANN,
  BEN,
  failure,
  GOLD,
  IRON,
  LEDGER,
  NOW,
  returned,
  SampleExchange,
} from "../../../test/support/devnet/sample-exchange.ts";
import { compareAddresses } from "../../model/address.ts";
import { type OrderId, orderId } from "../../model/order.ts";
import { I128_MAX, PRICE_UNIT } from "../../model/settlement.ts";
import { type OrderUpdate, updateParameters } from "./call.ts";
import type { CallOutcome } from "./host.ts";

function change(id: OrderId, terms: Partial<OrderUpdate> = {}): OrderUpdate {
  return { id, amount: 50n, price: 2n * PRICE_UNIT, expires: 0n, ...terms };
}

function update(sample: SampleExchange, ...updates: readonly OrderUpdate[]): CallOutcome {
  return sample.call(
    ANN,
    "update",
    updateParameters.write({ trader: ANN, updates, approvals: [] }),
  );
}

test("amount, price and expiration change together, and the ids come back", () => {
  const sample = new SampleExchange();
  const id = sample.place(1);
  const terms = { amount: 7n, price: 3n * PRICE_UNIT, expires: BigInt(NOW + 1) };
  assert.deepEqual(returned(update(sample, change(id, terms))), [id]);
  assert.deepEqual(sample.events, [{ kind: "mod", id, ...terms }]);
  const { amount, price, expires, owner } = sample.order(id) ?? {};
  assert.deepEqual({ amount, price, expires, owner }, { ...terms, owner: ANN });
});

test("amount 0 removes, and tells the price and expiration the order had", () => {
  const sample = new SampleExchange();
  const id = sample.place(1, { expires: 5n });
  update(sample, change(id, { amount: 0n, price: 0n, expires: 1n }));
  assert.deepEqual(sample.events, [
    { kind: "mod", id, price: PRICE_UNIT, amount: 0n, expires: 5n },
  ]);
  assert.equal(sample.order(id), undefined);
});

test("an expired order is revived by a new expiration", () => {
  const sample = new SampleExchange();
  const id = sample.place(1, { expires: BigInt(NOW) });
  const stale = update(sample, change(id, { expires: BigInt(NOW) }));
  assert.equal(failure(stale), "invalidExpiration");
  assert.deepEqual(returned(update(sample, change(id, { expires: BigInt(NOW + 1) }))), [id]);
  assert.deepEqual(returned(sample.trade([id])), [100n, 50n, undefined]);
});

test("one order that cannot be changed fails all of them", () => {
  const sample = new SampleExchange();
  const [own, foreign] = [sample.place(1), sample.place(2, { owner: BEN })];
  assert.equal(failure(update(sample, change(own), change(foreign))), "notAuthorized");
  assert.equal(sample.order(own)?.amount, 100n);
});

test("unknown orders are passed over, and one named twice is changed once", () => {
  const sample = new SampleExchange();
  const id = sample.place(1);
  const unknown = change(orderId(9n), { price: 0n });
  const twice = update(sample, change(id, { amount: 5n }), unknown, change(id, { amount: -6n }));
  assert.deepEqual(returned(twice), [id]);
  assert.equal(sample.order(id)?.amount, 5n);
  assert.equal(sample.events.length, 1);
});

test("the owner's means must suffice for all that was changed of an asset", () => {
  const sample = new SampleExchange();
  const iron = { selling: IRON, buying: GOLD };
  const ids = [sample.place(1), sample.place(2), sample.place(3, iron)];
  const changes = ids.map((id) => change(id));
  sample.setHolding(GOLD, ANN, 100n);
  assert.equal(failure(update(sample, ...changes)), undefined);
  sample.setAllowance(GOLD, ANN, 99n);
  assert.equal(failure(update(sample, ...changes)), "insufficientAllowance");
  sample.setHolding(GOLD, ANN, 99n);
  assert.equal(failure(update(sample, ...changes)), "insufficientBalance");
  // In the order of the assets' addresses, whatever the orders'.
  sample.setHolding(GOLD, ANN, 100n);
  sample.setHolding(IRON, ANN, 0n);
  const first = compareAddresses(GOLD, IRON) < 0 ? "insufficientAllowance" : "insufficientBalance";
  assert.equal(failure(update(sample, ...changes)), first);
  assert.equal(failure(update(sample, ...changes.toReversed())), first);
  // What is removed asks for nothing.
  assert.equal(failure(update(sample, ...ids.map((id) => change(id, { amount: 0n })))), undefined);
});

test("an order that buys more than an i128 is refused", () => {
  const sample = new SampleExchange();
  const id = sample.place(1);
  const dear = change(id, { amount: I128_MAX, price: 2n * PRICE_UNIT });
  assert.equal(failure(update(sample, dear)), "overflow");
});

test("what would be worth less than one unit, is not held or not granted is refused", () => {
  const sample = new SampleExchange();
  const id = sample.place(1);
  const dust = change(id, { amount: 1n, price: PRICE_UNIT - 1n });
  assert.equal(failure(update(sample, dust)), "orderSizeTooSmall");
  assert.equal(failure(update(sample, change(id, { price: 0n }))), "invalidPrice");
  assert.equal(failure(update(sample, change(id, { amount: -1n }))), "invalidAmount");
  sample.setAllowance(GOLD, ANN, 49n);
  assert.equal(failure(update(sample, change(id))), "insufficientAllowance");
  sample.setHolding(GOLD, ANN, 49n);
  assert.equal(failure(update(sample, change(id))), "insufficientBalance");
  sample.setHolding(IRON, ANN, 0n, false);
  assert.equal(failure(update(sample, change(id))), "cannotReceive");
  sample.world.markets.clear();
  assert.equal(failure(update(sample, change(id))), "assetsNotVerifiedByOracle");
  assert.equal(failure(update(sample, dust)), "orderSizeTooSmall");
});

test("approvals come first and make an update possible", () => {
  const sample = new SampleExchange();
  const id = sample.place(1);
  sample.setAllowance(GOLD, ANN, 0n);
  const approvals = [{ asset: GOLD, amount: 50n, liveUntil: LEDGER }];
  const args = updateParameters.write({ trader: ANN, updates: [change(id)], approvals });
  assert.deepEqual(returned(sample.call(ANN, "update", args)), [id]);
  assert.deepEqual(returned(sample.trade([id])), [100n, 50n, undefined]);
});

test("while frozen orders can be removed and nothing else", () => {
  const sample = new SampleExchange();
  const [one, other] = [sample.place(1), sample.place(2)];
  sample.freeze();
  assert.equal(failure(update(sample, change(one, { amount: -1n, price: 0n }))), "frozen");
  assert.deepEqual(returned(update(sample, change(other, { amount: 0n }))), [other]);
});
