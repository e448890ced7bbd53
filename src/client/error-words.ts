// Why a call failed, in words: from a simulation's error text, a record of /failures, or a pair of
// contract and code.
import { CONTRACT_ERRORS } from "../model/contract-errors.ts";

/** Of Stellar Asset Contracts (stellar/rs-soroban-env, `builtin_contracts/contract_error.rs`). */
const TOKEN_ERRORS: Readonly<Record<number, string>> = {
  1: "InternalError",
  2: "OperationNotSupportedError",
  3: "AlreadyInitializedError",
  4: "UnauthorizedError",
  5: "AuthenticationError",
  6: "AccountMissingError",
  7: "AccountIsNotClassic",
  8: "NegativeAmountError",
  9: "AllowanceError: the allowance is too small, or ends before or too long after now",
  10: "BalanceError: the payer has too little, or the recipient's trustline is full",
  11: "BalanceDeauthorizedError: the issuer has not authorized the holder",
  12: "OverflowError",
  13: "TrustlineMissingError: the holder has no trustline for the asset",
  14: "InsufficientAccountReserve: the lumens are less than the account must keep",
  15: "TooManyAccountSubentries: the account owns as many entries as it may",
};

/** Of the exchange (701 to 740) or of a token (1 to 15); undefined for a code of neither. */
export function errorName(code: number): string | undefined {
  return CONTRACT_ERRORS[code]?.name ?? TOKEN_ERRORS[code]?.split(":")[0];
}

/** `709 NotFilled: the order or swap cannot be executed within its bounds`. */
export function errorWords(code: number): string {
  const own = CONTRACT_ERRORS[code];
  if (own !== undefined) {
    return `${code} ${own.name}${own.meaning === undefined ? "" : `: ${own.meaning}`}`;
  }
  const token = TOKEN_ERRORS[code];
  return token === undefined ? `contract error ${code}` : `token error ${code} ${token}`;
}

/** The contract error of a simulation's error text, `HostError: Error(Contract, #709) ...`. */
export function errorCode(text: string): number | undefined {
  const [, code] = /Error\(Contract, #([0-9]{1,10})\)/.exec(text) ?? [];
  return code === undefined ? undefined : Number(code);
}

/** In words where the text names a contract error, its first line where not. */
export function hostErrorWords(text: string): string {
  const code = errorCode(text);
  return code === undefined ? (text.split("\n")[0] ?? text) : errorWords(code);
}
