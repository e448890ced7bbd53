// Ledger pace: the average time between ledgers, and whether the network is silent.

/** Until it is known (the public networks' ledgers take 5 to 6 s). */
const PERIOD_FIRST_MS = 5_000;
const PERIOD_MAX_MS = 60_000;
const GAIN = 0.2;
/** However fast ledgers are: requests take their time too. */
const PATIENCE_MIN_MS = 1_000;
const SILENCE_MIN_MS = 15_000;

export class LedgerPace {
  #period = PERIOD_FIRST_MS;
  #lastAt: number;
  #lastLedger = 0;
  /** Ledgers with their arrival times: the newest that is older than the patience, and all later ones. */
  #marks: { readonly ledger: number; readonly at: number }[] = [];

  constructor(now: number) {
    this.#lastAt = now;
  }

  /** Reading begins again after `ledger`. */
  begin(ledger: number, now: number): void {
    this.#lastAt = now;
    this.#lastLedger = ledger;
  }

  /** `isTip`: none of these ledgers existed at the request before this one. */
  arrived(ledger: number, isTip: boolean, now: number): void {
    if (isTip && this.#lastLedger > 0 && ledger > this.#lastLedger) {
      const each = Math.min(PERIOD_MAX_MS, (now - this.#lastAt) / (ledger - this.#lastLedger));
      this.#period += GAIN * (each - this.#period);
    }
    this.#lastAt = now;
    this.#lastLedger = ledger;
    this.#marks.push({ ledger, at: now });
    while (this.#marks.length > 1 && (this.#marks[1]?.at ?? now) <= now - this.patienceMs) {
      this.#marks.shift();
    }
    if (this.#marks.length > MARKS_MAX) this.#marks.splice(0, MARKS_MAX / 2);
  }

  /** Two ledger times: a source that lacks a ledger for longer than that is behind. */
  get patienceMs(): number {
    return Math.max(PATIENCE_MIN_MS, 2 * this.#period);
  }

  /** Milliseconds since the last ledger. */
  quietMs(now: number): number {
    return now - this.#lastAt;
  }

  /** No ledger for longer than any source takes to serve one. */
  isSilent(now: number): boolean {
    return this.quietMs(now) > Math.max(SILENCE_MIN_MS, 1.5 * this.patienceMs);
  }

  /** The newest ledger held two ledger times ago; 0: unknown. */
  hadBefore(now: number): number {
    const due = now - this.patienceMs;
    let ledger = 0;
    for (const mark of this.#marks) if (mark.at <= due) ({ ledger } = mark);
    return ledger;
  }
}

/** Bounds the marks kept while ledgers arrive as fast as they can. */
const MARKS_MAX = 1024;
