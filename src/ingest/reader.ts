// The main thread's side of the reader thread.
import { Worker } from "node:worker_threads";
import type { EntriesLoaded, TrackingRequest } from "../model/entry-tracking.ts";
import type { LedgerDelta } from "../model/ledger-delta.ts";
import type { ChainLink, Log, SourceStatus } from "./ledger-source.ts";
import type { FromReader, ReaderFault, ReaderOptions, ToReader } from "./messages.ts";

/** Called on the main thread, in the order things happened. None may throw. */
export type ReaderListener = {
  /** The next ledger. Acknowledge it once it is durable and shown: CREDIT_LEDGERS may be out. */
  readonly delta: (delta: LedgerDelta) => void;
  readonly loaded: (loaded: EntriesLoaded) => void;
  /** Called for changes of state and new ledgers alone. */
  readonly status: (status: SourceStatus) => void;
  readonly rpcFailed: () => void;
  /** Something of the exchange's that is not known, by its kind. */
  readonly oddity: (what: string) => void;
  /**
   * The reader stopped and says why. With `reset` the data held is proven to be of another history: it
   * is to be set aside, and a new reader started from the first ledger. Any other code is of a start
   * without history, or of a fault of ours in which the last good state stays as it is.
   */
  readonly failed: (fault: ReaderFault) => void;
  /** The thread died without reporting a fault. Its state cannot be trusted: the process has to end. */
  readonly died: (cause: Error) => void;
  readonly log: Log;
};

/** How long the thread may take to end of itself (choice): the process has 5 s for all of it. */
const STOP_MS_MAX = 1000;

/**
 * Megabytes for the thread's new objects, a third of what it would take by default: ledgers are read
 * in their bytes and make few (measured: 15 MB less resident).
 */
const YOUNG_MB = 16;

/** The thread begins with `start`: until then the process has all cores for its first answers. */
export class Reader {
  readonly #options: ReaderOptions;
  #thread: { readonly worker: Worker; readonly ended: Promise<void> } | undefined;
  /** Asked before the start. */
  readonly #waiting: ToReader[] = [];
  #finished = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /**
   * Begins reading at `from`, or at the ledger that created the exchange's contract, and tells
   * `listener`. Entries and tokens asked for before are followed from that ledger on. `previous` is the
   * ledger before it, with the hash its successor has to name. `mayBeginLater`: `from` is only the
   * oldest to be had.
   */
  start(
    listener: ReaderListener,
    from?: number,
    previous?: ChainLink,
    mayBeginLater = false,
  ): void {
    if (this.#finished) return;
    this.#thread = this.#begin(listener);
    for (const message of this.#waiting.splice(0)) this.#post(message);
    this.#post({
      kind: "start",
      ...(from === undefined ? {} : { from }),
      ...(previous === undefined ? {} : { previous }),
      mayBeginLater,
    });
  }

  /** `ledger` and all before it are durable and shown. */
  acknowledge(ledger: number): void {
    this.#post({ kind: "ack", ledger });
  }

  request(request: TrackingRequest): void {
    this.#post(request);
  }

  /** Resolves once the thread is gone. A ledger it was decoding is dropped, never half delivered. */
  async stop(): Promise<void> {
    this.#finished = true;
    if (this.#thread === undefined) return;
    const { worker, ended } = this.#thread;
    worker.postMessage({ kind: "stop" } satisfies ToReader);
    // A thread that is still loading receives no messages, on a busy machine for seconds.
    const timer = setTimeout(() => void worker.terminate(), STOP_MS_MAX);
    await ended;
    clearTimeout(timer);
  }

  #handle(message: FromReader, listener: ReaderListener): void {
    if (message.kind === "log") {
      listener.log(message.level, message.message, message.fields);
      return;
    }
    if (this.#finished) return;
    switch (message.kind) {
      case "delta":
        listener.delta(message.delta);
        break;
      case "loaded":
        listener.loaded(message.loaded);
        break;
      case "status":
        listener.status(message.status);
        break;
      case "rpc-failed":
        listener.rpcFailed();
        break;
      case "oddity":
        listener.oddity(message.what);
        break;
      case "failed":
        this.#finished = true;
        listener.failed(message.fault);
        break;
      case "stopped":
        break;
    }
  }

  #lost(cause: Error, listener: ReaderListener): void {
    if (this.#finished) return;
    this.#finished = true;
    listener.died(cause);
  }

  #post(message: ToReader): void {
    if (this.#thread === undefined) this.#waiting.push(message);
    else this.#thread.worker.postMessage(message);
  }

  #begin(listener: ReaderListener) {
    const worker = new Worker(new URL("./reader-worker.js", import.meta.url), {
      workerData: this.#options,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    worker.on("message", (message: FromReader) => this.#handle(message, listener));
    const ended = new Promise<void>((resolve) => {
      worker.once("exit", (code) => {
        resolve();
        this.#lost(new Error(`the reader thread ended with code ${code}`), listener);
      });
    });
    worker.on("error", (cause) => this.#lost(cause, listener));
    return { worker, ended };
  }
}
