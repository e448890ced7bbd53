// Updates at most once in an interval, and the last state of a burst always.
import type { Clock } from "../../model/clock.ts";

/** Time as the throttles see it, so that tests can set it. */
export type Timers = {
  readonly clock: Clock;
  /** Milliseconds that nobody sets: how long something takes. */
  readonly elapsed: () => number;
  /** Calls `run` once after so many milliseconds; returns the way to cancel. */
  readonly after: (delayMs: number, run: () => void) => () => void;
};

export const systemTimers: Timers = {
  clock: Date.now,
  elapsed: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

export type ThrottleOptions = {
  readonly intervalMs: number;
  readonly timers: Timers;
  /** Runs the work when it is its turn. */
  readonly turns: TurnQueue;
  /**
   * Returns whether it counts: where not, the next touch need not wait. Where it throws it is
   * called again after the interval.
   */
  readonly run: () => boolean;
};

export class Throttle {
  readonly #options: ThrottleOptions;
  #lastMs = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(options: ThrottleOptions) {
    this.#options = options;
  }

  /** Something changed: `run` is called as soon as the interval allows. */
  touch(): void {
    if (this.#cancel !== undefined) return;
    const { intervalMs, timers, turns, run } = this.#options;
    const waitedMs = timers.clock() - this.#lastMs;
    // A clock that was set back must not silence a topic for as long.
    const leftMs = waitedMs < 0 ? intervalMs : Math.max(0, intervalMs - waitedMs);
    const begin = (): void => {
      this.#cancel = turns.add(() => {
        // What changes from here on is for the next time.
        this.#cancel = undefined;
        try {
          if (run()) this.#lastMs = timers.clock();
        } catch (error) {
          // Tried again, or the last state of a burst would wait for a change that may never come.
          this.#lastMs = timers.clock();
          this.touch();
          throw error;
        }
      });
    };
    if (leftMs === 0) begin();
    else this.#cancel = timers.after(leftMs, begin);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** Work of the main thread goes on for so long before others get their turn (a choice). */
const TURN_MS = 5;

/**
 * Work that need not be done at once, in small portions: topics whose interval ends together must not hold up the
 * thread together. As long as the turn has time for it, it runs right behind the code that adds it: what becomes due
 * with a step goes out with the rest of the step, in one write to each client. One that fails is told and does not
 * hold up the others.
 */
export class TurnQueue {
  readonly #elapsed: Timers["elapsed"];
  readonly #failed: (error: unknown) => void;
  readonly #waiting = new Set<() => void>();
  #isQueued = false;
  #isTurn = false;
  /** Of the turn's time. */
  #takenMs = 0;

  constructor({ elapsed }: Pick<Timers, "elapsed">, failed: (error: unknown) => void) {
    this.#elapsed = elapsed;
    this.#failed = failed;
  }

  /** Returns the way to cancel. */
  add(run: () => void): () => void {
    const work = () => run();
    this.#waiting.add(work);
    this.#beginTurn();
    if (!this.#isQueued) {
      this.#isQueued = true;
      queueMicrotask(() => {
        this.#isQueued = false;
        this.#work();
      });
    }
    return () => {
      this.#waiting.delete(work);
    };
  }

  #beginTurn(): void {
    if (this.#isTurn) return;
    this.#isTurn = true;
    setImmediate(() => {
      this.#isTurn = false;
      this.#takenMs = 0;
      if (this.#waiting.size === 0) return;
      this.#beginTurn();
      this.#work();
    });
  }

  #work(): void {
    for (const work of this.#waiting) {
      if (this.#takenMs >= TURN_MS) return;
      const startMs = this.#elapsed();
      this.#waiting.delete(work);
      try {
        work();
      } catch (error) {
        this.#failed(error);
      }
      this.#takenMs += this.#elapsed() - startMs;
    }
  }
}
