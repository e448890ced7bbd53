// Fixed prices by which GET / shows what was traded in USD: indicative, from the configuration.
import type { Address } from "../model/address.ts";
import type { AssetInput } from "./asset-input.ts";

/** USD per token, times 10^`PRICE_DIGITS`. */
export type ReferencePrices = ReadonlyMap<Address, bigint>;

const PRICE_DIGITS = 18;

/**
 * From texts of an asset in any form that clients may use, and decimals. Throws an Error that
 * names the one that is neither.
 */
export function referencePrices(
  texts: ReadonlyMap<string, string>,
  assets: AssetInput,
): ReferencePrices {
  const prices = new Map<Address, bigint>();
  for (const [assetText, priceText] of texts) {
    const asset = assets.parse(assetText);
    if (asset === undefined) throw new Error(`REFERENCE_PRICES: ${assetText} is no asset`);
    prices.set(asset, scaledPrice(priceText));
  }
  return prices;
}

/** USD base units (7 decimals, rounded down) of base units of a token; 0 without a price. */
export function referenceValue(prices: ReferencePrices, asset: Address, amount: bigint): bigint {
  return (amount * (prices.get(asset) ?? 0n)) / 10n ** BigInt(PRICE_DIGITS);
}

/** Of plain decimals; the configuration has checked that they are. */
function scaledPrice(text: string): bigint {
  const [whole = "", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.slice(0, PRICE_DIGITS).padEnd(PRICE_DIGITS, "0"));
}
