// Output streams of the log that treat progress records specially: a catch-up reports every second, which is
// written as an ordinary line now and then, or on a terminal as one line that is rewritten in place.
import type { Clock } from "./model/clock.ts";

/** Interval of progress records that are written as ordinary lines. */
const PROGRESS_EVERY_MS = 5_000;
/** Returns to the start of the line and erases it. */
const CLEAR = "\r\x1b[2K";
/** Where a terminal does not say how wide it is. */
const COLUMNS = 80;

/** Takes a whole line, its end included. */
export type LineSink = { write(line: string): unknown };

/** A log record with this field reports progress; the field holds the details. */
export const PROGRESS_FIELD = "progress";
const PROGRESS_MARK = `"${PROGRESS_FIELD}":{`;

/** Lets through a record of progress now and then, and all others. */
export class SparseProgress implements LineSink {
  readonly #sink: LineSink;
  readonly #clock: Clock;
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(sink: LineSink, clock: Clock) {
    this.#sink = sink;
    this.#clock = clock;
  }

  write(line: string): void {
    if (line.includes(PROGRESS_MARK)) {
      const now = this.#clock();
      if (now - this.#shownAt < PROGRESS_EVERY_MS) return;
      this.#shownAt = now;
    }
    this.#sink.write(line);
  }
}

/** `records` writes them readably to `screen`; progress is written there in place. */
export class ProgressLine implements LineSink {
  readonly #records: LineSink;
  readonly #screen: LineSink;
  readonly #columns: () => number | undefined;
  #shown = false;

  constructor(records: LineSink, screen: LineSink, columns: () => number | undefined) {
    this.#records = records;
    this.#screen = screen;
    this.#columns = columns;
  }

  write(line: string): void {
    const text = line.includes(PROGRESS_MARK) ? messageOf(line) : undefined;
    if (text !== undefined) {
      // A line that wraps could not be taken back.
      const columns = this.#columns() ?? 0;
      this.#screen.write(CLEAR + text.slice(0, (columns > 1 ? columns : COLUMNS) - 1));
      this.#shown = true;
      return;
    }
    if (this.#shown) this.#screen.write(CLEAR);
    this.#shown = false;
    this.#records.write(line);
  }
}

/** Undefined where the record is none of progress after all. */
function messageOf(line: string): string | undefined {
  const record = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const isProgress = record[PROGRESS_FIELD] !== undefined && typeof record.msg === "string";
  return isProgress ? String(record.msg) : undefined;
}
