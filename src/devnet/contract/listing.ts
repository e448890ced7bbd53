// What an order must meet to stand in the book: a market checked by the oracle, a minimum worth,
// and an owner who can deliver it and be paid for it.
import { type Address, canonicalPair } from "../../model/address.ts";
import { PRICE_MAX, PRICE_MIN } from "../../model/settlement.ts";
import { ErrorCode } from "./error-code.ts";
import { fail } from "./fail.ts";
import type { ExchangeHost } from "./host.ts";
import { readUsdValue } from "./oracle-client.ts";
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

/** The market must be open (721), the oracle's price recent (722), the order worth enough (720). */
export function requireListing(host: ExchangeHost, terms: Terms): void {
  const { selling, buying, amount } = terms;
  if (host.markets.get(canonicalPair(selling, buying)) === undefined) {
    fail(host, ErrorCode.assetsNotVerified);
  }
  const worth = readUsdValue(host, selling, amount);
  if (worth < host.instance.get().config.minTradeSize) fail(host, ErrorCode.orderSizeTooSmall);
}

/** The owner must be able to take what it buys (708), hold (702) and have granted (703) the rest. */
export function requireBacking(host: ExchangeHost, terms: Terms): void {
  const { owner, selling, buying, amount } = terms;
  if (!canReceive(host, buying, owner)) fail(host, ErrorCode.cannotReceive);
  if (balanceOf(host, selling, owner) < amount) fail(host, ErrorCode.insufficientBalance);
  if (allowanceOf(host, selling, owner) < amount) fail(host, ErrorCode.insufficientAllowance);
}
