// A price oracle without state: its prices are a function of asset and time.
import type { Address } from "../../model/address.ts";
import { lesser } from "../../model/settlement.ts";
import { argument, asAddress, asI128, expectCount, missingFunction } from "./arguments.ts";
import { CallFailure, type ContractModel } from "./host.ts";
import { addressValue, i128, map, u64, type Value, VOID } from "./value.ts";

/** USD per token times 10^14, and when it was published, UNIX seconds. */
export type OraclePrice = { readonly price: bigint; readonly timestamp: number };

export type OracleOptions = {
  /** The last price at `now` (UNIX seconds); undefined for assets it does not follow. */
  readonly priceAt: (asset: Address, now: number) => OraclePrice | undefined;
  readonly feeToken: Address;
  /** Base units of the fee token for a day of prices of one market; positive. */
  readonly dailyFee: bigint;
};

/**
 * `lastprice(asset)`, `daily_fee()` and `fund(sponsor, amount)`, which takes the listing fees and
 * returns until when they pay for prices, UNIX seconds.
 */
export function oracleContract(options: OracleOptions): ContractModel {
  return (host, fn, args) => {
    switch (fn) {
      case "lastprice":
        expectCount(args, 1);
        return priceValue(options.priceAt(asAddress(argument(args, 0)), host.now));
      case "daily_fee":
        expectCount(args, 0);
        return i128(options.dailyFee);
      case "fund": {
        expectCount(args, 2);
        const sponsor = asAddress(argument(args, 0));
        const amount = asI128(argument(args, 1));
        if (amount < 0n) throw new CallFailure({ kind: "invalid", message: "negative amount" });
        host.requireAuth(sponsor);
        const transfer = [addressValue(sponsor), addressValue(host.self), i128(amount)];
        host.call(options.feeToken, "transfer", transfer);
        return u64(paidUntil(host.now, amount, options.dailyFee));
      }
      default:
        return missingFunction(fn);
    }
  };
}

const DAY_SECONDS = 86_400n;
const U64_MAX = (1n << 64n) - 1n;

function paidUntil(now: number, amount: bigint, dailyFee: bigint): bigint {
  return lesser(U64_MAX, BigInt(now) + (amount * DAY_SECONDS) / dailyFee);
}

function priceValue(last: OraclePrice | undefined): Value {
  if (last === undefined) return VOID;
  return map([
    ["price", i128(last.price)],
    ["timestamp", u64(BigInt(last.timestamp))],
  ]);
}
