// What an order must meet to stand in the book: a market checked by the oracle, a minimum worth,
// and an owner who can deliver it and be paid for it.
import { type Address, canonicalPair } from "../../model/address.ts";
import { PRICE_MAX, PRICE_MIN } from "../../model/settlement.ts";
import { ErrorCode } from "./error-code.ts";
import type { ExchangeConfig } from "./event.ts";
import { fail } from "./fail.ts";
import type { ExchangeHost } from "./host.ts";
import { readPrice, usdValue } from "./oracle-client.ts";
import { allowanceOf, balanceOf, canReceive } from "./token.ts";

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

/**
 * The checks of one call. Prices, balances and allowances are read once a call: a maker that moves
 * many orders asks its tokens no more often than one that moves a single one.
 */
export class Listing {
  readonly #host: ExchangeHost;
  readonly #config: ExchangeConfig;
  readonly #prices = new Map<Address, bigint>();
  readonly #receivable = new Map<string, boolean>();
  readonly #means = new Map<string, Means>();

  /** Tokens must not move between two calls of `requireBacking`. */
  constructor(host: ExchangeHost, config: ExchangeConfig) {
    this.#host = host;
    this.#config = config;
  }

  /** The market must be open (721), the oracle's price recent (722), the order worth enough (720). */
  requireMarket({ selling, buying, amount }: Terms): void {
    const host = this.#host;
    const { oracle, minTradeSize } = this.#config;
    if (host.markets.get(canonicalPair(selling, buying)) === undefined) {
      fail(host, ErrorCode.assetsNotVerified);
    }
    const price = this.#prices.get(selling) ?? readPrice(host, oracle, selling);
    this.#prices.set(selling, price);
    if (usdValue(amount, price) < minTradeSize) fail(host, ErrorCode.orderSizeTooSmall);
  }

  /** The owner must be able to take what it buys (708), hold (702) and have granted (703) the rest. */
  requireBacking({ owner, selling, buying, amount }: Terms): void {
    const host = this.#host;
    const taking = `${owner}${buying}`;
    const receivable = this.#receivable.get(taking) ?? canReceive(host, buying, owner);
    this.#receivable.set(taking, receivable);
    if (!receivable) fail(host, ErrorCode.cannotReceive);
    const giving = `${owner}${selling}`;
    const means = this.#means.get(giving) ?? readMeans(host, selling, owner);
    this.#means.set(giving, means);
    if (means.balance < amount) fail(host, ErrorCode.insufficientBalance);
    if (means.allowance < amount) fail(host, ErrorCode.insufficientAllowance);
  }
}

type Means = { readonly balance: bigint; readonly allowance: bigint };

function readMeans(host: ExchangeHost, token: Address, owner: Address): Means {
  const balance = balanceOf(host, token, owner);
  return { balance, allowance: allowanceOf(host, token, owner) };
}
