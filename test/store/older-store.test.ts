// A store that an earlier version wrote is taken over as it is: its history, and what follows it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Exchange } from "../../src/book/exchange.ts";
import { PastBook } from "../../src/book/past-book.ts";
import { type Address, canonicalPair } from "../../src/model/address.ts";
import { OrderStatus } from "../../src/model/order.ts";
import type { OrderEvent } from "../../src/model/order-event.ts";
import { openPastStore } from "../../src/store/past-store.ts";
import { BackedWorld } from "../support/backed-world.ts";
import { exchangeOptions } from "../support/exchange.ts";
import { nextLedger } from "../support/ledgers.ts";
import { randomFrom } from "../support/random-ledgers.ts";
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
  assert.equal(exchange.state.ledger, ledger);
  assert.deepEqual(listsOf(exchange), lists);
  assert.equal(exchange.state.orderEvents.completeFrom(), undefined);
  const [order] = exchange.state.history.liveOrders({ assets: [] }, ALL);
  assert.ok(order !== undefined && order.status === OrderStatus.active);
  const { id, price, expires } = order;
  const removed = { kind: "mod", id, price, amount: 0n, expires } as const;
  await exchange.apply(nextLedger(last, closeTime + 5, [removed]));
  await exchange.close();

  exchange = await Exchange.open(options);
  assert.equal(exchange.state.ledger, ledger + 1);
  assert.equal(exchange.state.orderEvents.completeFrom(), ledger + 1);
  assert.deepEqual(plain(exchange.state.history.trades({}, ALL)), lists.trades);
  const events = exchange.state.orderEvents.list({ order: id }, ALL);
  assert.deepEqual(
    events.map((event) => (event.type === "order" ? event.order.cursor : undefined)),
    [order.cursor],
  );
  await exchange.close();
});

// Of schema 2 with a row for every order event and index entry: 24 random ledgers with backing, by that version.
test("a store with a row for each order event lists, replays and continues them", async () => {
  const clock = { now: 0 };
  const options = exchangeOptions(clock);
  const dataDir = join(options.path, "..");
  const { last: stored, closeTime, lists } = putStore("single-order-events", dataDir);
  const { from, events, books } = lists;
  const { ledger } = stored;
  clock.now = closeTime * 1000;
  const random = randomFrom(9);
  const world = new BackedWorld(random);

  const listed = (exchange: Exchange, owner: Address) =>
    exchange.state.orderEvents.list({ owner }, ALL).map((event) => {
      const { beginsStep: _beginsStep, ...rest } = event;
      if (rest.type === "budget") return rest;
      const { wasLive: _wasLive, before, cause, ...others } = rest;
      return { ...others, cause, ...(cause === "update" && before && { before }) };
    });
  const oldOnes = (owner: string) =>
    events[owner].map(({ before, ...event }: { before?: Row; type: string; cause?: string }) => {
      if (event.type === "budget") return { ...event, ...(before !== undefined && { before }) };
      const { price, amount, expires } = before ?? {};
      return { ...event, ...(event.cause === "update" && { before: { price, amount, expires } }) };
    });
  const withoutUpdated = (event: unknown) => {
    const { before, ...rest } = plain(event) as { before?: Row };
    if (typeof before !== "object") return { ...rest, ...(before !== undefined && { before }) };
    const { updated: _updated, ...terms } = before;
    return { ...rest, before: terms };
  };

  const exchange = await Exchange.open({ ...options, backing: world.records() });
  assert.equal(exchange.state.orderEvents.completeFrom(), from);
  const owners = Object.keys(events) as Address[];
  for (const owner of owners) {
    assert.deepEqual(listed(exchange, owner).map(withoutUpdated), oldOnes(owner));
  }
  // What follows is of the new form, in the same lists; every page is read through.
  let last = stored;
  for (let at = 1; at <= 8; at += 1) {
    const open = exchange.state.history.liveOrders({ assets: [] }, ALL);
    const order = open[at % open.length];
    assert.ok(order !== undefined);
    const { id, price, expires } = order;
    const mod = { kind: "mod", id, price, amount: at === 8 ? 0n : BigInt(at), expires } as const;
    const delta = nextLedger(last, closeTime + 5 * at, [mod]);
    await exchange.apply(delta);
    last = delta;
  }
  for (const owner of owners) {
    const all = exchange.state.orderEvents.list({ owner }, ALL);
    const old = all.filter((event) => event.ledger <= ledger);
    assert.equal(old.length, events[owner].length);
    const paged: OrderEvent[] = [];
    for (;;) {
      const before = paged.at(-1)?.id;
      const page = exchange.state.orderEvents.list(
        { owner },
        { limit: 3, ...(before && { before }) },
      );
      paged.push(...page);
      if (page.length < 3) break;
    }
    assert.deepEqual(paged, all);
  }
  await exchange.close();

  const store = await openPastStore(dataDir);
  for (const [at, shown] of Object.entries<Row[]>(books)) {
    for (const order of shown.slice(0, 2)) {
      const market = canonicalPair(order.selling as Address, order.buying as Address);
      const past = new PastBook(store, market, Number(at));
      const told = past.liveOrders({ assets: [] }, ALL).map((one) => {
        const { id, selling, buying, price, amount, expires, cursor } = one;
        const { backed } = past.orderBacking(one) ?? {};
        return plain({ id, selling, buying, price, amount, expires, cursor, backed });
      });
      const isOf = ({ selling, buying }: Row) =>
        [market.base, market.quote].every((asset) => asset === selling || asset === buying);
      assert.deepEqual(told, shown.filter(isOf), `ledger ${at}`);
    }
  }
  await store.close();
});

// biome-ignore lint/suspicious/noExplicitAny: JSON as an earlier version recorded it.
type Row = any;
