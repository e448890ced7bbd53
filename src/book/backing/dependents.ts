/** Records by the keys they need. Most keys have one record: a set for each would cost more than it. */
export class Dependents {
  readonly #records = new Map<string, string | Set<string>>();

  has(key: string): boolean {
    return this.#records.has(key);
  }

  of(key: string): Iterable<string> {
    const records = this.#records.get(key);
    if (records === undefined) return [];
    return typeof records === "string" ? [records] : records;
  }

  add(key: string, record: string): void {
    const records = this.#records.get(key);
    if (records === undefined) this.#records.set(key, record);
    else if (typeof records !== "string") records.add(record);
    else if (records !== record) this.#records.set(key, new Set([records, record]));
  }

  delete(key: string, record: string): void {
    const records = this.#records.get(key);
    if (records === undefined) return;
    if (typeof records === "string") {
      if (records === record) this.#records.delete(key);
    } else if (records.delete(record) && records.size === 0) this.#records.delete(key);
  }
}
