/**
 * Records by the last ledger of their allowance: a lapse emits nothing, so the ledger number alone
 * says when a budget ends.
 */
export class Lapses {
  readonly #records = new Map<number, Set<string>>();

  change(record: string, before: number, after: number): void {
    if (before === after) return;
    const former = this.#records.get(before);
    if (former?.delete(record) && former.size === 0) this.#records.delete(before);
    if (after === 0) return;
    const records = this.#records.get(after);
    if (records === undefined) this.#records.set(after, new Set([record]));
    else records.add(record);
  }

  /** Records whose allowance is live in `ledger` for the last time. */
  endingIn(ledger: number): Iterable<string> {
    return this.#records.get(ledger) ?? [];
  }

  /** Records whose allowance was live in `from` and is not in `to`. */
  *between(from: number, to: number): Iterable<string> {
    if (to - from <= this.#records.size) {
      for (let last = from; last < to; last += 1) yield* this.#records.get(last) ?? [];
      return;
    }
    for (const [last, records] of this.#records) {
      if (last >= from && last < to) yield* records;
    }
  }
}
