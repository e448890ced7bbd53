// A price oracle without state: its prices are a function of asset and time.
import type { Address } from "../../model/address.ts";
import { argument, asAddress, asI128, expectCount, invalid } from "./arguments.ts";
import { CallFailure, type ContractModel } from "./host.ts";
import { addressValue, i128, map, u64, type Value, VOID } from "./value.ts";

/** USD per token times 10^14, and when it was published, UNIX seconds. */
export type OraclePrice = { readonly price: bigint; readonly timestamp: number };

export type OracleOptions = {
  /** The last price at `now` (UNIX seconds); undefined for assets it does not follow. */
  readonly priceAt: (asset: Address, now: number) => OraclePrice | undefined;
  readonly feeToken: Address;
  /** Base units of the fee token for a day of prices of one market. */
  readonly dailyFee: bigint;
};

/** `lastprice(asset)`, `daily_fee()` and `fund(sponsor, amount)`, which takes the listing fees. */
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
        if (asI128(argument(args, 1)) < 0n) {
          throw new CallFailure({ kind: "invalid", message: "negative amount" });
        }
        host.requireAuth(sponsor);
        const transfer = [addressValue(sponsor), addressValue(host.self), argument(args, 1)];
        return host.call(options.feeToken, "transfer", transfer);
      }
      default:
        return invalid(`no function ${fn}`);
    }
  };
}

function priceValue(last: OraclePrice | undefined): Value {
  if (last === undefined) return VOID;
  return map([
    ["price", i128(last.price)],
    ["timestamp", u64(BigInt(last.timestamp))],
  ]);
}
