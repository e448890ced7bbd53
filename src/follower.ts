// Follower: connects the reader thread to the exchange, on the main thread. Starts the reader where the store
// ends, hands on its ledgers, and reports when it cannot continue.
import type { Logger } from "pino";
import type { BackingRecords } from "./book/backing/backing-records.ts";
import type { TokenReader } from "./book/backing/custom-tokens.ts";
import type { Exchange } from "./book/exchange.ts";
import type { NetworkConfig } from "./config/config.ts";
import { progressText } from "./ingest/catch-up/progress.ts";
import { IngestError } from "./ingest/ingest-error.ts";
import { canBeLake } from "./ingest/lake/lake-store.ts";
import { type Log, type SourceStatus, systemTimer } from "./ingest/ledger-source.ts";
import type { ReaderFault } from "./ingest/messages.ts";
import { oldestLedger } from "./ingest/oldest-ledger.ts";
import { Reader, type ReaderListener } from "./ingest/reader.ts";
import type { TokenSimulator } from "./ingest/simulate.ts";
import { SourceSet } from "./ingest/source-set.ts";
import { PROGRESS_FIELD } from "./log-stream.ts";
import type { TrackingRequest } from "./model/entry-tracking.ts";
import type { LedgerDelta } from "./model/ledger-delta.ts";
import { messageOf } from "./model/thrown.ts";
import type { IngestMeter, SourceView } from "./operations/ingest-meter.ts";

/** Why following ended for good. After any other fault the last good state stays served. */
export type FollowEnd =
  /** The data held is of a network that is no more, or of another branch of it. */
  | { readonly kind: "reset"; readonly message: string }
  /** Nothing was stored yet and the start was wrong: begin again. */
  | { readonly kind: "again"; readonly message: string }
  /** The network shows that a setting is wrong; nothing was stored yet. */
  | { readonly kind: "refused"; readonly message: string }
  /** The process has to end. */
  | { readonly kind: "fatal"; readonly message: string };

export type FollowOptions = {
  /** Called once, when every ledger there is has been read for the first time. */
  readonly live?: (ledger: number) => void;
  readonly network: NetworkConfig;
  readonly catchUpThreads: number;
  readonly resetProofSeconds: number;
  readonly log: Logger;
  readonly meter: IngestMeter;
};

/** Main thread. Made once for each engine. */
export class Follower {
  readonly #options: FollowOptions;
  readonly #log: Log;
  readonly #set: SourceSet;
  readonly #reader: Reader;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<FollowEnd>;
  #end: (end: FollowEnd) => void = () => undefined;
  #isLive = false;
  #simulator: Promise<TokenSimulator> | undefined;

  constructor(options: FollowOptions) {
    const { network, catchUpThreads, resetProofSeconds, log, meter } = options;
    const { rpcUrls, networkPassphrase: passphrase, contract, lake } = network;
    this.#options = options;
    this.#log = (level, message, fields) => log[level](fields ?? {}, message);
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    const shared = { timer: systemTimer, log: this.#log };
    this.#set = new SourceSet({
      urls: rpcUrls,
      passphrase,
      ...shared,
      onFailure: () => meter.rpcFailed(),
    });
    meter.sources = () => figuresOf(this.#set, lake !== undefined);
    this.#reader = new Reader({
      rpcUrls,
      passphrase,
      exchange: contract,
      catchUpThreads,
      board: this.#set.board.memory,
      proofMs: 1000 * resetProofSeconds,
      ...(lake === undefined ? {} : { lake }),
    });
  }

  readonly tokenReader: TokenReader = {
    read: async (owner, asset, from) => {
      this.#simulator ??= this.#loadSimulator();
      return (await this.#simulator).read(owner, asset, from);
    },
    ahead: (source) => this.#set.reject(source, "simulations"),
  };

  /** To the reader thread, before or after the start. */
  request(request: TrackingRequest): void {
    this.#reader.request(request);
  }

  /** Starts reading after the last stored ledger. Once. */
  start(exchange: Exchange, backing: BackingRecords): Promise<FollowEnd> {
    const { network, log, meter } = this.#options;
    const { signal } = this.#stopping;
    meter.readerStarted();
    const [reader, set] = [this.#reader, this.#set];
    const listener = this.#listener(exchange, backing);
    startReader({ reader, listener, exchange, set, network, log: this.#log, signal }).catch(
      (error: unknown) => {
        if (signal.aborted) return;
        const kind = error instanceof IngestError ? endOf(error) : "fatal";
        const message = messageOf(error);
        if (kind === "refused") log.fatal(`cannot start: ${message}`);
        else log.fatal({ err: error }, "ledgers cannot be read");
        this.#end({ kind: kind === "refused" ? kind : "fatal", message });
      },
    );
    return this.#ended;
  }

  /** No ledger is handed on any more once this resolves. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#reader.stop();
  }

  #listener(exchange: Exchange, backing: BackingRecords): ReaderListener {
    const { log, meter } = this.#options;
    return {
      delta: (delta) => void this.#takeDelta(exchange, delta),
      loaded: (loaded) => backing.entriesLoaded(loaded),
      status: (status) => this.#tellStatus(status),
      rpcFailed: () => meter.rpcFailed(),
      oddity: (what) => meter.oddity(what),
      failed: (fault) => this.#stopped(fault),
      died: (cause) => {
        log.fatal({ err: cause }, "the reader thread died");
        this.#end({ kind: "fatal", message: `the reader thread died: ${cause.message}` });
      },
      log: this.#log,
    };
  }

  async #takeDelta(exchange: Exchange, delta: LedgerDelta): Promise<void> {
    const { log, meter } = this.#options;
    const startMs = performance.now();
    try {
      await exchange.apply(delta);
      meter.ledger.observe(performance.now() - startMs);
      this.#reader.acknowledge(delta.ledger);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      log.fatal({ err: error, ledger: delta.ledger }, "a ledger could not be applied");
      this.#end({ kind: "fatal", message: `ledger ${delta.ledger} could not be applied` });
    }
  }

  #tellStatus(status: SourceStatus): void {
    const { log, live, meter } = this.#options;
    logStatus(log, status);
    if (status.state === "following" && !this.#isLive) {
      this.#isLive = true;
      live?.(status.ledger);
    }
    meter.status(status);
  }

  #stopped(fault: ReaderFault): void {
    const { log, meter } = this.#options;
    const kind = endOf(fault);
    log.error({ fault }, `reading ledgers stopped: ${fault.message}`);
    meter.stopped(fault.message);
    if (kind !== "stale") this.#end({ kind, message: fault.message });
  }

  /** Loaded where such a token turns up: it takes the SDK along, and that the start can do without. */
  async #loadSimulator(): Promise<TokenSimulator> {
    const { networkPassphrase: passphrase, contract: spender } = this.#options.network;
    const { TokenSimulator: Simulator } = await import("./ingest/simulate.ts");
    const [set, { signal }] = [this.#set, this.#stopping];
    return new Simulator({ set, timer: systemTimer, passphrase, spender, signal });
  }
}

type Start = {
  readonly reader: Reader;
  readonly listener: ReaderListener;
  readonly exchange: Exchange;
  readonly set: SourceSet;
  readonly network: NetworkConfig;
  readonly log: Log;
  readonly signal: AbortSignal;
};

async function startReader(start: Start): Promise<void> {
  const { reader, listener, exchange, set, network, ...rest } = start;
  const { cursor } = exchange.state;
  if (cursor !== undefined) {
    const { ledger, hash, closeTime } = cursor;
    reader.start(listener, ledger + 1, { ledger, hash, closeTime });
    return;
  }
  const { fromLedger, lake } = network;
  // Later it may be missing for a while: there is more than it to go on from.
  if (lake !== undefined && !canBeLake(lake)) {
    throw new IngestError("unknown_start", `there is no lake at ${lake}`);
  }
  // With the whole past at hand reading begins where the contract does: the reader finds it.
  const isKnown = fromLedger !== undefined || lake !== undefined;
  const from = isKnown ? fromLedger : await oldestLedger(set, { timer: systemTimer, ...rest });
  rest.log("info", "the store is empty: reading begins", { from });
  reader.start(listener, from, undefined, fromLedger === undefined && from !== undefined);
}

/** What a fault of the reader means: going on with the last state ("stale"), or an end. */
function endOf(fault: Pick<ReaderFault, "code">): FollowEnd["kind"] | "stale" {
  switch (fault.code) {
    case "reset":
      return "reset";
    case "gap":
      // Of an empty store alone: its first ledger was trimmed between asking for it and reading it.
      return "again";
    case "wrong_network":
    case "wrong_contract":
      return "refused";
    case "unknown_start":
      return "fatal";
    case "undecodable":
    case "internal":
      return "stale";
  }
}

function figuresOf(set: SourceSet, hasLake: boolean): readonly SourceView[] {
  const now = systemTimer.now();
  return set.names.slice(0, hasLake ? undefined : set.size).map((name, source) => ({
    name,
    state: set.board.state(source, now),
    tip: set.board.get(source, "tip"),
  }));
}

/** Faults are logged by the reader where they begin and end; this is the running progress. */
function logStatus(log: Logger, status: SourceStatus): void {
  if (status.state === "following") log.debug(status, "following");
  if (status.state === "catching-up") {
    log.info({ [PROGRESS_FIELD]: status }, `catching up: ${progressText(status)}`);
  }
}
