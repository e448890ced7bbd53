// Work that can wait, in portions: in the turns of the loop that nobody needs, or at once when
// somebody needs its result.
import { setImmediate as yieldToLoop } from "node:timers/promises";

/** The loop gets its turn at least this often (a guess). */
const SLICE_MS = 3;

/** `portions` yields after each portion, of less than a millisecond. Main thread. */
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
  async finishInTurns(signal: AbortSignal): Promise<void> {
    let sliceEnd = performance.now() + SLICE_MS;
    while (!signal.aborted && this.#next()) {
      if (performance.now() < sliceEnd) continue;
      await yieldToLoop();
      sliceEnd = performance.now() + SLICE_MS;
    }
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
