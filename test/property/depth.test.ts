// Depth against a slow reading of its rules, over random books, orientations, bands and steps.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { BookChange } from "../../src/book/book-change.ts";
import { DepthReading } from "../../src/book/depth.ts";
import { DepthWalk } from "../../src/book/depth-walk.ts";
import { SharedBook } from "../../src/book/left-right.ts";
import { accountAddress, contractAddress } from "../../src/model/address.ts";
import type { Order, OrderId } from "../../src/model/order.ts";
import type { Position } from "../../src/model/position.ts";
import { NaiveBook } from "../support/naive-book.ts";
import { readDepth } from "../support/read-depth.ts";
import { runs } from "../support/runs.ts";
import { slowDepth } from "../support/slow-depth.ts";

const CONTRACT = contractAddress(new Uint8Array(32).fill(9));
const BASE = contractAddress(new Uint8Array(32).fill(1));
const QUOTE = contractAddress(new Uint8Array(32).fill(2));
const OTHER = contractAddress(new Uint8Array(32).fill(3));
const OWNERS = [1, 2, 3, 4, 5].map((n) => accountAddress(new Uint8Array(32).fill(n)));
const NOW = 1_700_000_000;
const ONE = 10n ** 18n;
const CAPACITY = { orders: 200, owners: 10, assets: 10, sides: 10, backings: 40 };

const price = fc.oneof(
  fc.integer({ min: 90, max: 110 }).map((n) => (BigInt(n) * ONE) / 100n),
  fc.bigInt((ONE * 9n) / 10n, (ONE * 11n) / 10n),
  fc.constantFrom(1n, 10n ** 36n, ONE + 1n, ONE - 1n, 3n * 10n ** 30n, 7n * 10n ** 6n),
);
const amount = fc.oneof(
  fc.bigInt(1n, 10n ** 9n),
  fc.constantFrom(1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 64n, 10n ** 30n, 10_000_000n),
);
const order = fc.record({
  owner: fc.nat(OWNERS.length - 1),
  isAsk: fc.boolean(),
  price,
  amount,
  expires: fc.constantFrom(0, 0, 0, NOW, NOW + 1, NOW - 1),
});
const backing = fc.record({
  budget: fc.oneof(fc.bigInt(0n, 10n ** 10n), amount, fc.constant(2n ** 126n)),
  authorized: fc.constantFrom(true, true, true, true, false),
});
const world = fc.record({
  orders: fc.array(order, { maxLength: 40 }),
  backings: fc.array(backing, { minLength: 10, maxLength: 10 }),
});
const request = fc.record({
  flipped: fc.boolean(),
  depth: fc.constantFrom(20, 100, 1, 0.5, 3.333333, 12.5),
  step: fc.constantFrom(undefined, undefined, "0.01", "0.1", "1", "0.000000000000000001", "1000"),
  limit: fc.constantFrom(1, 2, 5, 500),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

function changesOf({ orders, backings }: World): BookChange[] {
  const records = backings.map(({ budget, authorized }, index): BookChange => {
    const owner = OWNERS[index % 5] ?? CONTRACT;
    const asset = index < 5 ? BASE : QUOTE;
    const fields = { balance: budget, allowance: budget, liveUntil: 9, updated: NOW };
    const shown = authorized ? budget : 0n;
    const value = { owner, asset, ...fields, authorized, budget: shown, pending: false };
    return { kind: "backing", backing: value };
  });
  const puts = orders.map((of, index): BookChange => {
    const value: Order = {
      id: BigInt(index) as OrderId,
      status: "ACTIVE",
      owner: OWNERS[of.owner] ?? CONTRACT,
      selling: of.isAsk ? BASE : QUOTE,
      buying: of.isAsk ? QUOTE : BASE,
      price: of.price,
      quote: of.amount,
      amount: of.amount,
      expires: of.expires,
      created: NOW,
      updated: NOW,
      cursor: BigInt(index + 1) as Position,
    };
    return { kind: "put", order: value };
  });
  return [...records, ...puts];
}

test("depth equals a slow reading of its rules", () => {
  const walk = new DepthWalk();
  fc.assert(
    fc.property(world, fc.array(request, { minLength: 1, maxLength: 4 }), (of, requests) => {
      const changes = changesOf(of);
      const model = new NaiveBook();
      model.apply(changes);
      const book = new SharedBook({
        contract: CONTRACT,
        untracked: "nothing",
        capacity: CAPACITY,
        touchOrders: 0,
      });
      book.apply(changes, { ledger: 7, closeTime: NOW, frozen: false });
      for (const { flipped, depth, step, limit } of requests) {
        const market = flipped ? { base: QUOTE, quote: BASE } : { base: BASE, quote: QUOTE };
        const asked =
          step === undefined ? { market, depth, limit } : { market, depth, limit, step };
        const right = slowDepth(model, asked, { ledger: 7, now: NOW });
        assert.deepEqual(readDepth(book.live, asked, NOW, walk), right);
        for (const orders of [1, 3]) {
          const reading = new DepthReading(walk, book.live, asked, NOW);
          let body = reading.run(orders);
          for (let slices = 0; body === undefined && slices <= of.orders.length; slices += 1) {
            body = reading.run(orders);
          }
          assert.deepEqual(body, right, `in slices of ${orders}`);
        }
      }
    }),
    { numRuns: runs(200) },
  );
});

test("a market nobody trades is empty, with and without a step", () => {
  const book = new SharedBook({ contract: CONTRACT, untracked: "nothing", capacity: CAPACITY });
  book.apply([], { ledger: 7, closeTime: NOW, frozen: false });
  const market = { base: BASE, quote: OTHER };
  const empty = { ledger: 7, timestamp: NOW, bestBid: null, bestAsk: null, bids: [], asks: [] };
  const walk = new DepthWalk();
  const asked = { market, depth: 20, limit: 100 };
  assert.deepEqual(readDepth(book.live, asked, NOW, walk), { ...empty, step: null });
  const stepped = readDepth(book.live, { ...asked, step: "0.5" }, NOW, walk);
  assert.deepEqual(stepped, { ...empty, step: "0.5" });
});
