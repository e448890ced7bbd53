// Cache of rows that are requested repeatedly.
import type { Position } from "../model/position.ts";
import { RecentMap } from "./recent-map.ts";

/** A row is cached once it is requested again within so many times the cache's rows (choice). */
const ASKED_ROWS = 4;

/**
 * Caches a row at its second request: rows that are read once would only evict others, and objects that live
 * for a short while cost the garbage collector more than reading them again. Holds between `max` and twice as
 * many rows.
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
