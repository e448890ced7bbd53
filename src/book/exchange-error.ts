export type ExchangeErrorCode =
  /** The ledger is not the one after the last. */
  | "gap"
  /** The ledger does not name the last one's hash as its previous: another history. */
  | "fork"
  | "closed";

export class ExchangeError extends Error {
  readonly code: ExchangeErrorCode;

  constructor(code: ExchangeErrorCode, message: string) {
    super(message);
    this.name = "ExchangeError";
    this.code = code;
  }
}
