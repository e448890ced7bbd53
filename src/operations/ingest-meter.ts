// How reading ledgers goes, as the reader thread tells it.

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

/** What the reader thread says, as far as it is shown. */
export type IngestStatus = {
  readonly state: IngestState;
  readonly tip?: number;
  readonly message?: string;
};

/** Main thread. */
export class IngestMeter {
  state: IngestState = "starting";
  /** What the state's words are, where it says more than its name. */
  message: string | undefined;
  /** Newest ledger that the source has; undefined until it said so. */
  tip: number | undefined;
  readerStarts = 0;
  rpcFailures = 0;

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

  /** Reading ended for good, with the last state still served. */
  stopped(message: string): void {
    this.state = "stopped";
    this.message = message;
  }

  rpcFailed(): void {
    this.rpcFailures += 1;
  }
}
