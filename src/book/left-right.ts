// Left-right, the writer's half. Main thread only.
import assert from "node:assert/strict";
import { setImmediate as yieldToLoop } from "node:timers/promises";
import type { Address } from "../model/address.ts";
import { atOnce, inStepSlices } from "../model/slice-turns.ts";
import type { BookChange } from "./book-change.ts";
import {
  type BookBuffers,
  CONTROL_BYTES,
  CONTROL_LIVE,
  NO_COPY,
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
  capacityFor,
  touchBook,
} from "./shared-layout.ts";
import { BookLoader } from "./shared-load.ts";
import { countSelling, eachSelling, ordersSelling } from "./shared-maker.ts";
import { mirrorBook } from "./shared-mirror.ts";
import { bookSequence } from "./shared-reader.ts";
import { applyChange, applyChanges, initCopy, makeRoom, writeState } from "./shared-writer.ts";
import type { BackedOrder, BookState, BookWriter, LiveOrders } from "./step.ts";

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

/** Live orders without a configured capacity: for tests and tools. */
const ORDERS = 1 << 21;

/** A step (step.ts) as it is written to both copies. */
type BookStep = {
  readonly sequence: number;
  readonly state: BookState;
  readonly changes: readonly BookChange[];
};

/**
 * The whole live book in memory that all threads read. A step is written to the idle copy and
 * becomes visible to every thread by one store. An error while one is written is fatal: the book
 * no longer mirrors the chain.
 */
export class SharedBook implements BookWriter {
  readonly buffers: BookBuffers;
  readonly #control: Int32Array;
  readonly #copies: readonly [BookCopy, BookCopy];
  #live: 0 | 1 = 0;
  /** Orders are being loaded, which the second copy has not got yet. */
  #loader: BookLoader | undefined;
  #sequence = 0;
  /** Written to the idle copy, visible to nobody. */
  #prepared: BookStep | undefined;
  /** The last published step on its way into the copy that was live before it. */
  #replay: Promise<void> | undefined;

  constructor(options: SharedBookOptions) {
    const capacity = options.capacity ?? capacityFor(ORDERS);
    const bytes = bookBytes(capacity);
    const copies = [new SharedArrayBuffer(bytes), new SharedArrayBuffer(bytes)] as const;
    const open = (buffer: SharedArrayBuffer) => {
      touchBook(buffer, capacity, options.touchOrders ?? 1 << 14);
      return initCopy(bookView(buffer, capacity), options.contract, options.untracked);
    };
    this.buffers = { copies, control: new SharedArrayBuffer(CONTROL_BYTES), capacity };
    this.#control = new Int32Array(this.buffers.control);
    this.#control[CONTROL_LIVE] = NO_COPY;
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

  /** Before the first step no reader is in either copy: orders go straight into one of them. */
  load(orders: LiveOrders): void {
    assert(this.#sequence === 0 && this.#prepared === undefined, "loaded after the first step");
    this.#loader ??= new BookLoader(this.#copies[0]);
    this.#loader.load(orders);
  }

  /** The live orders of an owner that sell an asset, oldest first. */
  ordersSelling(owner: Address, asset: Address): readonly BackedOrder[] {
    return ordersSelling(this.live, owner, asset);
  }

  /** The same in any order, one at a time; steps may be shown between that leave them as they are. */
  eachSelling(owner: Address, asset: Address): Iterable<BackedOrder> {
    return eachSelling(() => this.live, owner, asset);
  }

  /** How many of these there are, counted to `most`. */
  countSelling(owner: Address, asset: Address, most: number): number {
    return countSelling(this.live, owner, asset, most);
  }

  /** Resolves once both copies hold the last published step. Rejects where that failed. */
  async ready(): Promise<void> {
    await this.#replay;
  }

  /** A whole step within one turn. Only when `ready` has resolved since the last one. */
  apply(changes: readonly BookChange[], state: BookState): void {
    if (this.#loader !== undefined) {
      this.#applyLoaded(this.#loader, changes, state);
      return;
    }
    const { copy, step } = this.#nextStep(changes, state);
    atOnce(writing(copy, step));
    this.#prepared = step;
    this.publish();
  }

  /**
   * Writes a step in slices that leave the loop its turns; `publish` then shows it. `changes` must
   * stay as they are until the next step.
   */
  async prepare(changes: readonly BookChange[], state: BookState): Promise<void> {
    await this.ready();
    const { copy, step } = this.#nextStep(changes, state);
    await inStepSlices(writing(copy, step));
    this.#prepared = step;
  }

  /** Makes the prepared step visible to all threads at once. */
  publish(): void {
    const step = this.#prepared;
    assert(step !== undefined, "no step is prepared");
    this.#prepared = undefined;
    const left = this.#live;
    this.#live = left === 0 ? 1 : 0;
    // The store comes after the step's writes, so that a reader that sees the new copy sees all of
    // them, and before the look at the readers in `#repeat`: see `enter`.
    Atomics.store(this.#control, CONTROL_LIVE, this.#live);
    this.#replay = this.#repeat(step, left);
    // The next `ready` rejects as it does; a rejection that nobody handles until then would end the process.
    this.#replay.catch(() => {});
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

  /** The first step after loading: written once, since the second copy is made from the first. */
  #applyLoaded(loader: BookLoader, changes: readonly BookChange[], state: BookState): void {
    const [filled, other] = this.#copies;
    this.#sequence += 1;
    writeState(filled.view, this.#sequence, state);
    // The sides are then marked with the step that shows them.
    loader.finish();
    this.#loader = undefined;
    for (const change of changes) applyChange(filled, change);
    mirrorBook(filled.view, other.view);
    Atomics.store(this.#control, CONTROL_LIVE, this.#live);
  }

  #nextStep(changes: readonly BookChange[], state: BookState): { copy: BookCopy; step: BookStep } {
    assert(this.#loader === undefined, "what was loaded is applied first");
    assert(this.#replay === undefined, "the copies still differ: await ready() first");
    assert(this.#sequence === this.sequence, "the last step is not published yet");
    this.#sequence += 1;
    const copy = this.#copies[this.#live === 0 ? 1 : 0];
    return { copy, step: { sequence: this.#sequence, state, changes } };
  }

  async #repeat(step: BookStep, copy: 0 | 1): Promise<void> {
    // What the step made visible is sent and answered first.
    await yieldToLoop();
    await awaitReaders(this.#control, copy);
    await inStepSlices(writing(this.#copies[copy], step));
    this.#replay = undefined;
  }
}

/** In portions of some tens of microseconds. */
function* writing(copy: BookCopy, step: BookStep): Generator<void, void> {
  writeState(copy.view, step.sequence, step.state);
  yield* makeRoom(copy, step.changes.length);
  yield* applyChanges(copy, step.changes);
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
