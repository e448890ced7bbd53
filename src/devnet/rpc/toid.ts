// TOIDs (SEP-35): ledger, transaction and operation in one 64-bit number.

export type ToidParts = {
  readonly ledger: number;
  /** Application order, from 1; 0: the ledger itself. */
  readonly transaction: number;
  readonly operation: number;
};

const TRANSACTION_BITS = 20n;
const OPERATION_BITS = 12n;
/** The largest numbers that fit. */
export const TRANSACTION_MAX = (1 << 20) - 1;
export const OPERATION_MAX = (1 << 12) - 1;

export function toid({ ledger, transaction, operation }: ToidParts): bigint {
  const high = (BigInt(ledger) << TRANSACTION_BITS) | BigInt(transaction);
  return (high << OPERATION_BITS) | BigInt(operation);
}

export function toidParts(of: bigint): ToidParts {
  return {
    ledger: Number(of >> (TRANSACTION_BITS + OPERATION_BITS)),
    transaction: Number((of >> OPERATION_BITS) & BigInt(TRANSACTION_MAX)),
    operation: Number(of & BigInt(OPERATION_MAX)),
  };
}
