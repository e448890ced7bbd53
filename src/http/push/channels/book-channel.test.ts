// What one step makes channel `book` do in a turn, at the size of a maker with thousands of orders.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SharesReadModel } from "../../../../test/support/http/shares-read-model.ts";
import { testContract, testOrder } from "../../../../test/support/http/test-server.ts";
import type { BookChanges, BookSnapshot } from "../../../api/types.ts";
import type { DomainEvent } from "../../../book/domain-event.ts";
import { LocalBook } from "../../../client/local-book.ts";
import { canonicalPair, marketKey } from "../../../model/address.ts";
import type { Order } from "../../../model/order.ts";
import { AssetInput } from "../../asset-input.ts";
import { jsonQuery } from "../json-query.ts";
import { bookChannel } from "./book-channel.ts";

const ORDERS = 5_000;
const MARKET = marketKey(canonicalPair(testContract(1), testContract(2)));
/** Changes of one message, and of one turn; 256 orders that are looked at in vain count as 16. */
const MESSAGE_MAX = 400;
const TURN_MAX = 800;

/** A maker's orders in one market, a topic with a subscriber, and what was published. */
class World {
  readonly readModel = new SharesReadModel();
  readonly published: BookChanges[] = [];
  readonly channel = bookChannel({
    readModel: this.readModel,
    assets: new AssetInput("Test"),
    publish: (topic, json) => {
      if (topic === this.failing) throw new Error("not published");
      this.published.push(JSON.parse(json));
    },
    log: {
      error: () => {
        this.failures += 1;
      },
    },
  });
  /** The topic whose messages cannot be published. */
  failing: string | undefined;
  failures = 0;
  readonly request = this.channel.request(jsonQuery({ market: MARKET }));
  readonly book = new LocalBook();
  /** Messages that the book has taken. */
  #taken = 0;

  constructor(orders: number) {
    const { readModel } = this;
    readModel.ledger = 1;
    readModel.live = Array.from({ length: orders }, (_, at) => testOrder(at, { amount: 10n }));
    this.setBudget(BigInt(10 * orders));
    this.request.opened();
  }

  get first(): Order {
    return this.readModel.live[0] ?? assert.fail("no orders");
  }

  setBudget(budget: bigint): void {
    this.readModel.budgets.set(this.first.owner + this.first.selling, budget);
  }

  /** The next ledger, with a budget that changed. */
  step(budget: bigint, events: readonly DomainEvent[] = []): void {
    const { readModel, first } = this;
    this.setBudget(budget);
    const ledger = (readModel.ledger ?? 0) + 1;
    readModel.ledger = ledger;
    const changed = { kind: "backing", owner: first.owner, asset: first.selling } as const;
    const step = { ledgers: [{ ledger, hash: "", closeTime: 0 }], ledger, closeTime: 0 };
    this.channel.stepped({ ...step, changes: [], events: [...events, changed] });
  }

  tellOn(): boolean {
    return this.channel.tellOn?.() ?? false;
  }

  async snapshot(): Promise<readonly BookSnapshot[]> {
    await this.request.ready?.(() => true, "");
    const parts = this.request.parts?.();
    assert.ok(parts !== undefined);
    return Array.from({ length: parts.count }, (_, at) => JSON.parse(parts.json(at + 1, {})));
  }

  /** The book after all that was published. */
  follow(): LocalBook {
    for (const message of this.published.slice(this.#taken)) {
      assert.equal(this.book.apply(message), "applied");
    }
    this.#taken = this.published.length;
    return this.book;
  }

  checkBook(book = this.follow()): void {
    const { readModel } = this;
    assert.equal(book.size, readModel.live.length);
    for (const order of readModel.live) {
      const shown = readModel.orderBacking(order);
      const isShort = shown !== undefined && shown.backed < order.amount;
      const told = book.order(String(order.id));
      assert.equal(told?.backed, shown?.backed);
      assert.equal(told?.budget, isShort ? shown.backing.budget : undefined);
    }
  }
}

async function worldOf(orders: number): Promise<World> {
  const world = new World(orders);
  for (const part of await world.snapshot()) world.book.apply(part);
  return world;
}

test("thousands of orders that lose their backing are told in messages and turns of some hundred", async () => {
  const world = await worldOf(ORDERS);
  world.step(0n);
  const count = () => world.published.reduce((all, { changes }) => all + changes.length, 0);
  let [turns, before] = [1, 0];
  do {
    assert.ok(count() - before <= TURN_MAX, `${count() - before} in a turn`);
    before = count();
    turns += 1;
  } while (world.tellOn());
  assert.equal(count(), ORDERS);
  assert.ok(turns > ORDERS / TURN_MAX, `${turns} turns`);
  for (const [at, { ledger, previous, changes }] of world.published.entries()) {
    assert.ok(changes.length <= MESSAGE_MAX);
    assert.deepEqual([ledger, previous], [2, at === 0 ? 1 : 2], "no gap between them");
  }
  world.checkBook();
});

test("what is left of a step is that of the step, whatever became of the state since", async () => {
  const world = await worldOf(ORDERS);
  world.step(0n);
  const half = BigInt(5 * ORDERS);
  // The next step is shown before the channel is told of it.
  world.setBudget(half);
  world.readModel.change(world.first, { ...world.first, amount: 3n });
  while (world.tellOn());
  const told = world.published.flatMap(({ changes }) => changes);
  assert.equal(told.length, ORDERS);
  assert.ok(told.every(({ backed, budget }) => backed === "0" && budget === "0"));
  world.step(half, [{ kind: "order", action: "fill", order: world.first }]);
  while (world.tellOn());
  world.checkBook();
});

test("orders that are looked at in vain take turns, too", async () => {
  const world = await worldOf(2 * ORDERS);
  // Nothing was compared yet: all orders are looked at, and all are covered.
  world.step(BigInt(20 * 2 * ORDERS));
  assert.equal(world.tellOn(), false, "40 blocks of 256 orders are less than a turn");
  assert.equal(world.published.length, 0);
  // Just more than two turns of 50 blocks.
  const orders = 25_700;
  const large = await worldOf(orders);
  large.step(BigInt(20 * orders));
  let turns = 1;
  do turns += 1;
  while (large.tellOn());
  assert.ok(turns >= Math.ceil((orders * 16) / 256 / TURN_MAX), `${turns} turns`);
  assert.equal(large.published.length, 0);
});

test("a snapshot waits until a step is told in full, and is then of its ledger", async () => {
  const world = await worldOf(ORDERS);
  world.step(7n);
  assert.equal(world.request.isReady?.(), false);
  let snapshot: readonly BookSnapshot[] | undefined;
  const asked = world.snapshot().then((parts) => {
    snapshot = parts;
  });
  while (world.tellOn()) {
    assert.equal(snapshot, undefined);
    await Promise.resolve();
  }
  await asked;
  assert.equal(world.request.isReady?.(), true);
  const late = new LocalBook();
  for (const part of snapshot ?? []) assert.equal(late.apply(part), "applied");
  assert.equal(late.ledger, 2);
  const early = world.follow();
  assert.equal(late.size, early.size);
  for (const { id } of world.readModel.live) {
    assert.deepEqual(late.order(String(id)), early.order(String(id)));
  }
});

test("a topic that nobody has any more tells nothing more", async () => {
  const world = await worldOf(ORDERS);
  world.step(0n);
  const { length } = world.published;
  world.channel.closed(world.request.topic);
  assert.equal(world.tellOn(), false);
  assert.equal(world.published.length, length);
});

test("a topic that fails holds up no other, and its subscribers see a gap and get a whole book anew", async () => {
  const world = await worldOf(ORDERS);
  const { request, channel, readModel, published } = world;
  const other = testOrder(ORDERS, { amount: 10n, buying: testContract(3) });
  readModel.change(undefined, other);
  const market = marketKey(canonicalPair(other.selling, other.buying));
  const ofOther = channel.request(jsonQuery({ market }));
  ofOther.opened();
  await ofOther.ready?.(() => true, "");
  world.failing = request.topic;
  world.step(0n);
  while (world.tellOn());
  assert.equal(world.failures, 1);
  assert.deepEqual(
    published.map(({ topic, changes }) => [topic, changes.length]),
    [[ofOther.topic, 1]],
  );
  world.failing = undefined;
  assert.equal(request.isReady?.(), false, "the new image is still to be read");
  await request.ready?.(() => true, "");
  assert.equal(request.isReady?.(), true);
  const tell = (budget: bigint) => {
    const from = published.length;
    world.step(budget);
    while (world.tellOn());
    return published
      .slice(from)
      .filter(({ topic }) => topic === request.topic)
      .map((message) => world.book.apply(message));
  };
  assert.equal(tell(5n)[0], "gap");
  for (const part of await world.snapshot()) assert.equal(world.book.apply(part), "applied");
  assert.ok(tell(23n).every((outcome) => outcome === "applied"));
  readModel.change(other, undefined);
  world.checkBook(world.book);
});

test("a topic whose changes cannot be found holds up no other", async () => {
  const world = await worldOf(1);
  const { readModel, request } = world;
  const { ordersBacked } = readModel;
  readModel.ordersBacked = () => {
    throw new Error("not found");
  };
  world.step(0n);
  readModel.ordersBacked = ordersBacked;
  assert.deepEqual([world.failures, world.published.length], [1, 0]);
  await request.ready?.(() => true, "");
  world.step(5n);
  assert.deepEqual(
    world.published.map((message) => world.book.apply(message)),
    ["gap"],
  );
});
