// The quote engine of a thread: one search, made anew after a fault.
import type { QuoteEngine } from "./quote-engine.ts";
import { QuoteSearch } from "./search/quote-search.ts";

/** Has the capacity of the first view that it is asked about. */
export function searchEngine(): QuoteEngine {
  let kept: QuoteSearch | undefined;
  return (view, request, context) => {
    const search = kept ?? new QuoteSearch(view);
    // After a fault it is not used again: what it derived from the book may be half done.
    kept = undefined;
    const result = search.quote(view, request, context);
    kept = search;
    return result;
  };
}
