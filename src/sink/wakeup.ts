/** A signal with one waiter. A long-lived promise in its place would collect a reaction for every wait. */
export class Wakeup {
  #isDue = false;
  #wake: (() => void) | undefined;

  /** Ends the wait, or the next one. */
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
