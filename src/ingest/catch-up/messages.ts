// The protocol between the reader thread and the range threads that help it to catch up.
import type { TrackingRequest } from "../../model/entry-tracking.ts";
import type { DecodedLedger } from "../ledger-decoder.ts";
import type { LogLevel } from "../ledger-source.ts";
import type { ReaderOptions } from "../messages.ts";

/** A range thread's `workerData`. */
export type RangeOptions = ReaderOptions & {
  /** What is followed at its start: keys in base64 XDR, tokens' addresses. */
  readonly keys: readonly string[];
  readonly tokens: readonly string[];
};

export type Range = { readonly from: number; readonly to: number };

/** Ranges are answered in any order; what is followed counts for ranges that come after it. */
export type ToRange = ({ readonly kind: "range" } & Range) | TrackingRequest;

export type RangeResult = {
  readonly kind: "decoded";
  /** As asked for. */
  readonly range: Range;
  /** From `range.from` on: fewer than asked for where the next one cannot be had. */
  readonly ledgers: readonly DecodedLedger[];
  /** Of these ledgers in XDR. */
  readonly bytes: number;
  /** Why there are fewer. */
  readonly incomplete?: string;
};

export type FromRange =
  | RangeResult
  | { readonly kind: "log"; readonly level: LogLevel; readonly message: string };
