// Readers in threads at full speed while the writer flips thousands of times.
import assert from "node:assert/strict";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { SharedBook } from "../../src/book/left-right.ts";
import { openBookReader, READERS_MAX } from "../../src/book/shared-control.ts";
import { assertDerived, CONTRACT, changesOf, type Derived, stateOf } from "./left-right-derived.ts";

const CAPACITY = { orders: 100, owners: 10, assets: 10, sides: 10, backings: 10 };
const FLIPS_MIN = 3000;
const TIME_MS_MAX = 60_000;

function newBook(): SharedBook {
  return new SharedBook({ contract: CONTRACT, untracked: "nothing", capacity: CAPACITY });
}

function startReader(book: SharedBook, until: Int32Array, hold = false): Worker {
  return new Worker(new URL("./left-right-reader.js", import.meta.url), {
    workerData: { buffers: book.buffers, until, hold },
  });
}

function newFlags(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(8));
}

test("no reader ever sees a mixed step while the writer flips", async () => {
  const book = newBook();
  const until = newFlags();
  book.apply(changesOf(1), stateOf(1));
  const readers = Array.from({ length: Math.max(2, availableParallelism()) }, () =>
    startReader(book, until),
  );
  const results = readers.map(async (reader) => (await once(reader, "message"))[0] as Derived);
  let stop = false;
  for (const result of results) {
    result.catch(() => {
      stop = true;
    });
  }
  await Promise.all(readers.map((reader) => once(reader, "online")));
  const deadline = performance.now() + TIME_MS_MAX;
  let sequence = 1;
  while (!stop && sequence < FLIPS_MIN && performance.now() < deadline) {
    sequence += 1;
    await book.ready();
    book.apply(changesOf(sequence), stateOf(sequence));
    assertDerived(book.live, { reads: 0, sequences: 0, last: sequence });
    if (sequence % 8 === 0) await nextTurn();
  }
  Atomics.store(until, 0, 1);
  for (const seen of await Promise.all(results)) {
    assert(seen.sequences > 50, `a reader saw only ${seen.sequences} of ${sequence} steps`);
    assert(seen.reads >= seen.sequences);
  }
  assert(sequence >= FLIPS_MIN, `only ${sequence} flips in time`);
});

test("a reader that dies inside holds the writer up until its place is cleared", async () => {
  const book = newBook();
  const reader = startReader(book, newFlags(), true);
  book.apply(changesOf(1), stateOf(1));
  const { threadId } = reader;
  assert.deepEqual(await once(reader, "message"), ["inside"]);
  await book.ready();
  book.apply(changesOf(2), stateOf(2));
  let settled = false;
  const ready = book.ready().then(() => {
    settled = true;
  });
  for (let turn = 0; turn < 100; turn += 1) await nextTurn();
  assert.equal(settled, false, "the reader is still in the copy that is due");
  assert.throws(() => book.apply(changesOf(3), stateOf(3)), /await ready/);
  assert.equal(book.sequence, 2, "what is visible stays");
  await reader.terminate();
  book.releaseThread(threadId);
  await ready;
  const [one, other] = book.buffers.copies.map((buffer) => Buffer.from(buffer));
  assert(one !== undefined && other !== undefined && one.equals(other));
});

test("places of readers are given back, and running out of them is an error", () => {
  const book = newBook();
  const readers = Array.from({ length: READERS_MAX }, () => openBookReader(book.buffers));
  assert.throws(() => openBookReader(book.buffers), /readers of the shared book/);
  readers[7]?.close();
  openBookReader(book.buffers).close();
});
