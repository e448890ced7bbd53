// Left-right, the writer's half. Main thread only.
import assert from "node:assert/strict";
import { setImmediate as yieldToLoop } from "node:timers/promises";
import type { Address } from "../model/address.ts";
import type { BookChange } from "./book-change.ts";
import {
  type BookBuffers,
  CONTROL_BYTES,
  CONTROL_LIVE,
  OUTSIDE,
  READERS_MAX,
  readerState,
  readerThread,
} from "./shared-control.ts";
import type { BookCopy, UntrackedBacking } from "./shared-copy.ts";
import {
  type BookCapacity,
  type BookView,
  bookBytes,
  bookView,
  DEFAULT_CAPACITY,
  touchBook,
} from "./shared-layout.ts";
import { bookSequence } from "./shared-reader.ts";
import { applyChange, type BookHeader, initCopy, writeHeader } from "./shared-writer.ts";

/** The loop gets its turn at least this often while a step is written (guess). */
const SLICE_MS = 4;
/** Changes between two looks at the clock: a few microseconds each. */
const SLICE_CHANGES = 64;
/** A reader inside for longer is a broken invariant: the pool ends workers long before. */
const READER_WAIT_MS_MAX = 60_000;

export type SharedBookOptions = {
  /** The exchange contract: its own backing says what may be bought at all. */
  readonly contract: Address;
  readonly untracked: UntrackedBacking;
  readonly capacity?: BookCapacity;
  /** Orders whose memory is made ready at once, so that their first write finds it (a guess). */
  readonly touchOrders?: number;
};

type Step = {
  readonly sequence: number;
  readonly header: BookHeader;
  readonly changes: readonly BookChange[];
};

/**
 * The whole live book in memory that all threads read. A step is prepared on the idle copy, in
 * slices that leave the loop its turns, and becomes visible to every thread by one `publish`.
 * After an error of `prepare` the book is of no more use: it no longer mirrors the chain.
 */
export class SharedBook {
  readonly buffers: BookBuffers;
  readonly #control: Int32Array;
  readonly #copies: readonly [BookCopy, BookCopy];
  #live: 0 | 1 = 0;
  #sequence = 0;
  #prepared: Step | undefined;
  #busy = false;
  /** The last published step on its way into the copy that was live before it. */
  #caughtUp: Promise<void> = Promise.resolve();

  constructor(options: SharedBookOptions) {
    const capacity = options.capacity ?? DEFAULT_CAPACITY;
    const bytes = bookBytes(capacity);
    const copies = [new SharedArrayBuffer(bytes), new SharedArrayBuffer(bytes)] as const;
    const open = (buffer: SharedArrayBuffer) => {
      touchBook(buffer, capacity, options.touchOrders ?? 1 << 14);
      return initCopy(bookView(buffer, capacity), options.contract, options.untracked);
    };
    this.buffers = { copies, control: new SharedArrayBuffer(CONTROL_BYTES), capacity };
    this.#control = new Int32Array(this.buffers.control);
    this.#copies = [open(copies[0]), open(copies[1])];
  }

  /**
   * The copy every thread reads now. For the main thread it stays unchanged until its next
   * `publish`, so a read needs no place among the readers but must not span an `await`.
   */
  get live(): BookView {
    return this.#copies[this.#live].view;
  }

  /** Steps published so far. */
  get sequence(): number {
    return bookSequence(this.live);
  }

  /**
   * Writes a step to the idle copy; nobody sees it yet. `changes` must not be changed afterwards.
   * Rejects with a `BookCapacityError` or an AssertionError; both are fatal.
   */
  async prepare(header: BookHeader, changes: readonly BookChange[]): Promise<void> {
    assert(!this.#busy && this.#prepared === undefined, "the last step is not published yet");
    this.#busy = true;
    await this.#caughtUp;
    this.#sequence += 1;
    const step = { sequence: this.#sequence, header, changes };
    await writeStep(this.#copies[this.#live === 0 ? 1 : 0], step);
    this.#prepared = step;
    this.#busy = false;
  }

  /** Makes the prepared step visible to all threads at once. */
  publish(): void {
    const step = this.#prepared;
    assert(step !== undefined, "no step is prepared");
    this.#prepared = undefined;
    const left = this.#live;
    this.#live = left === 0 ? 1 : 0;
    // The store comes after the step's writes, so that a reader that sees the new copy sees all of
    // them, and before the look at the readers in `#replay`: see `enter`.
    Atomics.store(this.#control, CONTROL_LIVE, this.#live);
    this.#caughtUp = this.#replay(step, left);
    // The next `prepare` reports it; until then nobody listens.
    this.#caughtUp.catch(() => {});
  }

  /** `prepare` and `publish` in one. */
  async apply(header: BookHeader, changes: readonly BookChange[]): Promise<void> {
    await this.prepare(header, changes);
    this.publish();
  }

  /** Resolves when both copies hold the last published step. */
  async settled(): Promise<void> {
    await this.#caughtUp;
  }

  /** Clears the places of a thread that has ended, wherever it was. Only after its exit. */
  releaseThread(threadId: number): void {
    for (let reader = 0; reader < READERS_MAX; reader += 1) {
      if (Atomics.load(this.#control, readerThread(reader)) !== threadId + 1) continue;
      // First out, then free: a new thread that takes the place must not be thrown out by us.
      Atomics.store(this.#control, readerState(reader), OUTSIDE);
      Atomics.notify(this.#control, readerState(reader));
      Atomics.store(this.#control, readerThread(reader), 0);
    }
  }

  async #replay(step: Step, copy: 0 | 1): Promise<void> {
    await awaitReaders(this.#control, copy);
    await writeStep(this.#copies[copy], step);
  }
}

async function writeStep(copy: BookCopy, step: Step): Promise<void> {
  writeHeader(copy.view, step.sequence, step.header);
  let sliceEnd = performance.now() + SLICE_MS;
  for (let at = 0; at < step.changes.length; at += 1) {
    if (at % SLICE_CHANGES === SLICE_CHANGES - 1 && performance.now() > sliceEnd) {
      await yieldToLoop();
      sliceEnd = performance.now() + SLICE_MS;
    }
    applyChange(copy, step.changes[at]!);
  }
}

/** Resolves when no reader is in the copy. It is not live, so none enters. */
async function awaitReaders(control: Int32Array, copy: 0 | 1): Promise<void> {
  for (let reader = 0; reader < READERS_MAX; reader += 1) {
    const state = readerState(reader);
    const inside = copy + 1;
    const since = performance.now();
    // A reader may mark the old copy for a moment after the flip (`enter` then leaves it again),
    // which this may see or not: such a reader reads nothing.
    while (Atomics.load(control, state) === inside) {
      const waited = performance.now() - since;
      assert(waited < READER_WAIT_MS_MAX, `reader ${reader} does not leave the shared book`);
      const wait = Atomics.waitAsync(control, state, inside, READER_WAIT_MS_MAX);
      if (wait.async) await wait.value;
    }
  }
}
