// GET /quote
import { randomUUID } from "node:crypto";
import type { Address } from "../../model/address.ts";
import type { QuoteAnswer, QuoteDirection, QuoteRequest } from "../../router-worker/quote.ts";
import { ApiError, invalidParameter } from "../api-error.ts";
import type { AssetInput } from "../asset-input.ts";
import { quoteJson } from "../json/quote-json.ts";
import { parsePositiveInteger } from "../parameters.ts";
import type { Query } from "../query.ts";
import type { ApiContext, Route } from "../route.ts";

export function quoteRoute({ readModel, quotes, assets }: ApiContext): Route {
  return {
    kind: "async",
    overloaded: tradingError("routing_failed", "Too many requests are waiting."),
    handle: ({ query }) => {
      // Before the parameters: while the book is empty even an invalid call answers this.
      if (readModel.liveOrderCount === 0) {
        throw tradingError("not_ready", "Server currently is not ready to quote prices.");
      }
      const request = parseQuoteRequest(query, assets);
      const answer = quotes.quoteNow(request);
      if (answer !== undefined) return bodyOf(request, answer);
      return async (signal) => bodyOf(request, await quotes.quote(request, signal));
    },
  };
}

function bodyOf(request: QuoteRequest, answer: QuoteAnswer): string {
  if (answer.status === "failed") throw tradingError("routing_failed", answer.message);
  return quoteJson(randomUUID(), request, answer);
}

function tradingError(code: "not_ready" | "routing_failed", message: string): ApiError {
  return new ApiError(409, code, `Trading error. ${message}`);
}

function parseQuoteRequest(query: Query, assets: AssetInput): QuoteRequest {
  const direction: QuoteDirection =
    query.lenient("direction")[0] === "strict_receive" ? "strict_receive" : "strict_send";
  const sellingAsset = parseQuoteAsset(
    "source_asset",
    firstOf(query, ["sellingAsset", "selling_asset", "source_asset"]),
    assets,
  );
  const buyingAsset = parseQuoteAsset(
    "destination_asset",
    firstOf(query, ["buyingAsset", "buying_asset", "destination_asset"]),
    assets,
  );
  if (sellingAsset === buyingAsset) {
    throw invalidParameter("buyingAsset", "Buying asset can't be the same as selling asset.");
  }
  const amountText = firstOf(query, ["amount", "source_amount", "destination_amount"]);
  if (amountText === undefined) {
    throw invalidParameter("amount", "Expected a positive integer of at most 2^127-1.");
  }
  const amount = parsePositiveInteger("amount", amountText);
  const directText = query.lenient("direct")[0];
  const direct = directText === "true" || directText === "1";
  const maxPriceText = firstOf(query, ["maxPrice", "max_price"]);
  if (maxPriceText === undefined) return { direction, sellingAsset, buyingAsset, amount, direct };
  if (!direct) throw invalidParameter("maxPrice", "It requires direct=true.");
  const maxPrice = parsePositiveInteger("maxPrice", maxPriceText);
  return { direction, sellingAsset, buyingAsset, amount, direct, maxPrice };
}

/** The value under the first of the aliases that has one. */
function firstOf(query: Query, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = query.one(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

function parseQuoteAsset(name: string, text: string | undefined, assets: AssetInput): Address {
  const asset = text === undefined ? undefined : assets.parse(text);
  if (asset === undefined) {
    throw invalidParameter(
      name,
      "Expected XLM, CODE:ISSUER, CODE-ISSUER or a token contract address.",
    );
  }
  return asset;
}
