// Slices of long work on the main thread: some milliseconds each, one slice a turn of the event loop, in the
// order of the callers. The work of a step, which everything waits for, has turns of its own. Main thread.
import { setImmediate as nextTurn } from "node:timers/promises";

/** Work of a step goes on for so long before others get their turn (a choice). */
const STEP_SLICE_MS = 4;

/** Work of steps that is in progress in slices. */
let stepWorks = 0;

/** Resolves with what it returns. It yields between portions of some microseconds each. */
export async function inStepSlices<T>(portions: Generator<void, T>): Promise<T> {
  stepWorks += 1;
  try {
    let sliceEnd = performance.now() + STEP_SLICE_MS;
    for (;;) {
      const { done, value } = portions.next();
      if (done === true) return value;
      if (performance.now() < sliceEnd) continue;
      await nextTurn();
      sliceEnd = performance.now() + STEP_SLICE_MS;
    }
  } finally {
    stepWorks -= 1;
  }
}

/** All portions of it within the caller's turn. */
export function atOnce<T>(portions: Generator<void, T>): T {
  for (;;) {
    const { done, value } = portions.next();
    if (done === true) return value;
  }
}

/** Whether the next turn has a slice of a step: what can wait leaves the thread to it. */
export function isStepInSlices(): boolean {
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
