// How the exchange asks its oracle.
import type { Address } from "../../model/address.ts";
import { asI128, asU64, field } from "./arguments.ts";
import { ErrorCode } from "./error-code.ts";
import { fail } from "./fail.ts";
import type { ExchangeHost } from "./host.ts";
import { addressValue } from "./value.ts";

/** Oracle prices are USD per token times 10^14, as the Reflector oracles write them. */
const ORACLE_UNIT = 10n ** 14n;
/** A price older than this is none. Guess: the Reflector feeds publish every 5 minutes. */
export const PRICE_AGE_SECONDS_MAX = 3_600n;

/** USD, 7 decimals, of `amount` of a 7-decimal token at an oracle price, rounded down. */
export function usdValue(amount: bigint, price: bigint): bigint {
  return (amount * price) / ORACLE_UNIT;
}

/** A price of `oracle`. Throws 722 where it has none of the last hour. */
export function readPrice(host: ExchangeHost, oracle: Address, token: Address): bigint {
  const outcome = host.tryCall(oracle, "lastprice", [addressValue(token)]);
  if (!outcome.ok || outcome.value.type === "void") {
    return fail(host, ErrorCode.assetPriceFetchFailed);
  }
  const age = BigInt(host.now) - asU64(field(outcome.value, "timestamp"));
  if (age > PRICE_AGE_SECONDS_MAX) return fail(host, ErrorCode.assetPriceFetchFailed);
  return asI128(field(outcome.value, "price"));
}
