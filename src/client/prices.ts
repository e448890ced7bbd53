// Prices and amounts between what people read (quote tokens per base token) and what the contract takes
// (a maker's buying base units per selling base unit, times 10^18). Exact: bigint and decimal texts, each
// rounding in its function's name.
import { decimalText, priceText } from "../model/display.ts";
import { mulDivDown, mulDivUp, PRICE_MAX, PRICE_MIN, PRICE_UNIT } from "../model/settlement.ts";

/** Contract prices are scaled by 10^18. */
const PRICE_DECIMALS = 18;
/** Digits that a text may have: more than any amount or price needs. */
const DIGITS_MAX = 60;
/** Decimals of a token unless said otherwise; the API's own display prices count in these. */
const TOKEN_DECIMALS = 7;
const TOKEN_DECIMALS_MAX = 38;

/** An ask sells base and buys quote; a bid sells quote and buys base. */
export type Side = "bid" | "ask";

/** Of the two tokens of a market: 7 each by default, as every classic asset has. */
export type MarketDecimals = { readonly base: number; readonly quote: number };

const CLASSIC: MarketDecimals = { base: TOKEN_DECIMALS, quote: TOKEN_DECIMALS };

/**
 * `text` x 10^`decimals`. Throws a RangeError for anything but a plain decimal number of at most 60 digits
 * that this holds exactly.
 */
export function parseUnits(text: string, decimals: number = TOKEN_DECIMALS): bigint {
  const parts = /^([0-9]+)(?:\.([0-9]+))?$/.exec(text);
  const fraction = (parts?.[2] ?? "").replace(/0+$/, "");
  if (parts?.[1] === undefined || text.length > DIGITS_MAX || fraction.length > decimals) {
    throw new RangeError(
      `expected a decimal number with at most ${decimals} decimals, not ${JSON.stringify(text.slice(0, 80))}`,
    );
  }
  return BigInt(parts[1] + fraction.padEnd(decimals, "0"));
}

/** Base units as tokens: exact, without trailing zeros. `amount` may not be negative. */
export function tokenAmount(amount: bigint, decimals: number = TOKEN_DECIMALS): string {
  return decimalText(amount, decimals);
}

/**
 * The contract price of a maker order whose display price is `price`, rounded up: the maker never gives for
 * less than `price` says. Throws a RangeError where the text is no decimal number above 0, or the result no
 * contract price (1 to 10^36).
 */
export function makerPriceUp(side: Side, price: string, decimals?: MarketDecimals): bigint {
  return makerPrice(mulDivUp, side, price, decimals);
}

/**
 * The same rounded down. As the limit of a taker who sells the side's asset it admits every maker that
 * `price` admits.
 */
export function makerPriceDown(side: Side, price: string, decimals?: MarketDecimals): bigint {
  return makerPrice(mulDivDown, side, price, decimals);
}

function makerPrice(
  mulDiv: typeof mulDivUp,
  side: Side,
  text: string,
  decimals: MarketDecimals = CLASSIC,
): bigint {
  const { numerator, denominator } = unitRatio(decimals);
  const price = parseUnits(text, PRICE_DECIMALS);
  if (price === 0n) throw new RangeError("price: expected a number above 0");
  const result =
    side === "ask"
      ? mulDiv(price, numerator, denominator)
      : mulDiv(PRICE_UNIT * PRICE_UNIT, denominator, price * numerator);
  if (result < PRICE_MIN || result > PRICE_MAX) {
    throw new RangeError(`price: ${text} is beyond what a contract price can be`);
  }
  return result;
}

/**
 * The display price of a maker order, quote per base, with 8 significant digits, half up, as the API
 * writes `bestBid` and `bestAsk`. Throws a RangeError where `price` is no contract price.
 */
export function displayPrice(
  side: Side,
  price: bigint | string,
  decimals: MarketDecimals = CLASSIC,
): string {
  const maker = BigInt(price);
  if (maker < PRICE_MIN || maker > PRICE_MAX) {
    throw new RangeError(`price: ${price} is no contract price`);
  }
  const { numerator, denominator } = unitRatio(decimals);
  return side === "ask"
    ? priceText(maker * denominator, PRICE_UNIT * numerator)
    : priceText(PRICE_UNIT * denominator, maker * numerator);
}

/** Base units of quote per base unit of base, at a display price of 1. */
function unitRatio({ base, quote }: MarketDecimals): { numerator: bigint; denominator: bigint } {
  for (const [name, decimals] of Object.entries({ base, quote })) {
    if (!(Number.isInteger(decimals) && decimals >= 0 && decimals <= TOKEN_DECIMALS_MAX)) {
      throw new RangeError(`decimals.${name}: expected an integer from 0 to ${TOKEN_DECIMALS_MAX}`);
    }
  }
  return { numerator: 10n ** BigInt(quote), denominator: 10n ** BigInt(base) };
}
