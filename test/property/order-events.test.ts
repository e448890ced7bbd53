// The events that are kept reproduce the live book after every ledger, whatever the batches and restarts.
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { Exchange } from "../../src/book/exchange.ts";
import { PastBook } from "../../src/book/past-book.ts";
import { canonicalPair, marketKey, type Pair } from "../../src/model/address.ts";
import type { LedgerDelta } from "../../src/model/ledger-delta.ts";
import type { Order } from "../../src/model/order.ts";
import type { EventOrder, OrderEvent, OrderEventFilter } from "../../src/model/order-event.ts";
import type { Position } from "../../src/model/position.ts";
import { openPastStore } from "../../src/store/past-store.ts";
import { setAside } from "../../src/store/set-aside.ts";
import { StoreReader } from "../../src/store/store-reader.ts";
import { META_ORDER_EVENTS_PENDING, openRoot, openTable } from "../../src/store/tables.ts";
import { exchangeOptions } from "../support/exchange.ts";
import { CHAIN_START, randomFrom, randomLedgers } from "../support/random-ledgers.ts";
import { runs } from "../support/runs.ts";

const LEDGERS = 24;
const PAGE = 7;

type OrderEventOnly = Extract<OrderEvent, { readonly type: "order" }>;

/** All events of a filter, page by page. */
function eventsOf(exchange: Exchange, market: Pair): readonly OrderEventOnly[] {
  const events: OrderEventOnly[] = [];
  let before: Position | undefined;
  for (;;) {
    const page = before === undefined ? { limit: PAGE } : { before, limit: PAGE };
    const rows = exchange.state.orderEvents.list({ market: [market.base, market.quote] }, page);
    for (const row of rows) if (row.type === "order") events.push(row);
    before = rows.at(-1)?.id;
    if (rows.length < PAGE) return events.reverse();
  }
}

/** Every order, owner and market that ledgers name, and some that they do not. */
function filtersOf(ledgers: readonly LedgerDelta[]): readonly OrderEventFilter[] {
  const filters = new Map<string, OrderEventFilter>();
  for (const event of ledgers.flatMap(({ events }) => events)) {
    if (event.kind !== "new") continue;
    const { id, owner, selling, buying } = event;
    filters.set(`order ${id}`, { order: id });
    filters.set(owner, { owner });
    filters.set(`${selling} ${buying}`, { market: [selling, buying] });
    filters.set(`${owner} ${buying}`, { market: [owner, buying] });
  }
  return [...filters.values()];
}

function pagesOf(exchange: Exchange, filter: OrderEventFilter): readonly OrderEvent[] {
  const events: OrderEvent[] = [];
  for (;;) {
    const before = events.at(-1)?.id;
    const page = { limit: PAGE, ...(before !== undefined && { before }) };
    const rows = exchange.state.orderEvents.list(filter, page);
    events.push(...rows);
    if (rows.length < PAGE) return events;
  }
}

function isOf(event: OrderEvent, filter: OrderEventFilter): boolean {
  if (event.type === "budget") return "owner" in filter && event.owner === filter.owner;
  const { id, owner, selling, buying } = event.order;
  if ("order" in filter) return id === filter.order;
  if ("owner" in filter) return owner === filter.owner;
  return [selling, buying].sort().join() === [...filter.market].sort().join();
}

async function withoutPending(path: string): Promise<void> {
  const root = openRoot(path, { readOnly: false });
  await openTable(root, "meta").remove(META_ORDER_EVENTS_PENDING);
  await root.close();
}

function bookFrom(events: readonly OrderEventOnly[]): readonly EventOrder[] {
  const live = new Map<Position, EventOrder>();
  for (const { order, isLive } of events) {
    if (isLive) live.set(order.cursor, order);
    else live.delete(order.cursor);
  }
  return [...live.values()].sort((one, other) => (one.cursor < other.cursor ? -1 : 1));
}

function termsOf({
  id,
  owner,
  selling,
  buying,
  price,
  amount,
  expires,
  cursor,
}: EventOrder | Order) {
  return { id, owner, selling, buying, price, amount, expires, cursor };
}

test("the events reproduce the live book after every ledger", async () => {
  const moves = fc.array(
    fc.record({
      count: fc.integer({ min: 1, max: 5 }),
      seconds: fc.integer({ min: -60, max: 250 }),
      restarts: fc.boolean(),
    }),
    { minLength: 3, maxLength: 10 },
  );
  await fc.assert(
    fc.asyncProperty(fc.integer(), moves, async (seed, steps) => {
      const ledgers = randomLedgers(randomFrom(seed), LEDGERS, 12);
      const clock = { now: CHAIN_START * 1000 };
      const options = exchangeOptions(clock);
      let exchange = await Exchange.open(options);
      let applied = 0;
      const markets = new Map<string, Pair>();
      for (const { count, seconds, restarts } of steps) {
        const next = ledgers.slice(applied, applied + count);
        applied += next.length;
        await Promise.all(next.map((delta) => exchange.apply(delta)));
        clock.now = (CHAIN_START + seconds) * 1000 + 999;
        await exchange.tick();
        if (restarts) {
          await exchange.close();
          exchange = await Exchange.open(options);
        }
        assert.ok(exchange.state.orderEvents.completeFrom() !== undefined);
        for (const delta of ledgers.slice(0, applied)) {
          for (const event of delta.events) {
            if (event.kind !== "new") continue;
            const pair = canonicalPair(event.selling, event.buying);
            markets.set(pair.base + pair.quote, pair);
          }
        }
        for (const market of markets.values()) {
          const events = eventsOf(exchange, market);
          const assets = [market.base, market.quote];
          const live = exchange.state.history.liveOrders({ assets }, { limit: 1000 });
          assert.deepEqual(bookFrom(events).map(termsOf), live.map(termsOf));
          for (const { order } of live.map((one) => ({ order: one }))) {
            const byId = exchange.state.orderEvents.list({ order: order.id }, { limit: 500 });
            assert.ok(
              byId.some((row) => row.type === "order" && row.order.cursor === order.cursor),
            );
          }
        }
      }
      await exchange.close();
    }),
    { numRuns: runs(2) },
  );
});

test("without them none are kept, and those of a time are dropped with their entries", async () => {
  const ledgers = randomLedgers(randomFrom(5), LEDGERS, 12);
  const clock = { now: CHAIN_START * 1000 };
  const options = exchangeOptions(clock);
  const openFor = (keepOrderEvents: number) =>
    Exchange.open({ ...options, store: { keepOrderEvents } });
  let exchange = await openFor(0);
  const [first, second] = [ledgers.slice(0, 6), ledgers.slice(6, 12)];
  for (const delta of first) await exchange.apply(delta);
  const [owner] = first.flatMap(({ events }) =>
    events.flatMap((e) => (e.kind === "new" ? [e.owner] : [])),
  );
  assert.ok(owner !== undefined);
  assert.equal(exchange.state.orderEvents.completeFrom(), undefined);
  assert.deepEqual(exchange.state.orderEvents.list({ owner }, { limit: 500 }), []);
  await exchange.close();

  // A store of a time without them gets them from its next ledger on.
  exchange = await openFor(Number.POSITIVE_INFINITY);
  for (const delta of second) await exchange.apply(delta);
  const from = exchange.state.orderEvents.completeFrom() ?? 0;
  assert.ok(from >= (second[0]?.ledger ?? 0));
  await exchange.close();

  exchange = await openFor(1);
  const later = ledgers.slice(12);
  for (const delta of later) await exchange.apply(delta);
  assert.ok((exchange.state.orderEvents.completeFrom() ?? 0) > from);
  const owners = new Set(
    ledgers.flatMap(({ events }) => events.flatMap((e) => (e.kind === "new" ? [e.owner] : []))),
  );
  const kept = [...owners].flatMap((one) =>
    exchange.state.orderEvents.list({ owner: one }, { limit: 500 }),
  );
  for (const { ledger } of kept)
    assert.ok(ledger >= (exchange.state.orderEvents.completeFrom() ?? 0));
  await exchange.close();
});

test("lists by order, owner and market have every event once, in the index or not, across restarts", async () => {
  const count = fc.integer({ min: 1, max: 7 });
  const pending = fc.constantFrom(0, 0, 1, 9, 50, 8192);
  const moves = fc.array(fc.tuple(count, pending), { minLength: 2, maxLength: 5 });
  const kept = fc.constantFrom(Number.POSITIVE_INFINITY, 30, 8);
  await fc.assert(
    fc.asyncProperty(fc.integer(), moves, kept, async (seed, runsOf, keepOrderEvents) => {
      const ledgers = randomLedgers(randomFrom(seed), LEDGERS, 12);
      const clock = { now: CHAIN_START * 1000 };
      const options = exchangeOptions(clock);
      let applied = 0;
      let allStored = true;
      let filters: readonly OrderEventFilter[] = [];
      let expected: readonly (readonly OrderEvent[])[] = [];
      let rows: readonly OrderEvent[] = [];
      for (const [more, pendingOrderEvents] of runsOf) {
        const store = { keepOrderEvents, pendingOrderEvents };
        const exchange = await Exchange.open({ ...options, store });
        const lists = () => filters.map((filter) => pagesOf(exchange, filter));
        assert.deepEqual(lists(), expected, "after a restart");
        const next = ledgers.slice(applied, applied + more);
        applied += next.length;
        await Promise.all(next.map((delta) => exchange.apply(delta)));
        filters = filtersOf(ledgers.slice(0, applied));
        const shown = lists();
        await exchange.close();
        const past = await StoreReader.open(options.path);
        rows = past.orderEvents.from(0n as Position, 10_000).toReversed();
        await past.close();
        expected = filters.map((filter) => rows.filter((row) => isOf(row, filter)));
        assert.deepEqual(shown, expected);
        allStored &&= pendingOrderEvents === 0;
        // As versions wrote it that knew of no events that wait.
        if (allStored) await withoutPending(options.path);
      }
      const probed = await openPastStore(dirname(options.path));
      assert.deepEqual(probed.orderEvents.from(0n as Position, 10_000).toReversed(), rows);
      await probed.close();
    }),
    { numRuns: runs(4) },
  );
});

// Where rows of before the gap are still there, nothing may be read from them across it.
test("what a run without order events missed is in no list's complete part and in no past book", async () => {
  // So many that the run without them does not drop all of those before it.
  const ledgers = randomLedgers(randomFrom(8), 16, 300);
  const clock = { now: CHAIN_START * 1000 };
  const options = exchangeOptions(clock);
  const shown = new Map<number, readonly Order[]>();
  let exchange = await Exchange.open(options);
  const apply = async (deltas: readonly LedgerDelta[]) => {
    for (const delta of deltas) {
      await exchange.apply(delta);
      shown.set(delta.ledger, exchange.state.history.liveOrders({ assets: [] }, { limit: 1000 }));
    }
  };
  const reopen = async (keepOrderEvents: number) => {
    await exchange.close();
    exchange = await Exchange.open({ ...options, store: { keepOrderEvents } });
  };
  await apply(ledgers.slice(0, 8));
  const [first] = ledgers;
  assert.equal(exchange.state.orderEvents.completeFrom(), first?.ledger);
  await reopen(0);
  await apply(ledgers.slice(8, 11));
  assert.equal(exchange.state.orderEvents.completeFrom(), undefined);
  await reopen(Number.POSITIVE_INFINITY);
  assert.equal(exchange.state.orderEvents.completeFrom(), undefined, "until a ledger brings some");
  await apply(ledgers.slice(11));
  const from = ledgers[11]?.ledger ?? 0;
  assert.equal(exchange.state.orderEvents.completeFrom(), from);
  await exchange.close();

  const store = await openPastStore(dirname(options.path));
  const [oldest] = store.orderEvents.from(0n as Position, 1);
  assert.ok(oldest !== undefined && oldest.ledger < from);
  for (const [ledger, orders] of shown) {
    if (ledger < from - 1) continue;
    for (const { selling, buying } of orders) {
      const market = canonicalPair(selling, buying);
      const isOf = (order: Order) =>
        marketKey(canonicalPair(order.selling, order.buying)) === marketKey(market);
      const past = new PastBook(store, market, ledger).liveOrders({ assets: [] }, { limit: 1000 });
      assert.deepEqual(past, orders.filter(isOf), `the book after ${ledger}`);
    }
  }
  await store.close();
});

test("a history that began anew is complete from its own first ledger on", async () => {
  const clock = { now: CHAIN_START * 1000 };
  const options = exchangeOptions(clock);
  const [old, again] = [3, 4].map((seed) => randomLedgers(randomFrom(seed), 6, 12));
  assert.ok(old !== undefined && again !== undefined);
  let exchange = await Exchange.open(options);
  for (const delta of old) await exchange.apply(delta);
  await exchange.close();
  await setAside(options.path, () => clock.now);
  exchange = await Exchange.open(options);
  assert.equal(exchange.state.orderEvents.completeFrom(), undefined);
  for (const delta of again.slice(2)) await exchange.apply(delta);
  assert.equal(exchange.state.orderEvents.completeFrom(), again[2]?.ledger);
  await exchange.close();
});
