import { messageOf } from "../model/thrown.ts";

export type StoreErrorCode =
  /** The folder holds something that is no store of this program. */
  | "foreign"
  /** The store follows another network or another contract. */
  | "other_network"
  | "other_contract"
  /** Written by an earlier or a later version of this program. */
  | "earlier_schema"
  | "later_schema"
  /** The file is truncated or its content contradicts itself. */
  | "damaged"
  /** A copy was to be made where something is. */
  | "not_empty"
  /** Another engine runs on the folder. */
  | "in_use"
  /** The folder cannot be read or written. */
  | "unavailable"
  /** A commit did not happen (disk full, for one); nothing of it is stored. */
  | "commit_failed"
  | "closed";

/** The folder cannot be read or written, with the reason; a StoreError says more and stays as it is. */
export function unavailable(what: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  return new StoreError("unavailable", `${what}: ${messageOf(cause)}`, cause);
}

/** The one error of the store's boundary. Messages are fit for an operator. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StoreError";
    this.code = code;
  }
}
