// Comparisons with an engine whose orders expire by its own clock.
import assert from "node:assert/strict";

/** Generous: what is compared may come by a push that a busy machine delays. */
const ATTEMPTS_MAX = 40;

/**
 * An order may expire between two requests: then the comparison is made again, at another second.
 * `now`: UNIX seconds.
 */
export async function settled(compare: (now: number) => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await compare(Math.floor(Date.now() / 1000));
      return;
    } catch (error) {
      if (!(error instanceof assert.AssertionError) || attempt === ATTEMPTS_MAX) throw error;
    }
    // Well after the full second at which the engine moves orders by its clock.
    await new Promise((resolve) => setTimeout(resolve, 1200 - (Date.now() % 1000)));
  }
}
