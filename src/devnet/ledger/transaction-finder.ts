// Where the transaction with a hash is: a hash table of numbers, 12 bytes a slot, since a week of
// ledgers holds millions of them. A few bytes of each hash are kept; whoever asks compares the rest.

/** Open addressing: fingerprint, ledger, order; order 0 is a free slot. */
const SLOT = 3;
const SLOTS_MIN = 1024;
/** Past it the table is built anew. */
const LOAD_MAX = 0.6;

export type Candidate = { readonly ledger: number; readonly order: number };

export class TransactionFinder {
  #slots = new Uint32Array(SLOT * SLOTS_MIN);
  #count = 0;
  #oldest = 0;

  /** `order` counts the ledger's transactions from 1. */
  add(hash: Uint8Array, ledger: number, order: number): void {
    if (this.#count >= (LOAD_MAX * this.#slots.length) / SLOT) this.#rebuild();
    this.#put(fingerprint(hash), ledger, order);
  }

  /** The newest first. */
  candidates(hash: Uint8Array): readonly Candidate[] {
    const found: Candidate[] = [];
    const wanted = fingerprint(hash);
    const slots = this.#slots;
    for (let at = this.#slotOf(wanted); slots[at + 2] !== 0; at = this.#after(at)) {
      const ledger = slots[at + 1] ?? 0;
      if (slots[at] === wanted && ledger >= this.#oldest) {
        found.push({ ledger, order: slots[at + 2] ?? 0 });
      }
    }
    return found.sort((one, other) => other.ledger - one.ledger);
  }

  /** Ledgers below `oldest` are forgotten, the next time the table is built. */
  trim(oldest: number): void {
    this.#oldest = oldest;
  }

  #put(print: number, ledger: number, order: number): void {
    const slots = this.#slots;
    let at = this.#slotOf(print);
    while (slots[at + 2] !== 0) at = this.#after(at);
    slots[at] = print;
    slots[at + 1] = ledger;
    slots[at + 2] = order;
    this.#count += 1;
  }

  #rebuild(): void {
    const before = this.#slots;
    let kept = 0;
    for (let at = 0; at < before.length; at += SLOT) {
      if (before[at + 2] !== 0 && (before[at + 1] ?? 0) >= this.#oldest) kept += 1;
    }
    let slots = SLOTS_MIN;
    while (kept >= (LOAD_MAX * slots) / 2) slots *= 2;
    this.#slots = new Uint32Array(SLOT * slots);
    this.#count = 0;
    for (let at = 0; at < before.length; at += SLOT) {
      const [print = 0, ledger = 0, order = 0] = before.subarray(at, at + SLOT);
      if (order !== 0 && ledger >= this.#oldest) this.#put(print, ledger, order);
    }
  }

  #slotOf(print: number): number {
    return SLOT * (print % (this.#slots.length / SLOT));
  }

  #after(at: number): number {
    return (at + SLOT) % this.#slots.length;
  }
}

function fingerprint(hash: Uint8Array): number {
  return new DataView(hash.buffer, hash.byteOffset).getUint32(0);
}
