// Turn budget: the share of one turn of the event loop that requests and push messages may take. A connection
// can send thousands of them in one piece, which the binding hands over in one turn: without a bound they would
// block all other work, and their answers would pile up in memory. Main thread.

/** Beyond this, requests of the same turn wait for a later one (choice). */
const TURN_MS = 50;
/** The same of answers, in characters (choice): some hundred of the largest pages. */
const TURN_ANSWERS = 16 * 1024 * 1024;

export class TurnBudget {
  /** Requests that may wait for a later turn (choice). */
  static readonly DEFERRED_MAX = 1024;

  readonly #deferred = new Set<() => void>();
  #startMs = 0;
  #answers = 0;
  #isOpen = false;
  #isDraining = false;

  /** Whether this turn has no room for another answer of those that may take so much of it. */
  isSpent(nowMs: number, turnMs = TURN_MS): boolean {
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.#startMs = nowMs;
      this.#answers = 0;
      setImmediate(() => {
        this.#isOpen = false;
      });
    }
    return nowMs - this.#startMs > turnMs || this.#answers > TURN_ANSWERS;
  }

  wrote(characters: number): void {
    this.#answers += characters;
  }

  /**
   * Runs it in a later turn. Returns a function that cancels it and tells whether it had still to run;
   * undefined where too many wait already.
   */
  defer(run: () => void): (() => boolean) | undefined {
    if (this.#deferred.size >= TurnBudget.DEFERRED_MAX) return undefined;
    const work = (): void => run();
    this.#deferred.add(work);
    this.#drainSoon();
    return () => this.#deferred.delete(work);
  }

  #drainSoon(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    setImmediate(() => {
      this.#isDraining = false;
      const endMs = performance.now() + TURN_MS;
      this.#answers = 0;
      for (const work of this.#deferred) {
        this.#deferred.delete(work);
        work();
        if (performance.now() >= endMs || this.#answers > TURN_ANSWERS) break;
      }
      if (this.#deferred.size > 0) this.#drainSoon();
    });
  }
}
