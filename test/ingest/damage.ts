// Damages bytes in ways that meet a decoder's edges, the same ways for the same seed.

/** Values that are discriminants, counts and lengths on the edge of something. */
const WORDS = [0, 1, 2, 3, 4, 5, 6, 22, 23, 0x7fff_ffff, 0xffff_ffff] as const;

export class Damage {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.#below(list.length)];
    if (found === undefined) throw new RangeError("nothing to pick from");
    return found;
  }

  /** A damaged copy: cut short, with bits flipped, a word replaced, or a piece missing. */
  of(bytes: Uint8Array): Uint8Array {
    const copy = Uint8Array.from(bytes);
    const word = this.#below(copy.length >> 2) * 4;
    switch (this.#below(4)) {
      case 0:
        return copy.subarray(0, this.#below(copy.length));
      case 1:
        for (let flips = 1 + this.#below(3); flips > 0; flips -= 1) {
          const at = this.#below(copy.length);
          copy[at] = (copy[at] ?? 0) ^ (1 << this.#below(8));
        }
        return copy;
      case 2:
        new DataView(copy.buffer).setUint32(word, this.pick(WORDS));
        return copy;
      default: {
        const end = Math.min(copy.length, word + 4 + 4 * this.#below(8));
        const rest = copy.slice(end);
        copy.set(rest, word);
        return copy.subarray(0, word + rest.length);
      }
    }
  }

  /** An integer in [0, end). */
  #below(end: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * end);
  }
}
