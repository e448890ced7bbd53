// Listeners to changes.

export class Changes {
  readonly #listeners = new Set<() => void>();

  /** Returns how to stop listening. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
