// The port every source of ledgers implements, and what a source says of itself meanwhile.
import type { Progress } from "./catch-up/progress.ts";

/** One LedgerCloseMeta in XDR, as its source gave it. */
export type RawLedger = { readonly sequence: number; readonly bytes: Uint8Array };

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
  readonly signal: AbortSignal;
};

/**
 * Yields every ledger from `from` on, in order and without a hole, in the pieces it got them; waits
 * for those that do not exist yet. An empty piece says that ledgers which should be there cannot be
 * had for now; asked on, it goes on trying. Every ledger's hash is the hash of its header and names its
 * predecessor's. Returns when the signal aborts; throws IngestError where it cannot go on.
 */
export interface LedgerSource {
  ledgers(request: LedgerRequest): AsyncGenerator<readonly RawLedger[], void, undefined>;
}

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
  /** The source ends at `tip`, before ledgers that were already delivered. */
  | {
      readonly state: "behind";
      readonly ledger: number;
      readonly tip: number;
      readonly message: string;
    }
  | { readonly state: "unreachable"; readonly ledger: number; readonly message: string };

export type LogLevel = "debug" | "info" | "warn" | "error";
export type Log = (
  level: LogLevel,
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/** Time as the sources see it, so that tests can set it. */
export type Timer = {
  /** Milliseconds that only go forward, however the system's clock is set: for distances in time. */
  readonly now: () => number;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

export const systemTimer: Timer = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const done = (): void => {
        clearTimeout(timeout);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timeout = setTimeout(done, ms);
      signal.addEventListener("abort", done, { once: true });
    }),
};
