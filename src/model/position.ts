// Position: the place of an event or a call on the chain; the API's ids and cursors (contract.md, Event position).

declare const positionBrand: unique symbol;
/** `(TOID << 16) | index`: up to 80 bits. TOID is SEP-35's ledger << 32 | transaction << 12 | op. */
export type Position = bigint & { readonly [positionBrand]: true };

export const POSITION_MAX = ((1n << 80n) - 1n) as Position;

/** Bits below the ledger. */
const LEDGER_BITS = 48n;
/** SEP-35 bounds: 20 bits of transaction, 12 of operation; 16 bits of event index are ours. */
const TRANSACTION_MAX = (1 << 20) - 1;
const OPERATION_MAX = (1 << 12) - 1;
const INDEX_MAX = (1 << 16) - 1;

export type PositionParts = {
  readonly ledger: number;
  /** Application order in the ledger, from 1. */
  readonly transaction: number;
  /** From 1; 0 is the transaction itself (failures). */
  readonly operation: number;
  /** Event of the operation, or failed call of the transaction, from 0. */
  readonly index: number;
};

/** Throws a RangeError where a part does not fit its bits. */
export function position(parts: PositionParts): Position {
  const { ledger, transaction, operation, index } = parts;
  if (
    !(ledger >= 0 && ledger <= 0xffff_ffff) ||
    !(transaction >= 0 && transaction <= TRANSACTION_MAX) ||
    !(operation >= 0 && operation <= OPERATION_MAX) ||
    !(index >= 0 && index <= INDEX_MAX)
  ) {
    throw new RangeError(`no position: ${ledger}/${transaction}/${operation}/${index}`);
  }
  return (ledgerStart(ledger) |
    (BigInt(transaction) << 28n) |
    (BigInt(operation) << 16n) |
    BigInt(index)) as Position;
}

export function positionParts(of: Position): PositionParts {
  // What is below the ledger fits a number.
  const below = Number(BigInt.asUintN(48, of));
  return {
    ledger: ledgerOf(of),
    transaction: Math.floor(below / 2 ** 28),
    operation: Math.floor(below / 2 ** 16) % 2 ** 12,
    index: below % 2 ** 16,
  };
}

export function ledgerOf(of: Position): number {
  return Number(of >> LEDGER_BITS);
}

/** Below every event of the ledger: transactions count from 1. */
export function ledgerStart(ledger: number): Position {
  return (BigInt(ledger) << LEDGER_BITS) as Position;
}

/** A cursor as clients write it: decimal digits alone. Undefined for anything else. */
export function parsePosition(text: string): Position | undefined {
  if (!/^[0-9]{1,25}$/.test(text)) return undefined;
  const value = BigInt(text);
  return value <= POSITION_MAX ? (value as Position) : undefined;
}
