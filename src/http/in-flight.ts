// Counts the answers still to come, for a close that waits for them.

/** Counts the requests whose answer takes more than a turn of the loop. */
export class InFlight {
  #count = 0;
  #finished: () => void = () => undefined;

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#finished();
  }

  /** Resolves when none is left, or after the time. */
  finished(timeoutMs: number): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timeout = setTimeout(resolve, timeoutMs);
      this.#finished = () => {
        clearTimeout(timeout);
        resolve();
      };
    });
  }
}
