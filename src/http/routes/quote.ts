// GET /quote

import { notReady, OVERLOADED, quoteBody } from "../quote-answers.ts";
import { parseQuoteRequest } from "../quote-parameters.ts";
import type { ApiContext, Route } from "../route.ts";

export function quoteRoute({ readModel, quotes, assets }: ApiContext): Route {
  return {
    kind: "async",
    overloaded: OVERLOADED,
    handle: ({ query, client }) => {
      // Before the parameters: while the book is empty even an invalid call answers this.
      const error = notReady(readModel);
      if (error !== undefined) throw error;
      const request = parseQuoteRequest(query, assets);
      const answer = quotes.quoteNow(request);
      if (answer !== undefined) return quoteBody(request, answer);
      const asker = client();
      return async (aborted) =>
        quoteBody(request, await quotes.quote(request, { aborted, client: asker }));
    },
  };
}
