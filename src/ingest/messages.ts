// The protocol between the main thread and the reader thread: one place to read it.
import type { EntriesLoaded, TrackingRequest } from "../model/entry-tracking.ts";
import type { LedgerDelta } from "../model/ledger-delta.ts";
import type { IngestErrorCode } from "./ingest-error.ts";
import type { ChainLink, LogLevel, SourceStatus } from "./ledger-source.ts";

/** The thread's `workerData`. */
export type ReaderOptions = {
  /** In order of preference. May be empty where there is a lake: then no entries can be loaded. */
  readonly rpcUrls: readonly string[];
  /** A data lake (SEP-54): http(s) URL or directory. */
  readonly lake?: string;
  /** Threads that read and decode while far behind; 0: none. */
  readonly catchUpThreads: number;
  readonly passphrase: string;
  /** The exchange's contract address (C...). */
  readonly exchange: string;
  /** What the process knows of its sources (SourceBoard). */
  readonly board: SharedArrayBuffer;
  /** Milliseconds for which all sources have to show another history before ours is given up. */
  readonly proofMs: number;
};

/** To the reader, in this order of life: tracking requests, one `start`, then anything but it. */
export type ToReader =
  | {
      readonly kind: "start";
      /** First ledger wanted; absent: the one that created the exchange's contract. */
      readonly from?: number;
      /** The ledger before it; absent where none was ever read. */
      readonly previous?: ChainLink;
      /** `from` was only the oldest one to be had: where it is gone meanwhile that is a `gap`. */
      readonly mayBeginLater?: boolean;
    }
  /** The newest ledger that is durable and shown, and with it all before. */
  | { readonly kind: "ack"; readonly ledger: number }
  | TrackingRequest
  | { readonly kind: "stop" };

/**
 * Deltas that may be on their way without being acknowledged. Enough for the main thread to put
 * several ledgers in one transaction while it catches up (choice).
 */
export const CREDIT_LEDGERS = 64;

export type ReaderFault = {
  readonly code: IngestErrorCode;
  readonly message: string;
  readonly ledger?: number;
  readonly protocol?: number;
};

/** From the reader. Deltas come in order without a hole. */
export type FromReader =
  | { readonly kind: "delta"; readonly delta: LedgerDelta }
  | { readonly kind: "loaded"; readonly loaded: EntriesLoaded }
  | { readonly kind: "status"; readonly status: SourceStatus }
  /** A call of an RPC failed, for the metrics. */
  | { readonly kind: "rpc-failed" }
  /** Something of the exchange's that is not known, by its kind (Oddity). */
  | { readonly kind: "oddity"; readonly what: string }
  | {
      readonly kind: "log";
      readonly level: LogLevel;
      readonly message: string;
      readonly fields?: Readonly<Record<string, unknown>>;
    }
  /** Nothing more comes; the thread ends. */
  | { readonly kind: "failed"; readonly fault: ReaderFault }
  | { readonly kind: "stopped" };
