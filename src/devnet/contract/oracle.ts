// A price oracle without state: its prices are a function of asset and time.
import type { Address } from "../../model/address.ts";
import { lesser } from "../../model/settlement.ts";
import {
  address,
  contractOf,
  i128,
  type Methods,
  method,
  optional,
  specOf,
  structOf,
  u64,
} from "./codec.ts";
import { CallFailure, type CallHost, type ContractModel } from "./host.ts";
import { specModule } from "./spec.ts";

/** USD per token times 10^14, and when it was published, UNIX seconds. */
export type OraclePrice = { readonly price: bigint; readonly timestamp: number };

const price = structOf("PriceData", { price: i128, timestamp: u64 });

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
  return contractOf(methodsWith(options));
}

const lastPrice = optional(price);

function methodsWith({ priceAt, feeToken, dailyFee }: OracleOptions): Methods<CallHost> {
  return {
    lastprice: method({ asset: address }, lastPrice.type, (host, { asset }) => {
      const last = priceAt(asset, host.now);
      return lastPrice.write(last && { ...last, timestamp: BigInt(last.timestamp) });
    }),
    daily_fee: method({}, i128.type, () => i128.write(dailyFee)),
    fund: method({ sponsor: address, amount: i128 }, u64.type, (host, { sponsor, amount }) => {
      if (amount < 0n) throw new CallFailure({ kind: "invalid", message: "negative amount" });
      host.requireAuth(sponsor);
      const transfer = [address.write(sponsor), address.write(host.self), i128.write(amount)];
      host.call(feeToken, "transfer", transfer);
      return u64.write(paidUntil(host.now, amount, dailyFee));
    }),
  };
}

export const oracleModule = specModule([
  // What the functions take and return does not depend on the options.
  ...specOf(methodsWith({ priceAt: () => undefined, feeToken: "" as Address, dailyFee: 1n })),
  price.entry,
]);

const DAY_SECONDS = 86_400n;
const U64_MAX = (1n << 64n) - 1n;

function paidUntil(now: number, amount: bigint, dailyFee: bigint): bigint {
  return lesser(U64_MAX, BigInt(now) + (amount * DAY_SECONDS) / dailyFee);
}
