/** Closes ledgers one after the other, at an even pace or as fast as it can. */
export class Rhythm {
  readonly #intervalMs: () => number;
  readonly #beat: () => void;
  readonly #now: () => number;
  #cancel: (() => void) | undefined;

  /** `intervalMs` is asked before each beat; 0 leaves the thread to others once and goes on. */
  constructor(
    intervalMs: () => number,
    beat: () => void,
    now: () => number = () => performance.now(),
  ) {
    this.#intervalMs = intervalMs;
    this.#beat = beat;
    this.#now = now;
  }

  get running(): boolean {
    return this.#cancel !== undefined;
  }

  start(): void {
    if (!this.running) this.#schedule(this.#now());
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #schedule(last: number): void {
    const interval = this.#intervalMs();
    const due = last + interval;
    const beat = (): void => {
      this.#beat();
      // A late beat does not make the next ones catch up.
      if (this.running) this.#schedule(Math.max(due, this.#now() - interval));
    };
    if (interval === 0) {
      const immediate = setImmediate(beat);
      this.#cancel = () => clearImmediate(immediate);
    } else {
      const timer = setTimeout(beat, Math.max(0, due - this.#now()));
      this.#cancel = () => clearTimeout(timer);
    }
  }
}
