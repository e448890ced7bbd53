// How long quotes take, from the request to the answer, shared answers included.
import { Buckets, SHORT_BOUNDS_MS } from "./buckets.ts";

export const QUOTE_OUTCOMES = ["success", "unfeasible", "rejected", "failed", "canceled"] as const;
export type QuoteOutcome = (typeof QUOTE_OUTCOMES)[number];

type Series = { readonly [Outcome in QuoteOutcome]: Buckets };

/** Main thread. */
export class QuoteMeter {
  /** One market of the two assets alone, or any route. */
  readonly direct: Series = newSeries();
  readonly routed: Series = newSeries();

  answered(outcome: QuoteOutcome, direct: boolean, milliseconds: number): void {
    (direct ? this.direct : this.routed)[outcome].observe(milliseconds);
  }
}

function newSeries(): Series {
  return {
    success: new Buckets(SHORT_BOUNDS_MS),
    unfeasible: new Buckets(SHORT_BOUNDS_MS),
    rejected: new Buckets(SHORT_BOUNDS_MS),
    failed: new Buckets(SHORT_BOUNDS_MS),
    canceled: new Buckets(SHORT_BOUNDS_MS),
  };
}
