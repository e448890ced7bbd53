// What makers and subscribers can make a book's image do at most.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { MemoryReadModel } from "../../../test/support/http/memory-read-model.ts";
import { testContract, testOrder } from "../../../test/support/http/test-server.ts";
import { canonicalPair } from "../../model/address.ts";
import type { Order, OrderId } from "../../model/order.ts";
import { BookImage, type OrderDomainEvent } from "./book-image.ts";

const MARKET = canonicalPair(testContract(1), testContract(2));

function update(order: Order, more: Partial<Order> = {}): OrderDomainEvent {
  return { kind: "order", action: "update", order: { ...order, ...more } };
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
  const changes = image.stepped([...updates, filled, update(other), ...updates], []);
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
  assert.deepEqual(image.stepped([...events, update(lapsed)], []), []);
  const [revived] = image.stepped([update(lapsed, { status: "ACTIVE" })], []);
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
