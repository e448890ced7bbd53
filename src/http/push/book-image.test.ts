// What makers and subscribers can make a book's image do at most.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { MemoryReadModel } from "../../../test/support/http/memory-read-model.ts";
import { SharesReadModel } from "../../../test/support/http/shares-read-model.ts";
import { testAccount, testContract, testOrder } from "../../../test/support/http/test-server.ts";
import { runs } from "../../../test/support/runs.ts";
import { canonicalPair } from "../../model/address.ts";
import { type Order, type OrderId, OrderStatus } from "../../model/order.ts";
import { lesser } from "../../model/settlement.ts";
import {
  type BackingEvent,
  BookImage,
  type BookRowChange,
  LOOKED,
  type Looked,
  type OrderDomainEvent,
} from "./book-image.ts";

const MARKET = canonicalPair(testContract(1), testContract(2));

function update(order: Order, more: Partial<Order> = {}): OrderDomainEvent {
  return { kind: "order", action: "update", order: { ...order, ...more } };
}

function changesOf(changes: Iterable<BookRowChange | Looked>): readonly BookRowChange[] {
  return [...changes].filter((change) => change !== LOOKED);
}

/** A read model that counts what is asked of it. */
class CountingReadModel extends MemoryReadModel {
  pages = 0;
  shares = 0;

  override liveOrders(...args: Parameters<MemoryReadModel["liveOrders"]>) {
    this.pages += 1;
    return super.liveOrders(...args);
  }

  override orderBacking(...args: Parameters<MemoryReadModel["orderBacking"]>) {
    this.shares += 1;
    return super.orderBacking(...args);
  }
}

test("thousands of updates of an order in a step are told once, with one look at what backs it", async () => {
  const readModel = new CountingReadModel();
  const [one, other] = [testOrder(1), testOrder(2)];
  readModel.live = [one, other];
  const image = new BookImage(readModel, MARKET);
  await image.filled(() => true);
  readModel.shares = 0;
  const updates = Array.from({ length: 5000 }, (_, at) => update(one, { amount: BigInt(at + 1) }));
  const fill = {
    sold: 1n,
    bought: 1n,
    taker: one.owner,
    trade: one.cursor,
    ts: 1,
    crossfill: false,
  };
  const filled: OrderDomainEvent = { kind: "order", action: "fill", order: one, fill };
  const changes = changesOf(image.stepped([...updates, filled, update(other), ...updates], []));
  // Each fill is told, and of the updates before and after it the last.
  assert.deepEqual(
    changes.map(({ cause, id, order }) => [cause, id, order.amount]),
    [
      ["update", one.id, 5000n],
      ["fill", one.id, one.amount],
      ["update", other.id, other.amount],
      ["update", one.id, 5000n],
    ],
  );
  assert.equal(readModel.shares, changes.length);
});

test("what becomes of an order that the book does not have is not told", async () => {
  const readModel = new MemoryReadModel();
  readModel.live = [testOrder(1)];
  const image = new BookImage(readModel, MARKET);
  await image.filled(() => true);
  const lapsed = testOrder(2, { status: "EXPIRED" });
  const events = (["cancel", "filled", "expire", "fill"] as const).map((action) => {
    return { kind: "order", action, order: lapsed } as const;
  });
  assert.deepEqual(changesOf(image.stepped([...events, update(lapsed)], [])), []);
  const [revived] = changesOf(image.stepped([update(lapsed, { status: "ACTIVE" })], []));
  assert.equal(revived?.cause, "revive");
  // It is older than what came since, and in the next snapshot before it.
  image.stepped([{ kind: "order", action: "new", order: testOrder(3) }], []);
  const ids = image.rows().map(({ order }): OrderId => order.id);
  assert.deepEqual(ids, [testOrder(1).id, lapsed.id, testOrder(3).id]);
});

test("images that are filled at the same time read a slice a turn together", async () => {
  const readModel = new CountingReadModel();
  readModel.live = Array.from({ length: 1000 }, (_, at) => testOrder(at));
  const images = Array.from({ length: 6 }, () => new BookImage(readModel, MARKET));
  const given: number[] = [];
  const filled = Promise.all(images.map((image, at) => image.filled(() => at !== 5)));
  let done = false;
  void filled.then(() => {
    done = true;
  });
  for (let before = readModel.pages; !done; before = readModel.pages) {
    await nextTurn();
    given.push(readModel.pages - before);
  }
  assert.ok(Math.max(...given) <= 2, given.join());
  assert.deepEqual(
    images.map((image) => image.rows().length),
    [1000, 1000, 1000, 1000, 1000, 200],
  );
});

test("an order that comes while older ones are still to be read stands behind them", async () => {
  const readModel = new MemoryReadModel();
  const live = Array.from({ length: 450 }, (_, at) => testOrder(at + 1));
  const added = testOrder(451);
  readModel.live = live;
  const image = new BookImage(readModel, MARKET);
  const filled = image.filled(() => true);
  readModel.live = [...live, added];
  image.stepped([{ kind: "order", action: "new", order: added }], []);
  await filled;
  assert.deepEqual(
    image.rows().map(({ order }) => order.cursor),
    readModel.live.map(({ cursor }) => cursor),
  );
});

const BLOCK = 4;

function budgetOf({ owner, selling: asset }: Order): BackingEvent {
  return { kind: "backing", owner, asset };
}

test("what is told of backing is what looking at every row tells, and nothing twice", async () => {
  const act = fc.record({
    number: fc.nat(40),
    amount: fc.bigInt({ min: 0n, max: 9n }),
    budget: fc.option(fc.bigInt({ min: 0n, max: 120n }), { nil: undefined }),
    changesOrder: fc.boolean(),
    changesBudget: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(act, { maxLength: 4 }), { maxLength: 25 }),
      async (steps) => {
        const readModel = new SharesReadModel(BLOCK);
        const image = new BookImage(readModel, MARKET);
        await image.filled(() => true);
        const told = new Map<bigint, readonly [bigint | undefined, bigint | undefined]>();
        for (const acts of steps) {
          const orders: OrderDomainEvent[] = [];
          const budgets = new Map<string, BackingEvent>();
          for (const { number, amount, budget, changesOrder, changesBudget } of acts) {
            // Two makers, both sides, and a third token whose market is another one.
            const order = testOrder(number, {
              owner: testAccount(1 + (number % 2)),
              selling: testContract(1 + (number % 3 === 0 ? 1 : 0)),
              buying: testContract(number % 3 === 0 ? 1 : 2 + (number % 3) - 1),
              amount,
            });
            const key = order.owner + order.selling;
            if (changesOrder) {
              const before = readModel.live.find(({ cursor }) => cursor === order.cursor);
              const after = amount === 0n ? undefined : order;
              if (before === undefined && after === undefined) continue;
              readModel.change(before, after);
              if (canonicalPair(order.selling, order.buying).quote === MARKET.quote) {
                const action =
                  before === undefined ? "new" : after === undefined ? "cancel" : "update";
                const status = after === undefined ? OrderStatus.canceled : OrderStatus.active;
                orders.push({ kind: "order", action, order: { ...order, status } });
              }
              budgets.set(key, budgetOf(order));
            }
            if (!changesBudget) continue;
            if (budget === undefined) readModel.budgets.delete(key);
            else readModel.budgets.set(key, budget);
            budgets.set(key, budgetOf(order));
          }
          for (const { cause, order, row } of changesOf(
            image.stepped(orders, [...budgets.values()]),
          )) {
            if (row === undefined) told.delete(order.cursor);
            else {
              const now = [row.backed, row.budget] as const;
              if (cause === "backing") assert.notDeepEqual(now, told.get(order.cursor));
              told.set(order.cursor, now);
            }
          }
          const expected = readModel.live
            .filter(({ selling, buying }) => canonicalPair(selling, buying).quote === MARKET.quote)
            .map((order) => {
              const shown = readModel.orderBacking(order);
              const isShort = shown !== undefined && shown.backed < order.amount;
              return [order.cursor, [shown?.backed, isShort ? shown.backing.budget : undefined]];
            });
          assert.deepEqual(
            [...told].sort(([a], [b]) => (a < b ? -1 : 1)),
            expected,
          );
          const rows = image
            .rows()
            .map(({ order, backed, budget }) => [order.cursor, [backed, budget]]);
          assert.deepEqual(rows, expected);
        }
      },
    ),
    { numRuns: runs(200) },
  );
});

test("of a maker's thousands of orders those are looked at whose blocks say something else", async () => {
  const readModel = new SharesReadModel(BLOCK);
  const orders = 4000;
  readModel.live = Array.from({ length: orders }, (_, at) => testOrder(at, { amount: 10n }));
  const [first] = readModel.live;
  assert.ok(first !== undefined);
  readModel.budgets.set(first.owner + first.selling, 100_000n);
  const image = new BookImage(readModel, MARKET);
  await image.filled(() => true);
  let events: OrderDomainEvent[] = [];
  const stepped = (budget: bigint) => {
    readModel.budgets.set(first.owner + first.selling, budget);
    const all = [...image.stepped(events, [budgetOf(first)])];
    events = [];
    return [all.filter((change) => change === LOOKED).length, changesOf(all).length];
  };
  assert.deepEqual(stepped(100_000n), [orders / BLOCK, 0], "once, at the first change");
  assert.deepEqual(stepped(90_000n), [0, 0], "every order is covered before and after");
  const filled = { ...(readModel.live[2000] as Order), amount: 4n };
  readModel.change(readModel.live[2000], filled);
  events = [update(filled)];
  assert.deepEqual(stepped(89_994n), [1, 1]);
  assert.deepEqual(stepped(39_994n), [0, 0], "they take it all");
  assert.deepEqual(stepped(39_990n), [1, 1], "the last gets less");
  assert.deepEqual(stepped(39_974n), [1, 2], "the last two get nothing");
  // Whoever is not covered says of how much: that is told of each.
  assert.deepEqual(stepped(0n), [orders / BLOCK, orders]);
  assert.deepEqual(stepped(0n), [0, 0]);
  const rows = image.rows();
  assert.ok(rows.every(({ order, backed }) => lesser(backed ?? 1n, order.amount) === 0n));
});
