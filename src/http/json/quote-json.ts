// Quotes as JSON text (api.md, Quote).
import type { QuoteRequest, QuoteResult, RouteQuote } from "../../router-worker/quote.ts";

type Answered = Exclude<QuoteResult, { readonly status: "failed" }>;

const REJECTED = {
  frozen: "trading is suspended because the contract is frozen",
  contract_cannot_hold:
    "the issuer of the bought asset has not authorized the contract to hold it; buying it fails with error 712",
} as const;

export function quoteJson(id: string, request: QuoteRequest, result: Answered): string {
  const { direction, sellingAsset, buyingAsset } = request;
  const head =
    `{"id":"${id}","status":"${result.status}","direction":"${direction}",` +
    `"sellingAsset":"${sellingAsset}","buyingAsset":"${buyingAsset}","ledger":${result.ledger},`;
  switch (result.status) {
    case "success":
      return `${head}"paths":[${result.routes.map(routeJson).join(",")}]}`;
    case "unfeasible":
      return `${head}"paths":[],"error":"not enough liquidity on the order book"}`;
    case "rejected":
      return `${head}"paths":[],"error":"${REJECTED[result.reason]}"}`;
  }
}

function routeJson(route: RouteQuote): string {
  const hops = route.hops.map(
    ({ selling, buying, orders, worstPrice }) =>
      `{"selling":"${selling}","buying":"${buying}",` +
      `"orders":[${orders.map((id) => `"${id}"`).join(",")}],"worstPrice":"${worstPrice}"}`,
  );
  return `{"sold":"${route.sold}","bought":"${route.bought}","path":[${hops.join(",")}]}`;
}
