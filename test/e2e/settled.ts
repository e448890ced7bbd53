// Comparisons with an engine whose orders expire by its own clock.
import assert from "node:assert/strict";

/** Generous: what is compared may come by a push that a busy machine delays. */
const WAIT_MS_MAX = 90_000;
/** Between two comparisons: short at first, for what is on its way, and ever longer. */
const PAUSE_MS_MIN = 50;
const PAUSE_MS_MAX = 800;

/**
 * An order may expire between two requests: then the comparison is made again, a moment later.
 * `now`: UNIX seconds.
 */
export async function settled(compare: (now: number) => Promise<void>): Promise<void> {
  const deadline = performance.now() + WAIT_MS_MAX;
  for (let pauseMs = PAUSE_MS_MIN; ; pauseMs = Math.min(1.5 * pauseMs, PAUSE_MS_MAX)) {
    const isLast = performance.now() > deadline;
    try {
      await compare(Math.floor(Date.now() / 1000));
      return;
    } catch (error) {
      if (!(error instanceof assert.AssertionError) || isLast) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
