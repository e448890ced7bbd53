import { I128_MAX } from "../../model/settlement.ts";
import { CallFailure, type CallHost } from "./host.ts";

/** Fails the running call with a contract error of its own. */
export function fail(host: CallHost, code: ErrorCode): never {
  throw new CallFailure({ kind: "contract", contract: host.self, code });
}

/** `value` again, or Overflow where a non-negative result does not fit an i128. */
export function checked(host: CallHost, value: bigint): bigint {
  return value > I128_MAX ? fail(host, ErrorCode.overflow) : value;
}
/** The exchange contract's own error codes (api.md, Contract error codes). */
export const ErrorCode = {
  notAuthorized: 701,
  insufficientBalance: 702,
  insufficientAllowance: 703,
  invalidMatch: 704,
  invalidPrice: 705,
  invalidAmount: 706,
  invalidExpiration: 707,
  cannotReceive: 708,
  notFilled: 709,
  orderNotFound: 710,
  orderExists: 711,
  intermediaryCannotReceive: 712,
  orderSizeTooSmall: 720,
  assetsNotVerifiedByOracle: 721,
  assetPriceOracleFetchFailed: 722,
  invalidOracleConfig: 723,
  frozen: 730,
  overflow: 740,
} as const;
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];
