// Finds the open topics that a change concerns, by one of their keys each.

export class TopicIndex<Topic> {
  readonly #byKey = new Map<string, Set<Topic>>();

  add(keys: readonly string[], topic: Topic): void {
    for (const key of keys) {
      let topics = this.#byKey.get(key);
      if (topics === undefined) {
        topics = new Set();
        this.#byKey.set(key, topics);
      }
      topics.add(topic);
    }
  }

  remove(keys: readonly string[], topic: Topic): void {
    for (const key of keys) {
      const topics = this.#byKey.get(key);
      topics?.delete(topic);
      if (topics?.size === 0) this.#byKey.delete(key);
    }
  }

  of(key: string): Iterable<Topic> {
    return this.#byKey.get(key) ?? [];
  }
}
