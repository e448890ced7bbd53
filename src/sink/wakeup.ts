/** One who waits and others who wake it. Promises that live as long would gather their waiters. */
export class Wakeup {
  #isDue = false;
  #wake: (() => void) | undefined;

  /** Ends the wait, or the next one where nobody waits. */
  wake(): void {
    this.#isDue = true;
    this.#wake?.();
  }

  async wait(): Promise<void> {
    if (!this.#isDue) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#wake = undefined;
    this.#isDue = false;
  }
}
