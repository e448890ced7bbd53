// The reader thread: reads ledgers from the sources, decodes them and sends them to the main thread, as fast
// as that takes them.
import { setImmediate as nextTurn } from "node:timers/promises";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type Address, address } from "../model/address.ts";
import type { TrackingRequest } from "../model/entry-tracking.ts";
import { CatchUp } from "./catch-up/catch-up.ts";
import { ProgressMeter } from "./catch-up/progress.ts";
import { Credit } from "./credit.ts";
import { firstLedgerOf } from "./first-ledger.ts";
import { errorText, IngestError, type IngestErrorCode } from "./ingest-error.ts";
import type { DecodedLedger, DecodeLedger, Oddity } from "./ledger-decoder.ts";
import {
  type ChainLink,
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
import { checkContract } from "./rpc-entries.ts";
import { Sources } from "./sources.ts";
import { Tracker } from "./tracker.ts";
import { walkDecoder } from "./walk-decoder.ts";

/** So many behind, or more, range threads read many ledgers at a time (choice). */
const CATCH_UP_LEDGERS = 500;
/** Least time between two catch-ups, since starting their threads has a cost. */
const CATCH_UP_RETRY_MS = 60_000;
/** Pauses before reading restarts after an internal fault: the first and the longest. */
const FAULT_RETRY_MS = 1_000;
const FAULT_RETRY_MAX_MS = 60_000;
/** Faults that end the reader: the main thread has to act on them. */
const ENDING: ReadonlySet<IngestErrorCode> = new Set([
  "reset",
  "gap",
  "wrong_network",
  "wrong_contract",
  "unknown_start",
]);

/** A contract or its first ledger must be missing so often, and once more for each URL, before that is final. */
const FINDINGS_MIN = 2;

/** Kinds of oddities counted separately: contracts can invent names without end. */
const ODDITIES_MAX = 64;

class ReaderThread {
  readonly #port: MessagePort;
  readonly #options: ReaderOptions;
  readonly #abort = new AbortController();
  readonly #credit = new Credit(CREDIT_LEDGERS);
  readonly #sources: Sources;
  readonly #tracker: Tracker;
  readonly #catchUp: CatchUp;
  readonly #decode: DecodeLedger;
  readonly #exchange: Address;
  #tokens: ReadonlySet<Address> = new Set();
  #running: Promise<void> | undefined;
  #reported = { state: "", text: "" };
  /** The next ledger to hand over, and the one before it. */
  #next = 0;
  #previous: ChainLink | undefined;
  #tip = 0;
  #catchUpAgainAt = 0;
  #mayBeginLater = false;
  readonly #oddities = new Set<string>();

  constructor(port: MessagePort, options: ReaderOptions) {
    this.#port = port;
    this.#options = options;
    this.#exchange = address(options.exchange);
    const log: Log = (...line) => this.#log(...line);
    this.#sources = new Sources(options, {
      timer: systemTimer,
      log,
      onStatus: (status) => this.#tell(status),
      // No more often than failed URLs are asked again.
      onFailure: () => this.#post({ kind: "rpc-failed" }),
    });
    this.#tracker = new Tracker({
      load: this.#sources.load,
      stale: (source) => this.#sources.stale(source),
      deliver: (loaded) => this.#post({ kind: "loaded", loaded }),
      oddity: (oddity, ledger) => this.#tellOddity(oddity, ledger),
      fail: (thrown) => this.#fail(thrown),
      timer: systemTimer,
      log,
      signal: this.#abort.signal,
    });
    this.#catchUp = new CatchUp({
      threads: options.catchUpThreads,
      rangeOptions: () => ({
        ...options,
        keys: [...this.#tracker.keys.keys()],
        tokens: [...this.#tokens],
      }),
      log,
      handOut: (ledger) => this.#tracker.handOut(ledger),
    });
    this.#decode = walkDecoder({ exchange: this.#exchange, passphrase: options.passphrase });
  }

  handle(message: ToReader): void {
    switch (message.kind) {
      case "start":
        this.#running ??= this.#run(message).catch((thrown: unknown) => this.#fail(thrown));
        break;
      case "ack":
        this.#credit.acknowledged(message.ledger);
        break;
      case "track":
      case "untrack":
      case "tokens":
        try {
          this.#follow(message);
        } catch (thrown) {
          this.#fail(thrown);
        }
        break;
      case "stop":
        void this.#stop();
        break;
    }
  }

  #follow(request: TrackingRequest): void {
    switch (request.kind) {
      case "track":
        this.#tracker.track(request);
        break;
      case "untrack":
        this.#tracker.untrack(request.keys);
        break;
      case "tokens":
        this.#tokens = new Set(request.tokens);
        break;
    }
    this.#catchUp.follow(request);
  }

  async #run(start: Extract<ToReader, { readonly kind: "start" }>): Promise<void> {
    const { signal } = this.#abort;
    this.#next = await this.#firstLedger(start, signal);
    this.#previous = start.previous;
    this.#mayBeginLater = start.mayBeginLater ?? false;
    this.#tracker.passed(this.#next - 1);
    let faults = 0;
    while (!signal.aborted) {
      const began = this.#next;
      try {
        await this.#readMany(signal);
        await this.#readOn(signal);
        faults = 0;
      } catch (thrown) {
        if (signal.aborted || isEnding(thrown)) throw thrown;
        faults = this.#next > began ? 1 : faults + 1;
        await this.#pauseAfter(`ledger ${this.#next}`, thrown, faults, signal);
      }
    }
  }

  /** Waits after a fault that may be temporary; the same is tried again then. */
  async #pauseAfter(
    what: string,
    thrown: unknown,
    faults: number,
    signal: AbortSignal,
  ): Promise<void> {
    const pause = Math.min(FAULT_RETRY_MAX_MS, FAULT_RETRY_MS * 2 ** Math.min(16, faults - 1));
    const message = `${what}: ${errorText(thrown)}`;
    this.#log("error", `${message}; trying again in ${pause / 1000} s`, {
      stack: thrown instanceof Error ? thrown.stack : undefined,
    });
    this.#tell({ state: "stopped", ledger: Math.max(0, this.#next - 1), message });
    await systemTimer.sleep(pause, signal);
  }

  /**
   * The ledger to begin with. Throws IngestError `wrong_contract` or `unknown_start` after repeated findings;
   * an unreachable source is asked again without limit.
   */
  async #firstLedger(
    start: Extract<ToReader, { readonly kind: "start" }>,
    signal: AbortSignal,
  ): Promise<number> {
    const sources = this.#sources;
    const findingsMin = FINDINGS_MIN + sources.set.size;
    let findings = 0;
    for (let faults = 1; ; faults += 1) {
      try {
        // What the store holds is of that contract: a source that lacks it proves nothing then.
        if (sources.hasRpc && start.previous === undefined) {
          await checkContract(
            this.#exchange,
            sources.load,
            (source) => sources.stale(source),
            signal,
          );
        }
        return start.from ?? (await this.#creation(signal));
      } catch (thrown) {
        if (isEnding(thrown)) findings += 1;
        if (signal.aborted || findings === findingsMin) throw thrown;
        await this.#pauseAfter("the contract's first ledger", thrown, faults, signal);
      }
    }
  }

  async #creation(signal: AbortSignal): Promise<number> {
    this.#log("info", "looking for the ledger that created the contract");
    const ledger = await firstLedgerOf(
      this.#exchange,
      {
        load: this.#sources.load,
        stale: (source) => this.#sources.stale(source),
        read: (sequence) => this.#sources.ledger(sequence, signal),
      },
      signal,
    );
    this.#log("info", `the contract begins at ledger ${ledger}`);
    return ledger;
  }

  /** Catches up with range threads, where the distance is worth it, as far as they get. */
  async #readMany(signal: AbortSignal): Promise<void> {
    if (this.#options.catchUpThreads === 0 || systemTimer.now() < this.#catchUpAgainAt) return;
    this.#tip = (await this.#sources.tip(this.#next, CATCH_UP_LEDGERS, signal)) ?? 0;
    if (this.#tip - this.#next < CATCH_UP_LEDGERS) return;
    const began = this.#next;
    const startedAt = systemTimer.now();
    const progress = new ProgressMeter(systemTimer.now, began - 1);
    this.#tracker.sawTip(this.#tip);
    this.#log("info", `catching up from ledger ${began} to ${this.#tip}`);
    const from = this.#next;
    const to = this.#tip;
    const previous = this.#previous;
    const step = await this.#sources.step(signal);
    for await (const piece of this.#catchUp.ledgers({ from, to, previous, step, signal })) {
      for (const decoded of piece) {
        if (!(await this.#mayDeliver())) return;
        this.#deliver(decoded);
      }
      const reached = progress.reached(this.#next - 1, this.#tip);
      if (reached !== undefined) {
        this.#post({ kind: "status", status: { state: "catching-up", ...reached } });
      }
    }
    const ledgers = this.#next - began;
    if (ledgers < CATCH_UP_LEDGERS) this.#catchUpAgainAt = systemTimer.now() + CATCH_UP_RETRY_MS;
    const seconds = (systemTimer.now() - startedAt) / 1000;
    this.#log("info", `${ledgers} ledgers read in ${seconds.toFixed(1)} s`);
  }

  /** One ledger after the other, until it falls far behind, or one cannot be read. */
  async #readOn(signal: AbortSignal): Promise<void> {
    const mayBeginLater = this.#mayBeginLater;
    const request = {
      from: this.#next,
      ...(this.#previous === undefined ? { mayBeginLater } : { previous: this.#previous }),
      signal,
    };
    for await (const piece of this.#sources.feed.ledgers(request)) {
      for (const raw of piece) {
        if (!(await this.#mayDeliver())) return;
        const decoded = this.#decoded(raw);
        // The feed requests it again from any source that has it.
        if (decoded === undefined) return;
        this.#deliver(decoded);
      }
      const isFar = this.#tip - this.#next >= CATCH_UP_LEDGERS;
      const mayCatchUp =
        this.#options.catchUpThreads > 0 && systemTimer.now() >= this.#catchUpAgainAt;
      if (isFar && mayCatchUp) return;
    }
  }

  #decoded(raw: RawLedger): DecodedLedger | undefined {
    try {
      const followed = { keys: this.#tracker.keys, tokens: this.#tokens };
      return this.#decode(raw.bytes, raw.sequence, followed);
    } catch (thrown) {
      if (!(thrown instanceof IngestError) || thrown.code !== "undecodable") throw thrown;
      this.#sources.feed.refuse(raw, thrown);
      return undefined;
    }
  }

  /** False where the reader is to stop. */
  async #mayDeliver(): Promise<boolean> {
    // Takes in what the main thread asked for meanwhile: `track` counts from the next ledger.
    await nextTurn();
    await this.#credit.available();
    return !this.#abort.signal.aborted;
  }

  #deliver({ delta, oddities }: DecodedLedger): void {
    const { ledger, hash, closeTime } = delta;
    for (const oddity of oddities) this.#tellOddity(oddity, ledger);
    this.#credit.sent(ledger);
    this.#post({ kind: "delta", delta });
    this.#next = ledger + 1;
    this.#previous = { ledger, hash, closeTime };
    this.#tracker.passed(ledger);
  }

  /** Each is counted, and logged once of its kind. */
  #tellOddity({ kind, message }: Oddity, ledger: number): void {
    const isNew = !this.#oddities.has(kind) && this.#oddities.size < ODDITIES_MAX;
    if (isNew) this.#log("warn", `${message} (logged once of its kind)`, { ledger, kind });
    if (isNew) this.#oddities.add(kind);
    this.#post({ kind: "oddity", what: this.#oddities.has(kind) ? kind : "more" });
  }

  /** The feed reports after every request: only what is new goes on. */
  #tell(status: SourceStatus): void {
    if (status.state === "following") {
      this.#tip = status.tip;
      this.#tracker.sawTip(status.tip);
    }
    const text = JSON.stringify(status);
    if (text === this.#reported.text) return;
    if (status.state !== this.#reported.state) {
      if ("message" in status) this.#log("warn", status.message, { state: status.state });
      else if (this.#reported.state !== "") this.#log("info", "the source serves ledgers again");
    }
    this.#reported = { state: status.state, text };
    this.#post({ kind: "status", status });
  }

  async #stop(): Promise<void> {
    this.#abort.abort();
    this.#credit.close();
    await this.#running;
    this.#post({ kind: "stopped" });
    this.#port.close();
  }

  #fail(thrown: unknown): void {
    if (this.#abort.signal.aborted) return;
    this.#abort.abort();
    this.#credit.close();
    this.#post({ kind: "failed", fault: faultOf(thrown) });
    this.#port.close();
  }

  #log(...[level, message, fields]: Parameters<Log>): void {
    this.#post({ kind: "log", level, message, ...(fields === undefined ? {} : { fields }) });
  }

  #post(message: FromReader): void {
    this.#port.postMessage(message);
  }
}

function isEnding(thrown: unknown): boolean {
  return thrown instanceof IngestError && ENDING.has(thrown.code);
}

/** Errors lose their class between threads: a plain record keeps the code. */
function faultOf(thrown: unknown): ReaderFault {
  if (!(thrown instanceof IngestError)) return { code: "internal", message: errorText(thrown) };
  const { code, message, ledger, protocol } = thrown;
  return {
    code,
    message,
    ...(ledger === undefined ? {} : { ledger }),
    ...(protocol === undefined ? {} : { protocol }),
  };
}

if (parentPort !== null) {
  const port = parentPort;
  const thread = new ReaderThread(port, workerData as ReaderOptions);
  port.on("message", (message: ToReader) => thread.handle(message));
}
