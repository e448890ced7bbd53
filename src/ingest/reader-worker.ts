// The reader thread: ledgers from the source, decoded, to the main thread as fast as it takes them.
import { setImmediate as nextTurn } from "node:timers/promises";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type Address, address } from "../model/address.ts";
import { Credit } from "./credit.ts";
import { errorText, IngestError } from "./ingest-error.ts";
import type { DecodeLedger } from "./ledger-decoder.ts";
import {
  type LedgerSource,
  type Log,
  type RawLedger,
  type SourceStatus,
  systemTimer,
} from "./ledger-source.ts";
import {
  CREDIT_LEDGERS,
  type FromReader,
  type ReaderFault,
  type ReaderOptions,
  type ToReader,
} from "./messages.ts";
import { checkContract, type LoadEntries, rpcEntryLoader } from "./rpc-entries.ts";
import { RpcSource } from "./rpc-source.ts";
import { skipDecoder } from "./skip-decoder.ts";
import { Tracker } from "./tracker.ts";

class ReaderThread {
  private readonly port: MessagePort;
  private readonly abort = new AbortController();
  private readonly credit = new Credit(CREDIT_LEDGERS);
  private readonly source: LedgerSource;
  private readonly load: LoadEntries;
  private readonly tracker: Tracker;
  private readonly decode: DecodeLedger;
  private readonly exchange: Address;
  private tokens: ReadonlySet<Address> = new Set();
  private running: Promise<void> | undefined;
  private told = { state: "", text: "" };

  constructor(port: MessagePort, options: ReaderOptions) {
    this.port = port;
    this.exchange = address(options.exchange);
    const { passphrase, rpcUrls: urls } = options;
    const log: Log = (level, message, fields) =>
      this.post({ kind: "log", level, message, ...(fields === undefined ? {} : { fields }) });
    const common = { urls, passphrase, timer: systemTimer, log };
    this.source = new RpcSource({
      ...common,
      onStatus: (status) => this.tell(status, log),
    });
    this.load = rpcEntryLoader(common);
    this.tracker = new Tracker({
      load: this.load,
      deliver: (loaded) => this.post({ kind: "loaded", loaded }),
      fail: (thrown) => this.fail(thrown),
      timer: systemTimer,
      log,
      signal: this.abort.signal,
    });
    this.decode = skipDecoder({ exchange: this.exchange, passphrase });
  }

  handle(message: ToReader): void {
    switch (message.kind) {
      case "start":
        this.running ??= this.run(message).catch((thrown: unknown) => this.fail(thrown));
        break;
      case "ack":
        this.credit.acknowledged(message.ledger);
        break;
      case "track":
        try {
          this.tracker.track(message);
        } catch (thrown) {
          this.fail(thrown);
        }
        break;
      case "untrack":
        this.tracker.untrack(message.keys);
        break;
      case "tokens":
        this.tokens = new Set(message.tokens);
        break;
      case "stop":
        void this.stop();
        break;
    }
  }

  private async run(start: Extract<ToReader, { readonly kind: "start" }>): Promise<void> {
    const { signal } = this.abort;
    this.tracker.passed(start.from - 1);
    await checkContract(this.exchange, this.load, signal);
    const request = {
      from: start.from,
      ...(start.previous === undefined ? {} : { previous: start.previous }),
      signal,
    };
    for await (const piece of this.source.ledgers(request)) {
      for (const raw of piece) {
        // Takes in what the main thread asked for meanwhile: `track` counts from the next ledger.
        await nextTurn();
        await this.credit.available();
        if (signal.aborted) return;
        this.deliver(raw);
      }
    }
  }

  private deliver({ bytes, sequence }: RawLedger): void {
    const { delta, oddities } = this.decode(bytes, sequence, {
      keys: this.tracker.keys,
      tokens: this.tokens,
    });
    for (const message of oddities) {
      this.post({ kind: "log", level: "warn", message, fields: { ledger: sequence } });
    }
    this.credit.sent(sequence);
    this.post({ kind: "delta", delta });
    this.tracker.passed(sequence);
  }

  /** A source reports after every request: only what is new goes on. */
  private tell(status: SourceStatus, log: Log): void {
    if (status.state === "following") this.tracker.sawTip(status.tip);
    const text = JSON.stringify(status);
    if (text === this.told.text) return;
    if (status.state !== this.told.state) {
      if (status.state !== "following") log("warn", status.message, { state: status.state });
      else if (this.told.state !== "") log("info", "the source serves ledgers again");
    }
    this.told = { state: status.state, text };
    this.post({ kind: "status", status });
  }

  private async stop(): Promise<void> {
    this.abort.abort();
    this.credit.close();
    await this.running;
    this.post({ kind: "stopped" });
    this.port.close();
  }

  private fail(thrown: unknown): void {
    if (this.abort.signal.aborted) return;
    this.abort.abort();
    this.credit.close();
    this.post({ kind: "failed", fault: faultOf(thrown) });
    this.port.close();
  }

  private post(message: FromReader): void {
    this.port.postMessage(message);
  }
}

/** Errors lose their class between threads: a plain record keeps the code. */
function faultOf(thrown: unknown): ReaderFault {
  if (!(thrown instanceof IngestError)) {
    return { code: "internal", message: errorText(thrown), retryable: false };
  }
  const { code, message, retryable, ledger, protocol } = thrown;
  return {
    code,
    message,
    retryable,
    ...(ledger === undefined ? {} : { ledger }),
    ...(protocol === undefined ? {} : { protocol }),
  };
}

if (parentPort !== null) {
  const port = parentPort;
  const thread = new ReaderThread(port, workerData as ReaderOptions);
  port.on("message", (message: ToReader) => thread.handle(message));
}
