// The hash tables of the shared book as they grow from little to more than they began with.
import assert from "node:assert/strict";
import { test } from "node:test";
import { account, token } from "../../test/support/addresses.ts";
import { eventPosition } from "../../test/support/ledgers.ts";
import { randomFrom } from "../../test/support/random-ledgers.ts";
import { type Order, orderId } from "../model/order.ts";
import { SharedBook } from "./left-right.ts";
import { capacityFor, NONE } from "./shared-layout.ts";
import { findOrder, findOwner } from "./shared-lookup.ts";

const ORDERS = 12_000;
const STATE = { ledger: 1, closeTime: 1, frozen: false };

function order(at: number): Order {
  return {
    ...{ id: orderId((BigInt(at) * 0x9e3779b97f4a7c15n) & ((1n << 128n) - 1n)), status: "ACTIVE" },
    ...{
      owner: account(at % 3000),
      selling: token(at % 7),
      buying: token(7),
      price: 1n + BigInt(at),
    },
    ...{ quote: 1n, amount: 1n, expires: 0, created: 1, updated: 1 },
    cursor: eventPosition(1, at),
  };
}

test("every order and maker is found while the tables grow, and none that is gone", async () => {
  const book = new SharedBook({
    contract: token(100),
    untracked: "covers",
    capacity: capacityFor(20_000),
    touchOrders: 0,
  });
  const orders = Array.from({ length: ORDERS }, (_, at) => order(at));
  const live = new Map<bigint, Order>();
  const random = randomFrom(11);
  for (let from = 0; from < ORDERS; from += 1000) {
    const portion = orders.slice(from, from + 1000);
    const gone = [...live.values()].filter(() => random(10) === 0);
    await book.ready();
    book.apply(
      [
        ...gone.map(({ id }) => ({ kind: "remove", id }) as const),
        ...portion.map((put) => ({ kind: "put", order: put }) as const),
      ],
      STATE,
    );
    for (const { id } of gone) live.delete(id);
    for (const put of portion) live.set(put.id, put);
    for (const { id, owner } of orders) {
      assert.equal(findOrder(book.live, id) !== NONE, live.has(id), `${id}`);
      if (live.has(id)) assert.notEqual(findOwner(book.live, owner), NONE);
    }
  }
  await book.ready();
  const [one, other] = book.buffers.copies.map((copy) => Buffer.from(copy));
  assert.ok(one !== undefined && other !== undefined && one.equals(other), "the copies agree");
});
