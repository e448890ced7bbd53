// The entry of a router worker.
import { searchEngine } from "./search-engine.ts";
import { serveQuotes } from "./serve-quotes.ts";
import { warmUpWith } from "./warm-up.ts";

export default serveQuotes(searchEngine(), () => warmUpWith(searchEngine));
