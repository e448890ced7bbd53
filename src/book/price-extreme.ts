// The highest or lowest price of a moving window, in constant amortised time.
import { comparePrices, type PriceRatio } from "../model/candle.ts";

type Entry = { readonly at: number; readonly price: PriceRatio };

/** Spent entries kept at the front before the array is cut. */
const SPENT_MAX = 64;

export class PriceExtreme {
  /** 1 keeps the highest price, -1 the lowest. */
  readonly #sign: 1 | -1;
  // Invariant: times rise, and each price beats all later ones.
  #entries: Entry[] = [];
  #first = 0;

  constructor(sign: 1 | -1) {
    this.#sign = sign;
  }

  get best(): PriceRatio | undefined {
    return this.#entries[this.#first]?.price;
  }

  /** `at` must not be before the last one pushed; equal times leave the window together. */
  push(at: number, price: PriceRatio): void {
    const entries = this.#entries;
    for (;;) {
      const last = entries.length > this.#first ? entries.at(-1) : undefined;
      if (last === undefined) break;
      const isBeaten = this.#sign * comparePrices(price, last.price) >= 0;
      if (!isBeaten && last.at === at) return;
      if (!isBeaten) break;
      entries.pop();
    }
    entries.push({ at, price });
  }

  /** Leaves out everything up to a time, inclusive. */
  dropThrough(at: number): void {
    const entries = this.#entries;
    for (let entry = entries[this.#first]; entry !== undefined && entry.at <= at; ) {
      this.#first += 1;
      entry = entries[this.#first];
    }
    if (this.#first < SPENT_MAX) return;
    this.#entries = entries.slice(this.#first);
    this.#first = 0;
  }
}
