// An order, a fill or a swap as its market sees it: bought or sold base, at a price in quote per base.
import { displayPrice } from "../../../src/client/prices.ts";
import { canonicalPair, parseAddress } from "../../../src/model/address.ts";
import { decimalText, priceText } from "../../../src/model/display.ts";
import { costUp, PRICE_UNIT } from "../../../src/model/settlement.ts";

export type Oriented = {
  readonly base: string;
  readonly quote: string;
  readonly side: "buy" | "sell";
  /** Quote per base, 8 significant digits. */
  readonly price: string;
  /** Base units of base and of quote. */
  readonly baseUnits: bigint;
  readonly quoteUnits: bigint;
};

/** An order of which `units` of the token sold are looked at, at a contract price. */
export function orientedOrder(
  { selling, buying, price }: { selling: string; buying: string; price: string },
  units: string,
): Oriented {
  const { base, quote } = pairOfTokens(selling, buying);
  const side = selling === base ? "sell" : "buy";
  const given = BigInt(units);
  const got = costUp(given, BigInt(price));
  return {
    base,
    quote,
    side,
    price: displayPrice(side === "sell" ? "ask" : "bid", price),
    baseUnits: side === "sell" ? given : got,
    quoteUnits: side === "sell" ? got : given,
  };
}

/** What was given for what, in base units of each. */
export function orientedFill(
  gaveAsset: string,
  gave: string,
  gotAsset: string,
  got: string,
): Oriented {
  const { base, quote } = pairOfTokens(gaveAsset, gotAsset);
  const side = gaveAsset === base ? "sell" : "buy";
  const [baseUnits, quoteUnits] =
    side === "sell" ? [BigInt(gave), BigInt(got)] : [BigInt(got), BigInt(gave)];
  const price = baseUnits === 0n ? "0" : priceText(quoteUnits, baseUnits);
  return { base, quote, side, price, baseUnits, quoteUnits };
}

/** Contract price of an order as quote per base with 18 decimals, rounded down: its exact one for a sale. */
export function exactPrice({
  selling,
  buying,
  price,
}: {
  selling: string;
  buying: string;
  price: string;
}): string {
  const sells = pairOfTokens(selling, buying).base === selling;
  const units = sells ? BigInt(price) : (PRICE_UNIT * PRICE_UNIT) / BigInt(price);
  return decimalText(units, 18);
}

function pairOfTokens(one: string, other: string): { base: string; quote: string } {
  const [first, second] = [parseAddress(one), parseAddress(other)];
  if (first === undefined || second === undefined) return { base: one, quote: other };
  return canonicalPair(first, second);
}
