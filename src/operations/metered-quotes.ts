// A quote service whose answers are timed.
import type {
  QuoteAnswer,
  QuoteAsker,
  QuoteRequest,
  QuoteService,
} from "../router-worker/quote.ts";
import type { QuoteMeter } from "./quote-meter.ts";

/** The answers are the service's own, and no later. Main thread. */
export function meteredQuotes(service: QuoteService, meter: QuoteMeter): QuoteService {
  return {
    quoteNow: (request: QuoteRequest): QuoteAnswer | undefined => {
      const startMs = performance.now();
      const answer = service.quoteNow(request);
      if (answer !== undefined) {
        meter.answered(answer.status, request.direct, performance.now() - startMs);
        meter.judged(answer, request.direct);
      }
      return answer;
    },
    quote: (request: QuoteRequest, asker?: QuoteAsker): Promise<QuoteAnswer> => {
      const startMs = performance.now();
      const answer = service.quote(request, asker);
      const count = (outcome: QuoteAnswer["status"]): void => {
        const counted = asker?.aborted?.aborted === true ? "canceled" : outcome;
        meter.answered(counted, request.direct, performance.now() - startMs);
      };
      answer.then(
        (given) => {
          count(given.status);
          meter.judged(given, request.direct);
        },
        () => count("failed"),
      );
      return answer;
    },
  };
}
