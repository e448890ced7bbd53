import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { readDepth } from "../../test/support/read-depth.ts";
import { type Address, accountAddress, contractAddress } from "../model/address.ts";
import type { Order, OrderId } from "../model/order.ts";
import type { Position } from "../model/position.ts";
import type { BookChange } from "./book-change.ts";
import type { DepthRequest } from "./depth.ts";
import { SharedBook } from "./left-right.ts";
import { LiveDepth, SLICE_ORDERS, WAITING_DEPTHS_MAX } from "./live-depth.ts";

const bytes = (n: number) => new Uint8Array(32).fill(n);
const [BASE, QUOTE] = [contractAddress(bytes(1)), contractAddress(bytes(2))];
const NOW = 1_700_000_000;
const SLICES = 4;
const ORDERS = SLICES * SLICE_ORDERS;
const ONE = 10n ** 18n;
const WHOLE: DepthRequest = {
  market: { base: BASE, quote: QUOTE },
  depth: 100,
  step: "1000",
  limit: 500,
};

function ask(n: number, price: bigint): BookChange {
  const fields = { selling: BASE, buying: QUOTE, owner: accountAddress(bytes(7)) };
  const order: Order = {
    ...fields,
    id: BigInt(n) as OrderId,
    status: "ACTIVE",
    ...{ price, quote: 10n, amount: 10n, expires: 0, created: NOW, updated: NOW },
    cursor: BigInt(n) as Position,
  };
  return { kind: "put", order };
}

const state = (ledger: number) => ({ ledger, closeTime: NOW, frozen: false });

/** A side of several slices. */
async function largeBook(): Promise<SharedBook> {
  const contract: Address = contractAddress(bytes(9));
  const capacity = { orders: ORDERS + 10, owners: 10, assets: 10, sides: 10, backings: 100 };
  const book = new SharedBook({ contract, untracked: "covers", capacity, touchOrders: 0 });
  const orders = Array.from({ length: ORDERS }, (_, n) => ask(n + 1, ONE + BigInt(n)));
  book.apply(orders, state(1));
  await book.ready();
  return book;
}

function depthsOf(book: SharedBook): LiveDepth {
  return new LiveDepth({ book, clock: () => NOW * 1000 });
}

const always = () => true;

test("what takes few orders is there at once, what takes many comes in turns between others", async () => {
  const book = await largeBook();
  const depth = depthsOf(book);
  const near = { market: WHOLE.market, depth: 20, step: "0.000000000000000001", limit: 5 };
  assert.deepEqual(depth.now(near)?.asks.length, 5);
  assert.equal(depth.now(WHOLE), undefined);
  let turns = 0;
  let isRead = false;
  const body = depth.later(WHOLE, always)?.finally(() => {
    isRead = true;
  });
  for (; !isRead; turns += 1) await nextTurn();
  assert.ok(turns >= SLICES - 1, `${turns} turns`);
  assert.deepEqual(await body, readDepth(book.live, WHOLE, NOW));
  assert.deepEqual((await body)?.asks, [["1000", "0.032768"]]);
});

test("a book is of one state, though steps come while it is read", async () => {
  const book = await largeBook();
  const depth = depthsOf(book);
  const right = readDepth(book.live, WHOLE, NOW);
  const body = depth.later(WHOLE, always);
  await nextTurn();
  // Takes out the best and the last orders and puts one between.
  const changes: BookChange[] = [
    ...[1, 2, ORDERS - 1, ORDERS].map((n) => ({
      kind: "remove" as const,
      id: BigInt(n) as OrderId,
    })),
    ask(ORDERS + 1, ONE + 5n),
  ];
  await book.prepare(changes, state(2));
  book.publish();
  const later = depth.later(WHOLE, always);
  assert.deepEqual(await body, right);
  const next = await later;
  assert.deepEqual([next?.ledger, next?.asks], [2, [["1000", "0.0327650"].map(trimmed)]]);
  // And the writer goes on once the reading is over.
  await book.ready();
  await book.prepare([ask(ORDERS + 2, ONE)], state(3));
  book.publish();
  await book.ready();
  assert.equal((await depth.later(WHOLE, always))?.bestAsk, "1");
});

const trimmed = (text: string) => text.replace(/(\.[0-9]*?)0+$/, "$1");

test("equal requests are read once, and others wait up to a number", async () => {
  const book = await largeBook();
  const depth = depthsOf(book);
  const first = depth.later(WHOLE, always);
  assert.equal(depth.later({ ...WHOLE }, always), first);
  await nextTurn();
  // It is being read: an equal one from here on is of its own.
  assert.notEqual(depth.later(WHOLE, always), first);
  let wanted = true;
  const others = Array.from({ length: WAITING_DEPTHS_MAX - 1 }, (_, n) =>
    depth.later({ ...WHOLE, limit: n + 1 }, () => wanted),
  );
  assert.ok(others.every((body) => body !== undefined));
  assert.equal(depth.later({ ...WHOLE, limit: 400 }, always), undefined);
  wanted = false;
  const settled = await Promise.allSettled(others);
  assert.ok(
    settled.every(({ status }) => status === "rejected"),
    "nobody wanted them",
  );
  assert.equal((await depth.later({ ...WHOLE, limit: 400 }, always))?.asks.length, 1);
});
