// The entry of a router worker.
import type { QuoteEngine } from "./quote-engine.ts";
import { QuoteSearch } from "./search/quote-search.ts";
import { serveQuotes } from "./serve-quotes.ts";
import { warmUpWith } from "./warm-up.ts";

function makeEngine(): QuoteEngine {
  let search: QuoteSearch | undefined;
  return (view, request, context) => {
    // With the first view: the search's scratch memory has the size of the book's capacity.
    search ??= new QuoteSearch(view);
    return search.quote(view, request, context);
  };
}

export default serveQuotes(makeEngine(), () => warmUpWith(makeEngine));
