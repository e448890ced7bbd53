// Long work of the main thread goes on in slices of some milliseconds: one slice a turn of the loop, whoever and however
// many have such work, in their order. Main thread.

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
