/** Holds between `max` and twice as many of the entries used last. */
export class RecentMap<K, V> {
  readonly #max: number;
  #recent = new Map<K, V>();
  #older = new Map<K, V>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: K): V | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: K, value: V): void {
    if (this.#recent.size >= this.#max) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }

  delete(key: K): void {
    this.#recent.delete(key);
    this.#older.delete(key);
  }
}
