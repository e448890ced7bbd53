// Rows as they were read, of the pages that many ask for.
import type { Position } from "../model/position.ts";
import { RecentMap } from "./recent-map.ts";

/** What is asked again within so many times the rows that are kept is kept (choice). */
const ASKED_ROWS = 4;

/**
 * Keeps what is asked for a second time: rows that are read once would only push the others out,
 * and objects that live a little cost the collector more than reading them. Holds between `max` and
 * twice as many rows.
 */
export class RowCache<T> {
  readonly #max: number;
  readonly #rows: RecentMap<Position, T>;
  #asked = new Set<Position>();

  constructor(max: number) {
    this.#max = max;
    this.#rows = new RecentMap(max);
  }

  get(position: Position): T | undefined {
    return this.#rows.get(position);
  }

  /** A row that `get` did not have. */
  offer(position: Position, row: T): void {
    if (this.#asked.delete(position)) {
      this.#rows.set(position, row);
      return;
    }
    if (this.#asked.size >= ASKED_ROWS * this.#max) this.#asked = new Set();
    this.#asked.add(position);
  }

  delete(position: Position): void {
    this.#rows.delete(position);
  }
}
