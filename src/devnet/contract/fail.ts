import { I128_MAX } from "../../model/settlement.ts";
import { ErrorCode } from "./error-code.ts";
import { CallFailure, type CallHost } from "./host.ts";

/** Fails the running call with a contract error of its own. */
export function fail(host: CallHost, code: ErrorCode): never {
  throw new CallFailure({ kind: "contract", contract: host.self, code });
}

/** `value` again, or Overflow where a non-negative result does not fit an i128. */
export function checked(host: CallHost, value: bigint): bigint {
  return value > I128_MAX ? fail(host, ErrorCode.overflow) : value;
}
