// A store that an earlier version wrote is taken over as it is: its history, and what follows it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Exchange } from "../../src/book/exchange.ts";
import { OrderStatus } from "../../src/model/order.ts";
import { openPastStore } from "../../src/store/past-store.ts";
import { exchangeOptions } from "../support/exchange.ts";
import { nextLedger } from "../support/ledgers.ts";
import { ALL, listsOf, plain, putStore } from "./stored-by-version.ts";

// Of schema 2 before order events were kept: 30 random ledgers, written by that version.
test("a store from before order events goes on with its whole history", async () => {
  const clock = { now: 0 };
  const options = exchangeOptions(clock);
  const { last, closeTime, lists } = putStore(2, join(options.path, ".."));
  const { ledger } = last;
  clock.now = closeTime * 1000;
  assert.ok(lists.trades.length > 20 && lists.orders.length > 20 && lists.live.length > 0);
  await assert.rejects(openPastStore(join(options.path, "..")), /holds no order events/);

  let exchange = await Exchange.open(options);
  assert.equal(exchange.ledger, ledger);
  assert.deepEqual(listsOf(exchange), lists);
  assert.equal(exchange.orderEventsFrom, undefined);
  const [order] = exchange.liveOrders({ assets: [] }, ALL);
  assert.ok(order !== undefined && order.status === OrderStatus.active);
  const { id, price, expires } = order;
  const removed = { kind: "mod", id, price, amount: 0n, expires } as const;
  await exchange.apply(nextLedger(last, closeTime + 5, [removed]));
  await exchange.close();

  exchange = await Exchange.open(options);
  assert.equal(exchange.ledger, ledger + 1);
  assert.equal(exchange.orderEventsFrom, ledger + 1);
  assert.deepEqual(plain(exchange.trades({}, ALL)), lists.trades);
  const events = exchange.orderEvents({ order: id }, ALL);
  assert.deepEqual(
    events.map((event) => (event.type === "order" ? event.order.cursor : undefined)),
    [order.cursor],
  );
  await exchange.close();
});
