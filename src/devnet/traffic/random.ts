import { createHash } from "node:crypto";

/**
 * A seeded generator (sfc32, by Chris Doty-Humphrey): the same seed gives the same numbers on every
 * machine. Only exact operations, so that no result depends on a platform's math library.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  constructor(seed: string) {
    const digest = createHash("sha256").update(seed).digest();
    this.#a = digest.readUInt32LE(0);
    this.#b = digest.readUInt32LE(4);
    this.#c = digest.readUInt32LE(8);
    this.#counter = digest.readUInt32LE(12);
  }

  bits(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  unit(): number {
    return this.bits() / 2 ** 32;
  }

  /** An integer from 0 to below `count`; `count` is at least 1 and at most 2^32. */
  below(count: number): number {
    return Math.floor(this.unit() * count);
  }

  between(low: number, high: number): number {
    return low + this.unit() * (high - low);
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** One of `items`, which must not be empty. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError("nothing to pick from");
    return item;
  }

  /** A copy in random order. */
  shuffle<T>(items: readonly T[]): T[] {
    const shuffled = [...items];
    for (let at = shuffled.length - 1; at > 0; at -= 1) {
      const other = this.below(at + 1);
      const [one, two] = [shuffled[at], shuffled[other]];
      if (one === undefined || two === undefined) continue;
      shuffled[at] = two;
      shuffled[other] = one;
    }
    return shuffled;
  }
}
