// Refusal of a transaction: its TransactionResult, and the diagnostics that the node adds.
import { type OperationResultWire, TransactionResult } from "@stellar/stellar-sdk/xdr";
import { type Diagnostic, errorDiagnostic } from "../ledger/event.ts";
import type { HostValue } from "../ledger/sc-val.ts";
import { u64Wire } from "../ledger/sc-val.ts";
import { resultWire } from "../ledger/transaction-xdr.ts";
import { encodeBytes } from "../ledger/xdr-encoder.ts";

/** TransactionResultCode, as far as it occurs here. */
export const TxCode = {
  failed: -1,
  tooEarly: -2,
  tooLate: -3,
  missingOperation: -4,
  badSequence: -5,
  badAuth: -6,
  insufficientBalance: -7,
  noAccount: -8,
  insufficientFee: -9,
  badAuthExtra: -10,
  notSupported: -12,
  bumpInnerFailed: -13,
  badMinSeqAgeOrGap: -15,
  malformed: -16,
  sorobanInvalid: -17,
} as const;
export type TxCode = (typeof TxCode)[keyof typeof TxCode];
type PlainCode = Exclude<TxCode, typeof TxCode.failed | typeof TxCode.bumpInnerFailed>;

export type Refusal = {
  readonly code: PlainCode | typeof TxCode.failed;
  /** Stroops that would do, where the fee is too low. */
  readonly feeCharged?: bigint;
  /** Of `failed`: the result of each operation. */
  readonly operations?: readonly OperationResultWire[];
  readonly diagnostics?: readonly Diagnostic[];
  /** Set where it is the transaction inside a fee bump that is refused. */
  readonly innerHash?: Uint8Array;
};

/** XDR of the TransactionResult. */
export function refusalXdr(refusal: Refusal): Uint8Array {
  const { code, innerHash, feeCharged = 0n, operations = [] } = refusal;
  const result = code === TxCode.failed ? { code, results: operations } : { code };
  return encodeBytes(TransactionResult, resultWire(result, feeCharged, innerHash));
}

/** ScErrorType and ScErrorCode of what nodes say of declared resources (core). */
const STORAGE_EXCEEDED = { type: 3, code: 5 } as const;
const STORAGE_INVALID = { type: 3, code: 2 } as const;

/** One value above the network's limit of it. */
export function limitDiagnostic(
  text: string,
  value: number | bigint,
  limit: number | bigint,
): Diagnostic {
  return said(STORAGE_EXCEEDED, text, [u64Wire(BigInt(value)), u64Wire(BigInt(limit))]);
}

export function invalidDiagnostic(text: string): Diagnostic {
  return said(STORAGE_INVALID, text, []);
}

function said(
  error: typeof STORAGE_EXCEEDED | typeof STORAGE_INVALID,
  text: string,
  args: readonly HostValue[],
): Diagnostic {
  return { ...errorDiagnostic(undefined, error, text, args), inSuccessfulContractCall: false };
}
