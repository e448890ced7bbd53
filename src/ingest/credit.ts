/** Flow control: at most `max` ledgers are out at a time. */
export class Credit {
  readonly #max: number;
  readonly #out: number[] = [];
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(max: number) {
    this.#max = max;
  }

  sent(ledger: number): void {
    this.#out.push(ledger);
  }

  /** `ledger` and all before it came back. */
  acknowledged(ledger: number): void {
    while (this.#out[0] !== undefined && this.#out[0] <= ledger) this.#out.shift();
    if (this.#out.length < this.#max) this.#release();
  }

  /** Resolves once another ledger may go out, or once closed. For one waiter at a time. */
  async available(): Promise<void> {
    if (this.#closed || this.#out.length < this.#max) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Ends every wait, now and later; the waiter sees that it has to stop. */
  close(): void {
    this.#closed = true;
    this.#release();
  }

  #release(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
