// Quotes as JSON text (api.md, Quote).
import type { QuoteAnswer, QuoteRequest } from "../../router-worker/quote.ts";

export type Quoted = Exclude<QuoteAnswer, { readonly status: "failed" }>;

const REJECTED = {
  frozen: "trading is suspended because the contract is frozen",
  contract_cannot_hold:
    "the issuer of the bought asset has not authorized the contract to hold it; buying it fails with error 712",
} as const;

export function quoteJson(id: string, request: QuoteRequest, result: Quoted): string {
  const { direction, sellingAsset, buyingAsset } = request;
  const head =
    `{"id":"${id}","status":"${result.status}","direction":"${direction}",` +
    `"sellingAsset":"${sellingAsset}","buyingAsset":"${buyingAsset}","ledger":${result.ledger},`;
  switch (result.status) {
    case "success":
      return `${head}"paths":${result.paths}}`;
    case "unfeasible":
      return `${head}"paths":[],"error":"not enough liquidity on the order book"}`;
    case "rejected":
      return `${head}"paths":[],"error":"${REJECTED[result.reason]}"}`;
  }
}
