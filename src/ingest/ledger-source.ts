// Types of a source of ledgers: a ledger as it came, the state of reading, the log and the clock.
import { setTimeout as delay } from "node:timers/promises";
import type { Progress } from "./catch-up/progress.ts";

/** One LedgerCloseMeta in XDR, as its source gave it. */
export type RawLedger = {
  readonly sequence: number;
  readonly bytes: Uint8Array;
  /** Its row in the source set. */
  readonly source: number;
};

/** The ledger before the first one wanted: where the chain of hashes goes on. */
export type ChainLink = {
  readonly ledger: number;
  /** Lower-case hex. */
  readonly hash: string;
  /** UNIX seconds. Tells a network that began anew from a server that is merely late. */
  readonly closeTime?: number;
};

export type LedgerRequest = {
  readonly from: number;
  /** Absent where `from` is the first ledger ever read. */
  readonly previous?: ChainLink;
  /** `from` was only the oldest one to be had: where it is gone meanwhile another will do. */
  readonly mayBeginLater?: boolean;
  readonly signal: AbortSignal;
};

/** `ledger` is the last one the source delivered. */
export type SourceStatus =
  /** `tip`: newest ledger the source has. */
  | { readonly state: "following"; readonly ledger: number; readonly tip: number }
  /** Far behind and reading many ledgers at a time. */
  | ({ readonly state: "catching-up" } & Progress)
  /** Ledgers `first` to `last` are missing for now; waiting for them. */
  | {
      readonly state: "gap";
      readonly ledger: number;
      readonly first: number;
      readonly last: number;
      readonly message: string;
    }
  /**
   * Later ledgers are there, or should be, and do not come: the source ends at `tip` before what was
   * delivered, shows another history, or has nothing new for longer than ledgers take.
   */
  | {
      readonly state: "behind";
      readonly ledger: number;
      readonly tip: number;
      readonly message: string;
    }
  | { readonly state: "unreachable"; readonly ledger: number; readonly message: string }
  /** The next ledger cannot be read as anyone gives it. It is asked for again. */
  | { readonly state: "stopped"; readonly ledger: number; readonly message: string };

export type LogLevel = "debug" | "info" | "warn" | "error";
export type Log = (
  level: LogLevel,
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/** Time as the sources see it, so that tests can set it. */
export type Timer = {
  /**
   * Milliseconds that only go forward, however the system's clock is set: for distances in time. The same
   * in all threads.
   */
  readonly now: () => number;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

export const systemTimer: Timer = {
  now: () => Number(process.hrtime.bigint()) / 1e6,
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};
