// A router worker whose engine does what the request's amount says.
import { bookLedger } from "../../src/book/shared-reader.ts";
import type { QuoteEngine } from "../../src/router-worker/quote-engine.ts";
import { serveQuotes } from "../../src/router-worker/serve-quotes.ts";
import { BETTERING, EXIT, HANG, PATIENT, SEEKING, SLOW, THROW } from "./pool-requests.ts";

const SLOW_MS = 15;

const engine: QuoteEngine = (view, { amount }, { shouldStop }) => {
  const ledger = bookLedger(view);
  switch (amount) {
    case HANG:
      for (;;);
    case EXIT:
      process.exit(3);
      break;
    case THROW:
      throw new TypeError("a fault of the engine");
    case PATIENT:
      while (!shouldStop(true));
      return { status: "failed", message: "stopped" };
    case BETTERING:
      while (!shouldStop(true));
      break;
    case SEEKING:
      while (!shouldStop(false));
      break;
    default:
      if (amount >= SLOW) {
        const end = performance.now() + SLOW_MS;
        while (performance.now() < end);
      }
  }
  return { status: "unfeasible", ledger };
};

export default serveQuotes(engine);
