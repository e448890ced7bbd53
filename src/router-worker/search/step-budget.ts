// How much a search may take where it must not hold its thread up. Unlike the work that bounds how
// far a listing is improved, running out of this one ends the search without an answer, so it never
// changes what is answered.

/** Thrown where the budget does not reach: made once, since its trace would cost more than it says. */
export const OUT_OF_STEPS = new Error("the search would take more steps than it has");

export class StepBudget {
  /** Steps of some 50 ns. */
  #left = Number.POSITIVE_INFINITY;

  get isBounded(): boolean {
    return this.#left !== Number.POSITIVE_INFINITY;
  }

  set left(steps: number) {
    this.#left = steps;
  }

  /** To be called before what takes the steps; throws OUT_OF_STEPS where they are not there. */
  take(steps: number): void {
    if (steps > this.#left) throw OUT_OF_STEPS;
    this.#left -= steps;
  }

  /** Before what takes nobody knows how many: more than any bound there is. */
  takeUnknown(): void {
    if (this.isBounded) throw OUT_OF_STEPS;
  }
}
