// The entry of a router worker.
import { quoteDirect } from "./direct-engine.ts";
import { serveQuotes } from "./serve-quotes.ts";

export default serveQuotes(quoteDirect);
