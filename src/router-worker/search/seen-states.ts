// Hot path: states of the walk over changes that were seen before. Where units are few, many sets
// of orders come to the same amounts, and what can follow one of them is the same as for another.
// Some 10 ns a state; a state may be forgotten again, never made up.

/** A power of two. Guess: as many as the first level of cache holds. */
const STATES = 1 << 10;

export class SeenStates {
  readonly #got = new Float64Array(STATES);
  readonly #paid = new Float64Array(STATES);
  /** Place in the list of changes, and number of orders. */
  readonly #stage = new Int32Array(STATES);
  readonly #round = new Int32Array(STATES);
  #current = 0;

  /** Forgets all states. */
  clear(): void {
    this.#current = (this.#current + 1) | 0;
  }

  /** Whether the state was seen since `clear`; from now on it was. */
  has(place: number, orders: number, got: number, paid: number): boolean {
    const stage = (place << 13) | orders;
    // Beyond 2^32 the low bits tell amounts apart well enough.
    const mixed = Math.imul(got | 0, 0x9e3779b1) ^ Math.imul(paid | 0, 0x85ebca6b);
    const at = (Math.imul(mixed ^ stage, 0xc2b2ae35) >>> 16) & (STATES - 1);
    if (
      this.#round[at] === this.#current &&
      this.#stage[at] === stage &&
      this.#got[at] === got &&
      this.#paid[at] === paid
    ) {
      return true;
    }
    this.#round[at] = this.#current;
    this.#stage[at] = stage;
    this.#got[at] = got;
    this.#paid[at] = paid;
    return false;
  }
}
