// The parameters of GET /quote and of the push channel of the same name.
import { QUOTE_NAMES } from "../api/parameter-table.ts";
import type { Address } from "../model/address.ts";
import type { QuoteDirection, QuoteRequest } from "../router-worker/quote.ts";
import { invalidParameter } from "./api-error.ts";
import type { AssetInput } from "./asset-input.ts";
import { parsePositiveInteger } from "./parameters.ts";
import type { ParameterName, Query } from "./query.ts";

/** Throws an ApiError that names the parameter. */
export function parseQuoteRequest(query: Query, assets: AssetInput): QuoteRequest {
  const direction: QuoteDirection =
    atMostOne(query, "direction") === "strict_receive" ? "strict_receive" : "strict_send";
  const sellingAsset = parseQuoteAsset(
    "source_asset",
    firstOf(query, QUOTE_NAMES.sellingAsset),
    assets,
  );
  const buyingAsset = parseQuoteAsset(
    "destination_asset",
    firstOf(query, QUOTE_NAMES.buyingAsset),
    assets,
  );
  if (sellingAsset === buyingAsset) {
    throw invalidParameter("buyingAsset", "Buying asset can't be the same as selling asset.");
  }
  const amountText = firstOf(query, QUOTE_NAMES.amount);
  if (amountText === undefined) {
    throw invalidParameter("amount", "Expected a positive integer of at most 2^127-1.");
  }
  const amount = parsePositiveInteger("amount", amountText);
  const directText = atMostOne(query, "direct");
  const direct = directText === "true" || directText === "1";
  const maxPriceText = firstOf(query, QUOTE_NAMES.maxPrice);
  if (maxPriceText === undefined) return { direction, sellingAsset, buyingAsset, amount, direct };
  if (!direct) throw invalidParameter("maxPrice", "It requires direct=true.");
  const maxPrice = parsePositiveInteger("maxPrice", maxPriceText);
  return { direction, sellingAsset, buyingAsset, amount, direct, maxPrice };
}

/** Whatever it is: of these parameters every text means something. */
function atMostOne(query: Query, name: ParameterName): string | undefined {
  const values = query.lenient(name);
  if (values.length > 1) throw invalidParameter(name, "Expected a single value.");
  return values[0];
}

/** The value under whichever of the aliases has one. Throws where two say different things. */
function firstOf(query: Query, names: readonly ParameterName[]): string | undefined {
  let found: { readonly name: ParameterName; readonly value: string } | undefined;
  for (const name of names) {
    const value = query.one(name);
    if (value === undefined) continue;
    if (found !== undefined && found.value !== value) {
      throw invalidParameter(name, `It contradicts "${found.name}".`);
    }
    found ??= { name, value };
  }
  return found?.value;
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
