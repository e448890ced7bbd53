// node dist/bench/book-soak.js [--orders 1000000] [--ledgers 1000] [--readers 1]
// Grows a book to so many orders, ledger by ledger, then runs ledgers of 1,000 changes on it while
// threads read it at full speed. Prints memory per order, times, and the longest turn of the main
// thread's loop, which makes the changes too.
import assert from "node:assert/strict";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import type { BookChange } from "../src/book/book-change.ts";
import { SharedBook } from "../src/book/left-right.ts";
import { orderCount, usedBytes } from "../test/support/shared-usage.ts";
import { CONTRACT } from "./book-data.ts";
import { quantile } from "./quantile.ts";
import { type Turn, turnsOf } from "./turns.ts";

const CHANGES = 1000;
/** New orders of a ledger while the book grows. */
const GROWTH = 5000;

const { values } = parseArgs({
  options: {
    orders: { type: "string", default: "1000000" },
    ledgers: { type: "string", default: "1000" },
    readers: { type: "string", default: "1" },
  },
});
const orders = Number(values.orders);
const scale = { assets: 50, markets: 200, makers: Math.max(1, orders / 50), orders };
const data = new Worker(new URL("./book-soak-orders.js", import.meta.url), { workerData: scale });
const book = new SharedBook({ contract: CONTRACT, untracked: "nothing" });
const until = new Int32Array(new SharedArrayBuffer(4));
const rssAtStart = process.memoryUsage().rss;
let ledger = 0;
const flips: number[] = [];

book.apply([], stateOf());
const readers = Array.from(
  { length: Number(values.readers) },
  () =>
    new Worker(new URL("./book-soak-reader.js", import.meta.url), {
      workerData: { buffers: book.buffers, until },
    }),
);
const results = readers.map(async (reader) => (await once(reader, "message"))[0]);
let live = 0;

const growth: number[] = [];
await next("grow", 0);
const growing = await turnsOf(async () => {
  for (let left = 1; left > 0; ) {
    const grown = await next("grow", GROWTH);
    growth.push(await step(grown.changes));
    left = grown.left;
  }
  await book.ready();
});
print("growing", { times: growth, turns: growing }, `${GROWTH} new orders or records`);

const steady: number[] = [];
const living = await turnsOf(async () => {
  for (let at = 0; at < Number(values.ledgers); at += 1) {
    const ledgerChanges = await next("change", CHANGES);
    steady.push(await step(ledgerChanges.changes));
    live = ledgerChanges.live;
  }
  await book.ready();
});
print("steady", { times: steady, turns: living }, `${CHANGES} changes`);
process.stdout.write(`flip: median ${quantile(flips, 0.5).toFixed(4)} ms\n`);

Atomics.store(until, 0, 1);
for (const { visits, unsorted } of await Promise.all(results)) {
  assert.equal(unsorted, 0, "a reader saw a side out of order");
  process.stdout.write(`a reader: ${visits} visits\n`);
}
assert.equal(orderCount(book.live), live);
const bytes = 2 * usedBytes(book.live);
const rss = process.memoryUsage().rss - rssAtStart;
process.stdout.write(
  `${orderCount(book.live)} orders: ${(bytes / orderCount(book.live)).toFixed(0)} bytes each in ` +
    `both copies (${(bytes / 2 ** 20).toFixed(0)} MiB; the process grew by ` +
    `${(rss / 2 ** 20).toFixed(0)} MiB, with the orders that the script's other thread keeps)\n`,
);
await data.terminate();

/** A ledger's changes, a few in a turn. */
async function next(kind: "grow" | "change", count: number) {
  const changes: BookChange[] = [];
  for (let what: "grow" | "change" | "next" = kind; ; what = "next") {
    data.postMessage({ kind: what, count });
    const [{ piece, isEnd, left, live }] = await once(data, "message");
    changes.push(...piece);
    if (isEnd) return { changes, left, live } as const;
  }
}

/** Milliseconds from the step's start to its being visible, slices of other work included. */
async function step(list: readonly BookChange[]): Promise<number> {
  await book.ready();
  ledger += 1;
  const from = performance.now();
  await book.prepare(list, stateOf());
  const prepared = performance.now();
  book.publish();
  flips.push(performance.now() - prepared);
  return performance.now() - from;
}

function stateOf() {
  return { ledger, closeTime: 5 * ledger, frozen: false };
}

type Phase = { readonly times: readonly number[]; readonly turns: readonly Turn[] };

function print(phase: string, { times, turns }: Phase, what: string): void {
  const most = (of: (turn: Turn) => number): string => quantile(turns.map(of), 1).toFixed(1);
  process.stdout.write(
    `${phase}: ${times.length} ledgers of ${what}: median ${quantile(times, 0.5).toFixed(2)} ms, ` +
      `p99 ${quantile(times, 0.99).toFixed(2)} ms; longest turn of the main thread ` +
      `${most(({ cpuMs }) => cpuMs)} ms of CPU (${most(({ wallMs }) => wallMs)} ms), ` +
      `${most(({ cpuMs, gcMs }) => cpuMs - gcMs)} ms beside the collector\n`,
  );
}
