// How much a search may take where it must not hold its thread up. Unlike the work that bounds how
// far a selection is improved, running out of this one ends the search without an answer, so it never
// changes what is answered.

/** Thrown where the budget does not reach: made once, since its trace would cost more than it says. */
export const OUT_OF_WORK = new Error("the search would take more work than it has");

/** To be taken before what takes nobody knows how much: more than any bound there is. */
export const UNKNOWN_WORK = Number.MAX_VALUE;

export class WorkBudget {
  /** Work units: at most some 0.3 us, mostly far less. */
  left = Number.POSITIVE_INFINITY;

  /** To be called before what takes the work; throws OUT_OF_WORK where it is not there. */
  take(work: number): void {
    if (work > this.left) throw OUT_OF_WORK;
    this.left -= work;
  }
}
