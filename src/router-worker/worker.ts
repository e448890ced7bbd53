// The entry of a router worker.
import type { BookView } from "../book/shared-layout.ts";
import { quoteDirect } from "./direct-engine.ts";
import type { QuoteEngine } from "./quote-engine.ts";
import { QuoteSearch } from "./search/quote-search.ts";
import { serveQuotes } from "./serve-quotes.ts";

let search: QuoteSearch | undefined;

/** Made with the first view: the search's scratch memory has the size of the book's capacity. */
function searchOf(view: BookView): QuoteSearch {
  search ??= new QuoteSearch(view);
  return search;
}

/** A limit order crosses best price first and may end partly filled: the plain walk is exact. */
const quote: QuoteEngine = (view, request, context) =>
  request.maxPrice === undefined
    ? searchOf(view).quote(view, request, context.now * 1000)
    : quoteDirect(view, request, context);

export default serveQuotes(quote);
