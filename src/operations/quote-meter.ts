// Durations of quotes, from the request to the answer, shared answers included.
import type { QuoteAnswer } from "../router-worker/quote.ts";
import { Buckets, SHORT_BOUNDS_MS } from "./buckets.ts";

export const QUOTE_OUTCOMES = ["success", "unfeasible", "rejected", "failed", "canceled"] as const;
export type QuoteOutcome = (typeof QUOTE_OUTCOMES)[number];

type Series = { readonly [Outcome in QuoteOutcome]: Buckets };

/** Main thread. */
export class QuoteMeter {
  /** One market of the two assets alone, or any route. */
  readonly direct: Series = newSeries();
  readonly routed: Series = newSeries();

  /** Answers that may not be the best. */
  readonly unproven = { direct: 0, routed: 0 };

  judged(answer: QuoteAnswer, direct: boolean): void {
    const mayBeBetter = "isUnproven" in answer && answer.isUnproven === true;
    if (mayBeBetter) this.unproven[direct ? "direct" : "routed"] += 1;
  }

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
