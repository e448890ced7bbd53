// Rows in the order of their positions between two times. Rows of one ledger have one time, and later ledgers never an
// earlier one, so that the first row is found by halving.
import { lowestWhere } from "../model/bisect.ts";
import { ledgerStart, type Position } from "../model/position.ts";

/** Ledger numbers have 32 bits. */
const LEDGERS = 2 ** 32;
/** Rows read at once. */
const WALK_ROWS = 1000;

export type TimeRows<T> = {
  /** Oldest first, above the position. */
  readonly page: (after: Position, limit: number) => readonly T[];
  readonly positionOf: (row: T) => Position;
  /** UNIX seconds. */
  readonly timeOf: (row: T) => number;
};

/**
 * Rows whose time is at least `from` and below `to` (UNIX seconds), oldest first. The store must not be renewed
 * meanwhile.
 */
export function* rowsBetween<T>(
  rows: TimeRows<T>,
  from: number,
  to: number,
  atOnce = WALK_ROWS,
): Generator<T> {
  let after = lastBefore(rows, from);
  for (;;) {
    const page = rows.page(after, atOnce);
    for (const row of page) {
      after = rows.positionOf(row);
      if (rows.timeOf(row) >= to) return;
      yield row;
    }
    if (page.length < atOnce) return;
  }
}

/** A position with nothing from `time` on before it and nothing older after it. */
export function lastBefore<T>(rows: TimeRows<T>, time: number): Position {
  // The lowest ledger from which on no row is older.
  const ledger = lowestWhere(0, LEDGERS, (middle) => {
    const [row] = rows.page(ledgerStart(middle), 1);
    return row === undefined || rows.timeOf(row) >= time;
  });
  return ledgerStart(ledger);
}
