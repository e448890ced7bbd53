// The exchange's calls of its oracle.
import type { Address } from "../../model/address.ts";
import { asI128, asU64, field } from "./arguments.ts";
import type { ExchangeHost } from "./host.ts";
import { addressValue, type Value } from "./value.ts";

/** Decimals of USD amounts, and of oracle prices, as the Reflector oracles write them. */
const USD_DECIMALS = 7;
const PRICE_DECIMALS = 14;
/** Seconds: a price older than this is not used (contract.md, Value). */
const PRICE_AGE_SECONDS_MAX = 72n * 3_600n;

/** Of a token: USD times 10^14 for one. */
export type TokenPrice = { readonly price: bigint; readonly decimals: number };

/** Whether `amount` (base units) is worth `usd` (7 decimals), exactly. */
export function isWorth(amount: bigint, { price, decimals }: TokenPrice, usd: bigint): boolean {
  return amount * price >= usd * 10n ** BigInt(PRICE_DECIMALS - USD_DECIMALS + decimals);
}

/** Whether `oracle` follows the token, however old its last price. */
export function isQuoted(host: ExchangeHost, oracle: Address, token: Address): boolean {
  return lastPrice(host, oracle, token) !== undefined;
}

/** The price of `oracle`; undefined where it has none of the last 72 hours. */
export function readPrice(host: ExchangeHost, oracle: Address, token: Address): bigint | undefined {
  const last = lastPrice(host, oracle, token);
  if (last === undefined) return undefined;
  const age = BigInt(host.now) - asU64(field(last, "timestamp"));
  return age > PRICE_AGE_SECONDS_MAX ? undefined : asI128(field(last, "price"));
}

function lastPrice(host: ExchangeHost, oracle: Address, token: Address): Value | undefined {
  const outcome = host.tryCall(oracle, "lastprice", [addressValue(token)]);
  return outcome.ok && outcome.value.type !== "void" ? outcome.value : undefined;
}
