// Random streams of changes against the naive model: sides sorted, slots and indexes reused,
// blocks grown, shrunk and merged, and both copies the same bytes.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { BookChange } from "../../src/book/book-change.ts";
import { SharedBook } from "../../src/book/left-right.ts";
import type { UntrackedBacking } from "../../src/book/shared-copy.ts";
import type { BookCapacity } from "../../src/book/shared-layout.ts";
import { BookCapacityError } from "../../src/book/shared-pool.ts";
import { bookLedger, bookSequence, isFrozen } from "../../src/book/shared-reader.ts";
import { accountAddress, contractAddress } from "../../src/model/address.ts";
import type { Backing } from "../../src/model/backing.ts";
import type { Order, OrderId } from "../../src/model/order.ts";
import type { Position } from "../../src/model/position.ts";
import { assertSameBook } from "../support/book-check.ts";
import { NaiveBook } from "../support/naive-book.ts";
import { runs } from "../support/runs.ts";
import { liveOrders } from "../support/start-orders.ts";

const CONTRACT = contractAddress(new Uint8Array(32).fill(255));
const ASSETS = [1, 2, 3, 4, 5].map((n) => contractAddress(new Uint8Array(32).fill(n)));
const OWNERS = [1, 2, 3].map((n) => accountAddress(new Uint8Array(32).fill(n))).concat(CONTRACT);
const CAPACITY: BookCapacity = { orders: 400, owners: 8, assets: 8, sides: 40, backings: 40 };

// Few different prices, among them neighbours that a float cannot tell apart, and the extremes.
const PRICES = [1n, 10n ** 36n, 10n ** 18n, 10n ** 18n + 1n, 10n ** 27n, 10n ** 27n + 1n, 7n];

const picked = fc.nat(1 << 20);
const operation = fc.record({
  kind: fc.constantFrom("new", "new", "new", "change", "reuse", "remove", "backing", "forget"),
  order: picked,
  owner: picked,
  selling: picked,
  buying: picked,
  price: picked,
  amount: fc.bigInt(1n, (1n << 127n) - 1n),
  flags: picked,
});
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

class Stream {
  readonly model = new NaiveBook();
  #position = 1n;

  /** The change an operation stands for in the present state, already applied to the model. */
  next(of: Operation): BookChange | undefined {
    const change = this.#change(of);
    if (change !== undefined) this.model.apply([change]);
    return change;
  }

  #change(of: Operation): BookChange | undefined {
    const live = [...this.model.orders.values()];
    const order = live[of.order % Math.max(1, live.length)];
    switch (of.kind) {
      case "new":
        return live.length < CAPACITY.orders
          ? { kind: "put", order: this.#order(of, newId(of.order)) }
          : undefined;
      case "reuse":
        return order && { kind: "put", order: this.#order(of, order.id) };
      case "change": {
        const price = of.flags % 2 === 0 ? order?.price : pick(PRICES, of.price);
        return order && { kind: "put", order: { ...order, amount: of.amount, price: price ?? 1n } };
      }
      case "remove":
        return order && { kind: "remove", id: order.id };
      case "backing":
        return { kind: "backing", backing: backing(of) };
      case "forget": {
        const records = [...this.model.backings.values()];
        const record = records[of.order % Math.max(1, records.length)];
        return record && { kind: "forget", owner: record.owner, asset: record.asset };
      }
      default:
        return undefined;
    }
  }

  #order(of: Operation, id: OrderId): Order {
    this.#position += 1n;
    return {
      id,
      status: "ACTIVE",
      owner: pick(OWNERS, of.owner),
      selling: pick(ASSETS, of.selling),
      buying: pick(ASSETS, of.buying),
      price: pick(PRICES, of.price),
      quote: of.amount,
      amount: of.amount,
      expires: of.flags % 3 === 0 ? 0 : 1_700_000_000 + of.flags,
      created: 1_700_000_000,
      updated: 1_700_000_000,
      cursor: ((this.#position << 40n) | BigInt(of.flags)) as Position,
    };
  }
}

// Ids of all sizes, some of which differ in one word alone.
function newId(picked: number): OrderId {
  return (BigInt(picked >> 2) << (32n * BigInt(picked % 4))) as OrderId;
}

function backing(of: Operation): Backing {
  const loaded = of.flags % 4 !== 0;
  return {
    owner: pick(OWNERS, of.owner),
    asset: pick(ASSETS, of.selling),
    balance: of.amount,
    allowance: of.amount,
    liveUntil: 100,
    authorized: of.flags % 3 !== 0,
    budget: of.flags % 3 !== 0 ? of.amount : 0n,
    ...(of.flags % 5 === 0 ? {} : { headroom: of.amount >> 64n }),
    ...(loaded ? { updated: 1_700_000_000 } : {}),
    ...(of.flags % 7 === 0 ? { skipped: 1_700_000_000 + of.flags } : {}),
    pending: of.flags % 11 === 0,
  };
}

function pick<T>(from: readonly T[], picked: number): T {
  const found = from[picked % from.length];
  assert(found !== undefined);
  return found;
}

async function replay(
  steps: readonly (readonly Operation[])[],
  untracked: UntrackedBacking,
): Promise<void> {
  const book = new SharedBook({ contract: CONTRACT, untracked, capacity: CAPACITY });
  const stream = new Stream();
  const bytes = book.buffers.copies.map((buffer) => Buffer.from(buffer)) as [Buffer, Buffer];
  for (const [index, step] of steps.entries()) {
    const changes = step.map((of) => stream.next(of)).filter((change) => change !== undefined);
    const header = { ledger: 100 + index, closeTime: 5 * index, frozen: index % 2 === 1 };
    await book.ready();
    if (index % 3 === 0) {
      await book.prepare(changes, header);
      book.publish();
    } else book.apply(changes, header);
    assert.equal(bookSequence(book.live), index + 1);
    assert.equal(bookLedger(book.live), 100 + index);
    assert.equal(isFrozen(book.live), index % 2 === 1);
    assertSameBook(book.live, stream.model, CONTRACT, untracked);
    await book.ready();
    assert(bytes[0].equals(bytes[1]), "both copies hold the same bytes");
  }
  const all = [...stream.model.orders.keys()].map((id) => ({ kind: "remove", id }) as const);
  stream.model.apply(all);
  book.apply(all, { ledger: 999, closeTime: 999, frozen: false });
  assertSameBook(book.live, stream.model, CONTRACT, untracked);
}

const untrackedBacking = fc.constantFrom<UntrackedBacking>("covers", "nothing");

test("a stream of small steps leaves the same book as the naive model, in both copies", async () => {
  const steps = fc.array(fc.array(operation, { maxLength: 12 }), { maxLength: 25 });
  await fc.assert(fc.asyncProperty(steps, untrackedBacking, replay), { numRuns: runs(12) });
});

test("large steps grow and shrink sides through all block sizes", async () => {
  const crowd = operation.map((of) => ({ ...of, selling: of.selling % 2, buying: 2 }));
  const steps = fc.array(fc.array(crowd, { minLength: 200, maxLength: 300 }), { maxLength: 4 });
  await fc.assert(fc.asyncProperty(steps, untrackedBacking, replay), { numRuns: runs(4) });
});

test("orders loaded at start are there with the first step, in both copies", async () => {
  const book = new SharedBook({ contract: CONTRACT, untracked: "nothing", capacity: CAPACITY });
  const stream = new Stream();
  const news = fc
    .sample(operation, { numRuns: 200, seed: 7 })
    .map((of) => ({ ...of, kind: "new" }));
  for (const of of news) stream.next(of as Operation);
  const orders = [...stream.model.orders.values()];
  book.load(liveOrders(orders));
  assert.equal(book.sequence, 0);
  book.apply([], { ledger: 5, closeTime: 6, frozen: true });
  assertSameBook(book.live, stream.model, CONTRACT, "nothing");
  assert.equal(isFrozen(book.live), true);
  await book.ready();
  const [one, other] = book.buffers.copies.map((buffer) => Buffer.from(buffer));
  assert(one !== undefined && other !== undefined && one.equals(other));
  assert.throws(() => book.load(liveOrders(orders)), /after the first step/);
});

test("a full book says what it is full of", async () => {
  const book = new SharedBook({ contract: CONTRACT, untracked: "nothing", capacity: CAPACITY });
  const stream = new Stream();
  const [of] = fc.sample(operation, { numRuns: 1, seed: 3 });
  assert(of !== undefined);
  const put = (n: number) => stream.next({ ...of, kind: "new", order: 4 * n });
  const changes = Array.from({ length: CAPACITY.orders }, (_, n) => put(n));
  book.apply(
    changes.filter((change) => change !== undefined),
    { ledger: 1, closeTime: 1, frozen: false },
  );
  await book.ready();
  const [first] = changes;
  assert(first?.kind === "put");
  const more: BookChange = { kind: "put", order: { ...first.order, id: 999_999n as OrderId } };
  assert.throws(
    () => book.apply([more], { ledger: 2, closeTime: 2, frozen: false }),
    (error) => error instanceof BookCapacityError && /at most 400 orders/.test(error.message),
  );
});
