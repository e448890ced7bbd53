// Slices of long work on the main thread: some milliseconds each, one slice a turn of the event loop, in the
// order of the callers. The work of a step, which everything waits for, has turns of its own. Main thread.
import { setImmediate as nextTurn } from "node:timers/promises";

/** One slice goes on for so long before others get their turn (a choice). */
const SLICE_MS = 4;

/** Work of steps that is in progress, in slices or on another thread. */
let stepWorks = 0;
/** When the work of steps has had its slice of this turn; undefined before it began one. */
let stepEndMs: number | undefined;

/** One slice of the work, at once; with its last portion what it returns. It yields between portions. */
export function runSlice<T>(portions: Generator<void, T>): IteratorResult<void, T> {
  return runUntil(portions, performance.now() + SLICE_MS);
}

function runUntil<T>(portions: Generator<void, T>, endMs: number): IteratorResult<void, T> {
  for (;;) {
    const result = portions.next();
    if (result.done === true || performance.now() >= endMs) return result;
  }
}

/**
 * Resolves with what it returns. It yields between portions of some microseconds each. What comes one after the other
 * in a turn shares one slice.
 */
export function inStepSlices<T>(portions: Generator<void, T>): Promise<T> {
  return asStepWork(async () => {
    for (;;) {
      while (performance.now() >= stepEnd()) await nextTurn();
      const { done, value } = runUntil(portions, stepEnd());
      if (done === true) return value;
    }
  });
}

/** Resolves in a turn that has half of its slice left, for work of a step that is done at once. */
export function stepTurn(): Promise<void> {
  return asStepWork(async () => {
    while (performance.now() >= stepEnd() - SLICE_MS / 2) await nextTurn();
  });
}

/** Work of a step that takes more than one turn, whatever thread does it. */
export async function asStepWork<T>(work: () => Promise<T>): Promise<T> {
  stepWorks += 1;
  try {
    return await work();
  } finally {
    stepWorks -= 1;
  }
}

/** The slice begins with the first who asks. */
function stepEnd(): number {
  if (stepEndMs === undefined) {
    stepEndMs = performance.now() + SLICE_MS;
    setImmediate(() => {
      stepEndMs = undefined;
    });
  }
  return stepEndMs;
}

/** Work that can wait, a slice a turn. Resolves once all is done, or once the signal says that nothing will be. */
export async function inTurns(
  portions: Generator<void, unknown>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && runSlice(portions).done !== true) await nextTurn();
}

/**
 * Work that can wait, in turns of the loop, or at once when somebody needs its result. `portions` yields after each
 * portion, of less than a millisecond. Main thread.
 */
export class Slices {
  #portions: Iterator<void> | undefined;
  #failure: { readonly cause: unknown } | undefined;

  constructor(portions: Iterator<void>) {
    this.#portions = portions;
  }

  /** Does what is left now. Throws what a portion threw, each time: the rest can never be done. */
  finish(): void {
    while (this.#next());
  }

  /** Resolves once all is done, or nothing will be done any more because of the signal. */
  finishInTurns(signal: AbortSignal): Promise<void> {
    return inTurns(this.#rest(), signal);
  }

  *#rest(): Generator<void, void> {
    while (this.#next()) yield;
  }

  /** False when nothing is left. */
  #next(): boolean {
    if (this.#failure !== undefined) throw this.#failure.cause;
    if (this.#portions === undefined) return false;
    try {
      if (this.#portions.next().done === true) this.#portions = undefined;
      return this.#portions !== undefined;
    } catch (cause) {
      this.#failure = { cause };
      throw cause;
    }
  }
}

/** Items of one portion: some tens of microseconds. */
const PORTION = 16;

/** Takes all items, in portions of some of them. */
export function* portions<Item>(
  items: Iterable<Item>,
  take: (item: Item) => void,
): Generator<void, void> {
  let taken = 0;
  for (const item of items) {
    take(item);
    taken += 1;
    if (taken % PORTION === 0) yield;
  }
}

/** All portions of it within the caller's turn. */
export function atOnce<T>(portions: Generator<void, T>): T {
  for (;;) {
    const { done, value } = portions.next();
    if (done === true) return value;
  }
}

/** Whether a step is being worked on, and waits for its next turn: what can wait leaves the thread to it. */
export function isStepInWork(): boolean {
  return stepWorks > 0;
}

const waiting = new Set<() => void>();
let isScheduled = false;

/** Resolves when the caller's next slice may run, at the earliest in the next turn. */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    // Each has its own: equal functions would be one member.
    waiting.add(() => resolve());
    schedule();
  });
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    for (const run of waiting) {
      waiting.delete(run);
      run();
      break;
    }
    if (waiting.size > 0) schedule();
  });
}
