// A quote service whose answers are timed.
import type { QuoteRequest, QuoteResult, QuoteService } from "../router-worker/quote.ts";
import type { QuoteMeter } from "./quote-meter.ts";

/** The answers are the service's own, and no later. Main thread. */
export function meteredQuotes(service: QuoteService, meter: QuoteMeter): QuoteService {
  return {
    quote: (request: QuoteRequest, aborted?: AbortSignal): Promise<QuoteResult> => {
      const startMs = performance.now();
      const answer = service.quote(request, aborted);
      const count = (outcome: QuoteResult["status"]): void => {
        const told = aborted?.aborted === true ? "canceled" : outcome;
        meter.answered(told, request.direct, performance.now() - startMs);
      };
      answer.then(
        ({ status }) => count(status),
        () => count("failed"),
      );
      return answer;
    },
  };
}
