// Left-right, the readers' half: which copy is live, and who is in which copy.
//
// Two copies of the book. Readers enter the live one; the writer changes the other, makes it live,
// waits until the last reader has left the old one and repeats the change there. Nobody spins, no
// reader ever waits. All atomics here are sequentially consistent, and the protocol needs that
// twice (at `enter` and `leave`).
//
//   control, i32   0 live copy (0 or 1); -1 before the first step
//                 16 r + 16 copy that reader r is in, + 1; 0: outside
//                 16 r + 17 thread id + 1 of the thread that holds place r; 0: free
import assert from "node:assert/strict";
import { threadId } from "node:worker_threads";
import { type BookCapacity, type BookView, bookView } from "./shared-layout.ts";

/** Worker threads of one process that can have the book open at once. */
export const READERS_MAX = 64;
/** A cache line a reader, so that they do not slow each other down. */
const READER_STRIDE = 16;
export const CONTROL_LIVE = 0;
export const CONTROL_BYTES = 4 * READER_STRIDE * (READERS_MAX + 1);
export const OUTSIDE = 0;
export const NO_COPY = -1;

/**
 * A new attempt is due only when the writer flipped between two loads of `enter`; it then awaits
 * the readers of that copy, so even one is rare. A guess far above what can happen.
 */
const ENTER_ATTEMPTS_MAX = 1000;

/** What a thread needs to open the book: shared by `workerData` or a message, never copied. */
export type BookBuffers = {
  readonly copies: readonly [SharedArrayBuffer, SharedArrayBuffer];
  readonly control: SharedArrayBuffer;
  readonly capacity: BookCapacity;
};

export function readerState(reader: number): number {
  return READER_STRIDE * (reader + 1);
}

export function readerThread(reader: number): number {
  return readerState(reader) + 1;
}

/** A thread's way into the book. One at a time may be inside per reader. */
export type BookReader = {
  /** The live copy, unchanged until `leave`. Never waits. Only once a step was published. */
  enter(): BookView;
  leave(): void;
  /** Gives the place back. A thread that ends without it is cleared by the main thread. */
  close(): void;
};

/** Throws where all places are taken. Any thread but the main one, which reads without a place. */
export function openBookReader(buffers: BookBuffers): BookReader {
  const control = new Int32Array(buffers.control);
  const views = [
    bookView(buffers.copies[0], buffers.capacity),
    bookView(buffers.copies[1], buffers.capacity),
  ] as const;
  const reader = claimPlace(control);
  const state = readerState(reader);
  return {
    enter: () => views[enterLive(control, state)]!,
    leave: () => leave(control, state),
    close: () => {
      leave(control, state);
      Atomics.store(control, readerThread(reader), 0);
    },
  };
}

function claimPlace(control: Int32Array): number {
  for (let reader = 0; reader < READERS_MAX; reader += 1) {
    if (Atomics.compareExchange(control, readerThread(reader), 0, threadId + 1) === 0)
      return reader;
  }
  throw new RangeError(`more than ${READERS_MAX} readers of the shared book`);
}

function enterLive(control: Int32Array, state: number): 0 | 1 {
  assert.equal(control[state], OUTSIDE, "already inside the shared book");
  for (let attempt = 0; attempt < ENTER_ATTEMPTS_MAX; attempt += 1) {
    const copy = Atomics.load(control, CONTROL_LIVE);
    assert.notEqual(copy, NO_COPY, "the shared book is not loaded yet");
    Atomics.store(control, state, copy + 1);
    // The second load comes after the store above for every thread, as the writer's flip comes
    // before its look at the readers. Otherwise: we load copy A; the writer flips to B, finds
    // nobody in A and starts to write there; we mark A and read it half written. So either we see
    // the flip here and leave, or the writer sees our mark and waits. The load also makes all that
    // the writer wrote before the flip visible to us.
    if (Atomics.load(control, CONTROL_LIVE) === copy) return copy === 0 ? 0 : 1;
    leave(control, state);
  }
  throw new Error("the shared book flips faster than a reader can enter");
}

function leave(control: Int32Array, state: number): void {
  // The store keeps our reads before it: the writer that sees OUTSIDE cannot have its next writes
  // read by us. Without that order a late read would see the next step's bytes.
  Atomics.store(control, state, OUTSIDE);
  // The writer's waitAsync compares and enlists under one lock. If it enlisted before our store,
  // this wakes it; if after, it found OUTSIDE and did not enlist. A notify before the store could
  // fall between the two and the writer would sleep on.
  Atomics.notify(control, state);
}
