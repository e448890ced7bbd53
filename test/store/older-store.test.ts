// A store that an earlier version wrote is taken over as it is: its history, and what follows it.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { Exchange } from "../../src/book/exchange.ts";
import { OrderStatus } from "../../src/model/order.ts";
import { openPastStore } from "../../src/store/past-store.ts";
import { exchangeOptions } from "../support/exchange.ts";
import { nextLedger } from "../support/ledgers.ts";

const FIXTURES = new URL("../../../test/fixtures/store/", import.meta.url);
const ALL = { limit: 100_000 };

function fixture(name: string): Buffer {
  return gunzipSync(readFileSync(new URL(name, FIXTURES)));
}

/** Bigints as texts, as the recorded lists have them. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, member: unknown) =>
      typeof member === "bigint" ? String(member) : member,
    ),
  );
}

function listsOf(exchange: Exchange) {
  return plain({
    trades: exchange.trades({}, ALL),
    orders: exchange.orderHistory({}, ALL),
    failures: exchange.failures({}, ALL),
    live: exchange.liveOrders({ assets: [] }, ALL),
  });
}

// Of schema 2 before order events were kept: 30 random ledgers, written by that version.
test("a store from before order events goes on with its whole history", async () => {
  const { ledger, closeTime, hash, ...lists } = JSON.parse(String(fixture("schema-2.json.gz")));
  assert.ok(lists.trades.length > 20 && lists.orders.length > 20 && lists.live.length > 0);
  const clock = { now: closeTime * 1000 };
  const options = exchangeOptions(clock);
  mkdirSync(options.path);
  writeFileSync(join(options.path, "data.mdb"), fixture("schema-2.mdb.gz"));
  await assert.rejects(openPastStore(join(options.path, "..")), /holds no order events/);

  let exchange = await Exchange.open(options);
  assert.equal(exchange.ledger, ledger);
  assert.deepEqual(listsOf(exchange), lists);
  assert.equal(exchange.orderEventsFrom, undefined);
  const [order] = exchange.liveOrders({ assets: [] }, ALL);
  assert.ok(order !== undefined && order.status === OrderStatus.active);
  const { id, price, expires } = order;
  const removed = { kind: "mod", id, price, amount: 0n, expires } as const;
  await exchange.apply(nextLedger({ ledger, hash }, closeTime + 5, [removed]));
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
