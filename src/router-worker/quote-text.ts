// Routes as the JSON that clients are sent (api.md, Quote). Written where they were found, so that a
// thread hands one text to another instead of some hundred objects.
import type { QuoteAnswer, QuoteResult, RouteQuote } from "./quote.ts";

export function renderQuote(result: QuoteResult): QuoteAnswer {
  if (result.status !== "success") return result;
  const { status, ledger, routes } = result;
  return { status, ledger, paths: `[${routes.map(routeText).join(",")}]` };
}

function routeText(route: RouteQuote): string {
  const hops = route.hops.map(
    ({ selling, buying, orders, worstPrice }) =>
      `{"selling":"${selling}","buying":"${buying}",` +
      `"orders":["${orders.join('","')}"],"worstPrice":"${worstPrice}"}`,
  );
  return `{"sold":"${route.sold}","bought":"${route.bought}","path":[${hops.join(",")}]}`;
}
