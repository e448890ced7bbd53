/**
 * A map as a step would leave it, over the visible one, which stays as it is until `commit`. Values
 * must be immutable.
 */
export class Overlay<K, V> {
  readonly #base: Map<K, V>;
  readonly #changed = new Map<K, V | undefined>();

  constructor(base: Map<K, V>) {
    this.#base = base;
  }

  get(key: K): V | undefined {
    return this.#changed.has(key) ? this.#changed.get(key) : this.#base.get(key);
  }

  set(key: K, value: V): void {
    this.#changed.set(key, value);
  }

  delete(key: K): void {
    this.#changed.set(key, undefined);
  }

  /** What was set or deleted (undefined) since the start, each key once. */
  changes(): Iterable<[K, V | undefined]> {
    return this.#changed;
  }

  commit(): void {
    for (const [key, value] of this.#changed) {
      if (value === undefined) this.#base.delete(key);
      else this.#base.set(key, value);
    }
  }
}
