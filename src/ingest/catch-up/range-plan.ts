// Range plan: how many ledgers a range has. Enough to be worth a message, few enough to hold several ranges.
import type { Range } from "./messages.ts";

/** Of XDR in one range (choice): some eight ledgers of a busy network. */
const RANGE_BYTES = 8 << 20;
const LEDGERS_MAX = 200;
const LEDGERS_FIRST = 8;

export class RangePlan {
  readonly #end: number;
  readonly #step: number;
  #next: number;
  #ledgerBytes: number | undefined;

  /** `step`: a lake's ledgers per batch, so that no batch is read for two ranges. */
  constructor(from: number, end: number, step: number) {
    this.#next = from;
    this.#end = end;
    this.#step = step;
  }

  /** The next range, or undefined at the end. */
  take(): Range | undefined {
    if (this.#next > this.#end) return undefined;
    const from = this.#next;
    const last = from + this.#size() - 1;
    const aligned = last - (last % this.#step) + this.#step - 1;
    const to = Math.min(this.#end, aligned);
    this.#next = to + 1;
    return { from, to };
  }

  /** Size of a range: the estimate grows at once with larger ledgers and shrinks gradually with smaller ones. */
  took(ledgers: number, bytes: number): void {
    if (ledgers === 0) return;
    const each = Math.max(1, bytes / ledgers);
    const known = this.#ledgerBytes ?? each;
    this.#ledgerBytes = each > known ? each : known + (each - known) / 4;
  }

  #size(): number {
    if (this.#ledgerBytes === undefined) return LEDGERS_FIRST;
    return Math.max(1, Math.min(LEDGERS_MAX, Math.floor(RANGE_BYTES / this.#ledgerBytes)));
  }
}
