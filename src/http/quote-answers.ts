// Answers of GET /quote and of the push channel of the same name, with or without a quote.
import { randomUUID } from "node:crypto";
import type { ReadModel } from "../book/read-model.ts";
import type { QuoteAnswer, QuoteRequest } from "../router-worker/quote.ts";
import { ApiError } from "./api-error.ts";

/** Too many wait for a quote. */
export const OVERLOADED = tradingError("routing_failed", "Too many requests are waiting.");

const NOT_READY = tradingError("not_ready", "Server currently is not ready to quote prices.");

/** While the book is empty; undefined otherwise. */
export function notReady(readModel: Pick<ReadModel, "markets">): ApiError | undefined {
  return readModel.markets.orderCount === 0 ? NOT_READY : undefined;
}

/** The body of the answer. Throws an ApiError where routing failed. */
export function quoteBody(request: QuoteRequest, answer: QuoteAnswer): string {
  if (answer.status === "failed") throw tradingError("routing_failed", answer.message);
  return quoteJson(randomUUID(), request, answer);
}

export function tradingError(code: "not_ready" | "routing_failed", message: string): ApiError {
  return new ApiError(409, code, `Trading error. ${message}`);
}

export type Quoted = Exclude<QuoteAnswer, { readonly status: "failed" }>;

const REJECTED = {
  frozen: "trading is suspended because the contract is frozen",
  contract_cannot_hold:
    "the issuer of the bought asset has not authorized the contract to hold it; buying it fails with error 712",
} as const;

function quoteJson(id: string, request: QuoteRequest, result: Quoted): string {
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
