// Ingest state and totals, as the reader thread and what follows it report them.
import { Buckets, LONG_BOUNDS_MS } from "./buckets.ts";

export const INGEST_STATES = [
  "starting",
  "following",
  "catching-up",
  "gap",
  "behind",
  "unreachable",
  "stopped",
] as const;
export type IngestState = (typeof INGEST_STATES)[number];

/** The part of the reader's status that is shown. */
export type IngestStatus = {
  readonly state: IngestState;
  readonly tip?: number;
  readonly message?: string;
};

/** Where it stands with a source of ledgers, entries or simulations. */
export type SourceView = {
  readonly name: string;
  readonly state: (typeof SOURCE_STATES)[number];
  /** Newest ledger it was seen to have; 0: none yet. */
  readonly tip: number;
};
export const SOURCE_STATES = ["good", "failing", "behind", "wrong-network"] as const;

/** Main thread. */
export class IngestMeter {
  state: IngestState = "starting";
  /** What the state's words are, where it says more than its name. */
  message: string | undefined;
  /** Newest ledger that the source has; undefined until it said so. */
  tip: number | undefined;
  readerStarts = 0;
  rpcFailures = 0;
  /** Things of the exchange's that are not known, by kind. */
  readonly oddities = new Map<string, number>();
  sources: () => readonly SourceView[] = () => [];
  /** From a ledger's arrival on the main thread until it can be seen. */
  readonly ledger = new Buckets(LONG_BOUNDS_MS);

  readerStarted(): void {
    this.state = "starting";
    this.message = undefined;
    this.tip = undefined;
    this.readerStarts += 1;
  }

  status(status: IngestStatus): void {
    this.state = status.state;
    this.message = status.message;
    if (status.tip !== undefined) this.tip = status.tip;
  }

  /** Reading ended, with the last state still served. */
  stopped(message: string): void {
    this.state = "stopped";
    this.message = message;
  }

  /** Something of the exchange's that is not known, by its kind. */
  oddity(kind: string): void {
    this.oddities.set(kind, (this.oddities.get(kind) ?? 0) + 1);
  }

  rpcFailed(): void {
    this.rpcFailures += 1;
  }
}
