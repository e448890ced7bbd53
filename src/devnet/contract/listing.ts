// Conditions for an order to rest in the book: a market verified by the oracle, a minimum value, and an owner
// who can deliver.
import { type Address, canonicalPair } from "../../model/address.ts";
import { costUp, mulDivDown, PRICE_MAX, PRICE_MIN, PRICE_UNIT } from "../../model/settlement.ts";
import { checked, ErrorCode, fail } from "./error-code.ts";
import type { ExchangeConfig, ExchangeHost, MarketEntry, MarketSide } from "./host.ts";
import { isWorth, readPrice } from "./oracle-client.ts";
import { allowanceOf, balanceOf } from "./token.ts";

/** An order in the maker's terms: `amount` of `selling` at `price` buying per selling. */
export type Terms = {
  readonly owner: Address;
  readonly selling: Address;
  readonly buying: Address;
  readonly amount: bigint;
  readonly price: bigint;
};

export function requirePrice(host: ExchangeHost, price: bigint): void {
  if (price < PRICE_MIN || price > PRICE_MAX) fail(host, ErrorCode.invalidPrice);
}

/** 0 (never) or a second after the ledger's close. */
export function requireExpiration(host: ExchangeHost, expires: bigint): void {
  if (expires !== 0n && expires <= BigInt(host.now)) fail(host, ErrorCode.invalidExpiration);
}

/** Whether the order buys nothing, rounded down. Fails with 740 where that is beyond an i128. */
export function isTooSmall(host: ExchangeHost, { amount, price }: Terms): boolean {
  return checked(host, mulDivDown(amount, price, PRICE_UNIT)) === 0n;
}

/** `owner` must hold (702) and have granted (703) `amount` of `selling`. */
export function requireMeans(
  host: ExchangeHost,
  { owner, selling, amount }: Pick<Terms, "owner" | "selling" | "amount">,
): void {
  if (balanceOf(host, selling, owner) < amount) fail(host, ErrorCode.insufficientBalance);
  if (allowanceOf(host, selling, owner) < amount) fail(host, ErrorCode.insufficientAllowance);
}

/** The oracle's word on the orders of one call, which asks for each price once. */
export class Listing {
  readonly #host: ExchangeHost;
  readonly #config: ExchangeConfig;
  readonly #prices = new Map<Address, bigint | undefined>();

  constructor(host: ExchangeHost, config: ExchangeConfig) {
    this.#host = host;
    this.#config = config;
  }

  /**
   * The market must be open with an asset that the oracle quotes (721), one of them at a recent
   * price (722), and the order worth the minimum (720). A minimum of 0 asks for no price, and not
   * for the terms.
   */
  requireMarket(selling: Address, buying: Address, terms: () => Terms): void {
    const host = this.#host;
    const pair = canonicalPair(selling, buying);
    const market = host.markets.get(pair);
    if (market === undefined || !isListed(market)) fail(host, ErrorCode.assetsNotVerifiedByOracle);
    if (this.#config.minTradeSize === 0n) return;
    const [sold, bought] =
      pair.base === selling ? [market.base, market.quote] : [market.quote, market.base];
    const { amount, price } = terms();
    if (this.#reachesMinimum(selling, sold, () => amount)) return;
    if (this.#reachesMinimum(buying, bought, () => checked(host, costUp(amount, price)))) return;
    fail(host, ErrorCode.assetPriceOracleFetchFailed);
  }

  /** False where the asset has no usable price; fails with 720 where the amount is worth too little. */
  #reachesMinimum(asset: Address, { listed, decimals }: MarketSide, amount: () => bigint): boolean {
    const price = listed ? this.#price(asset) : undefined;
    if (price === undefined) return false;
    if (isWorth(amount(), { price, decimals }, this.#config.minTradeSize)) return true;
    return fail(this.#host, ErrorCode.orderSizeTooSmall);
  }

  #price(asset: Address): bigint | undefined {
    if (this.#prices.has(asset)) return this.#prices.get(asset);
    const price = readPrice(this.#host, this.#config.oracle, asset);
    this.#prices.set(asset, price);
    return price;
  }
}

export function isListed({ base, quote }: Pick<MarketEntry, "base" | "quote">): boolean {
  return base.listed || quote.listed;
}
