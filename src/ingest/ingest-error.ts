// Errors that stop the reader. Match on `code`; the message is for people.

export type IngestErrorCode =
  /** Ledgers that we need are no longer served by anyone. */
  | "gap"
  /** The network began anew, or is not the one our ledgers came from. */
  | "reset"
  /** A ledger whose XDR this version cannot read. */
  | "undecodable"
  /** The source serves another network than the one configured. */
  | "wrong_network"
  /** The exchange contract does not exist on the network. */
  | "wrong_contract"
  /** The ledger that created the contract cannot be found. */
  | "unknown_start"
  /** A fault of ours or of the machine. */
  | "internal";

/**
 * `ledger` is the first one that could not be delivered, `protocol` its protocol version where that is
 * known.
 */
export class IngestError extends Error {
  readonly code: IngestErrorCode;
  readonly ledger: number | undefined;
  readonly protocol: number | undefined;

  constructor(
    code: IngestErrorCode,
    message: string,
    detail: {
      readonly ledger?: number;
      readonly protocol?: number;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = "IngestError";
    this.code = code;
    this.ledger = detail.ledger;
    this.protocol = detail.protocol;
  }
}

/** The message of anything thrown, its cause included. */
export function errorText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause === undefined
    ? thrown.message
    : `${thrown.message}: ${errorText(thrown.cause)}`;
}
