import type { Address } from "../../model/address.ts";
import { DetailedFailure } from "../ledger/invocation.ts";
import type { HostValue } from "../ledger/sc-val.ts";

/** Codes of the Stellar Asset Contract (contract.md, What a failed call looks like). */
export const TokenError = {
  operationNotSupported: 2,
  accountMissing: 6,
  negativeAmount: 8,
  allowance: 9,
  balance: 10,
  balanceDeauthorized: 11,
  overflow: 12,
  trustlineMissing: 13,
  insufficientAccountReserve: 14,
  tooManyAccountSubentries: 15,
} as const;
export type TokenError = (typeof TokenError)[keyof typeof TokenError];

export function tokenFailure(
  token: Address,
  code: TokenError,
  text: string,
  args: readonly HostValue[] = [],
): DetailedFailure {
  return new DetailedFailure({ kind: "contract", contract: token, code }, text, args);
}

/** A state that the host takes for impossible: no call survives it. */
export function hostFault(text: string): DetailedFailure {
  return new DetailedFailure({ kind: "fault", message: text }, text);
}
