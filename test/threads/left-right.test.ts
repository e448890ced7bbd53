// Readers in threads at full speed while the writer flips thousands of times.
import assert from "node:assert/strict";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { SharedBook } from "../../src/book/left-right.ts";
import { openBookReader, READERS_MAX } from "../../src/book/shared-control.ts";
import { runs } from "../support/runs.ts";
import { assertDerived, CONTRACT, changesOf, type Derived, stateOf } from "./left-right-derived.ts";

const CAPACITY = { orders: 100, owners: 10, assets: 10, sides: 10, backings: 10 };
const FLIPS_MIN = runs(500);
/** Each reader sees more steps than this, however many flips that takes. */
const SEEN_MIN = 50;

function newBook(): SharedBook {
  return new SharedBook({ contract: CONTRACT, untracked: "nothing", capacity: CAPACITY });
}

function startReader(book: SharedBook, until: Int32Array, { place = 2, hold = false }): Worker {
  return new Worker(new URL("./left-right-reader.js", import.meta.url), {
    workerData: { buffers: book.buffers, until, place, hold },
  });
}

function newFlags(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4 * (2 + READERS_MAX)));
}

test("no reader ever sees a mixed step while the writer flips", async () => {
  const book = newBook();
  const until = newFlags();
  book.apply(changesOf(1), stateOf(1));
  const readers = Array.from({ length: Math.max(2, availableParallelism()) }, (_, at) =>
    startReader(book, until, { place: 2 + at }),
  );
  const results = readers.map(async (reader) => (await once(reader, "message"))[0] as Derived);
  let stop = false;
  for (const result of results) {
    result.catch(() => {
      stop = true;
    });
  }
  await Promise.all(readers.map((reader) => once(reader, "online")));
  let sequence = 1;
  const haveSeen = () => readers.every((_, at) => Atomics.load(until, 2 + at) > SEEN_MIN);
  while (!stop && (sequence < FLIPS_MIN || !haveSeen())) {
    sequence += 1;
    await book.ready();
    book.apply(changesOf(sequence), stateOf(sequence));
    assertDerived(book.live, { reads: 0, sequences: 0, last: sequence });
    if (sequence % 8 === 0) await nextTurn();
  }
  Atomics.store(until, 0, 1);
  for (const seen of await Promise.all(results)) {
    assert(seen.sequences > SEEN_MIN, `a reader saw only ${seen.sequences} of ${sequence} steps`);
    assert(seen.reads >= seen.sequences);
  }
});

test("a reader that dies inside holds the writer up until its place is cleared", async () => {
  const book = newBook();
  const reader = startReader(book, newFlags(), { hold: true });
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
