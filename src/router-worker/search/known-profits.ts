// What is known of a hop's profits (profit-sums.ts), kept in one block: a side whose candidates are made anew
// keeps the memory.
import { ORDERS_MAX } from "../quote.ts";

/** Of each shadow price: what 0 to ORDERS_MAX orders profit, then what filling that took. */
export const PROFIT_ROW = ORDERS_MAX + 2;
/** Shadow prices of a hop whose sums are kept: bounds memory, 200 bytes each (choice). */
const ROWS_MAX = 64;
const BLOCK = 16;
const NO_ROW = -1;

/** The sums that are known of a hop's orders, by a key of the shadow price; while its candidates stay. */
export class KnownProfits {
  rows = new Float64Array(0);
  #rowOf = new Int8Array(0);
  #used = 0;

  clear(): void {
    this.#rowOf.fill(NO_ROW);
    this.#used = 0;
  }

  /** Where the row of a key starts in `rows`; NO_ROW: it is not known. */
  find(key: number): number {
    const row = this.#rowOf[key] ?? NO_ROW;
    return row < 0 ? NO_ROW : row * PROFIT_ROW;
  }

  /** Where a row for the key starts from now on; others can be forgotten for it. */
  add(key: number): number {
    if (this.#used === ROWS_MAX) this.clear();
    if (key >= this.#rowOf.length) this.#growKeys(key);
    const at = this.#used * PROFIT_ROW;
    if (at === this.rows.length) this.#growRows();
    this.#rowOf[key] = this.#used;
    this.#used += 1;
    return at;
  }

  #growKeys(key: number): void {
    const rowOf = new Int8Array(2 * key + BLOCK).fill(NO_ROW);
    rowOf.set(this.#rowOf);
    this.#rowOf = rowOf;
  }

  #growRows(): void {
    const rows = new Float64Array(Math.max(BLOCK * PROFIT_ROW, 2 * this.rows.length));
    rows.set(this.rows);
    this.rows = rows;
  }
}
