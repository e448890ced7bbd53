import assert from "node:assert/strict";
import { test } from "node:test";
import { testAccount, testContract, testOrder } from "../../../test/support/http/test-server.ts";
import type { Backing } from "../../model/backing.ts";
import type { Order } from "../../model/order.ts";
import { knownOrderJson, orderJson } from "./order-json.ts";

const backing: Backing = {
  owner: testAccount(1),
  asset: testContract(1),
  balance: 500n,
  allowance: 400n,
  liveUntil: 9,
  authorized: true,
  budget: 400n,
  pending: false,
};

function shown(order: Order, ...args: [{ backing: Backing; backed: bigint }?]) {
  return JSON.parse(orderJson(order, ...args));
}

test("a text stays with its order until what backs it changes", () => {
  const order = testOrder(1);
  assert.equal(knownOrderJson(order), undefined);
  const plain = orderJson(order);
  assert.equal(knownOrderJson(order), plain);
  assert.equal(knownOrderJson(order, { backing, backed: 7n }), undefined);
  assert.equal(shown(order, { backing, backed: 7n }).backed, "7");
  assert.equal(shown(order, { backing, backed: 8n }).backed, "8");
  const changed = { ...backing, balance: 300n };
  assert.equal(shown(order, { backing: changed, backed: 8n }).backing.balance, "300");
  assert.equal(orderJson(order), plain);
});

test("an order made from another has a text of its own", () => {
  const order = testOrder(1, { amount: 90n });
  assert.equal(shown(order).amount, "90");
  assert.equal(shown({ ...order, amount: 80n }).amount, "80");
  assert.equal(shown(order).amount, "90");
});
