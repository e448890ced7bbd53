// Catch-up: while far behind, range threads fetch and decode ranges of ledgers, and this puts their results in
// order. Anything that needs judgement ends the catch-up, and the sources go on one ledger at a time.
import { Worker } from "node:worker_threads";
import type { TrackingRequest } from "../../model/entry-tracking.ts";
import { brokenLink } from "../chain-check.ts";
import { IngestError } from "../ingest-error.ts";
import type { DecodedLedger } from "../ledger-decoder.ts";
import type { ChainLink, Log } from "../ledger-source.ts";
import type { FromRange, Range, RangeOptions, RangeResult, ToRange } from "./messages.ts";
import { RangePlan } from "./range-plan.ts";

/** One is fetched while another is decoded. */
const RANGES_PER_THREAD = 2;

export type CatchUpOptions = {
  readonly threads: number;
  /** What a thread is started with: what is followed at that moment included. */
  readonly rangeOptions: () => RangeOptions;
  readonly log: Log;
  /** Ledgers up to this one are decoded with what is followed now. */
  readonly handOut: (ledger: number) => void;
};

export type CatchUpRequest = {
  readonly from: number;
  readonly to: number;
  readonly previous: ChainLink | undefined;
  /** A lake's ledgers per batch, else 1. */
  readonly step: number;
  readonly signal: AbortSignal;
};

export class CatchUp {
  readonly #options: CatchUpOptions;
  #threads: RangeThreads | undefined;

  constructor(options: CatchUpOptions) {
    this.#options = options;
  }

  /** What is followed changed: for ranges handed out from now on. */
  follow(request: TrackingRequest): void {
    this.#threads?.broadcast(request);
  }

  /**
   * Yields ledgers in order, each linked to the one before, up to `to` or to the first that cannot
   * be had at once or does not fit: that one has to be asked of a source.
   */
  async *ledgers(
    request: CatchUpRequest,
  ): AsyncGenerator<readonly DecodedLedger[], void, undefined> {
    const { signal } = request;
    const plan = new RangePlan(request.from, request.to, request.step);
    const threads = new RangeThreads(this.#options, signal);
    this.#threads = threads;
    try {
      const order: Range[] = [];
      let { previous } = request;
      for (;;) {
        while (order.length < this.#options.threads * RANGES_PER_THREAD) {
          const range = plan.take();
          if (range === undefined) break;
          this.#options.handOut(range.to);
          threads.hand(range);
          order.push(range);
        }
        const range = order.shift();
        if (range === undefined || signal.aborted) return;
        const result = await threads.result(range.from);
        if (result === undefined) return;
        const [first] = result.ledgers;
        const broken =
          first === undefined
            ? undefined
            : brokenLink({ ...first.delta, sequence: first.delta.ledger }, previous);
        if (broken === undefined && first !== undefined) yield result.ledgers;
        const why = result.incomplete ?? broken;
        if (why !== undefined) {
          this.#options.log("info", `catching up pauses: ${why}`);
          return;
        }
        const last = result.ledgers.at(-1)?.delta;
        if (last !== undefined) previous = last;
        plan.took(result.ledgers.length, result.bytes);
      }
    } finally {
      this.#threads = undefined;
      threads.stop();
    }
  }
}

/** The threads of one run: they end with it, so that nothing of them is kept at the tip. */
class RangeThreads {
  readonly #workers: Worker[] = [];
  readonly #results = new Map<number, RangeResult>();
  readonly #log: Log;
  readonly #signal: AbortSignal;
  #fault: Error | undefined;
  #turn = 0;
  #stopped = false;
  #wake: () => void = () => undefined;
  readonly #aborted = (): void => this.#wake();

  constructor(options: CatchUpOptions, signal: AbortSignal) {
    this.#log = options.log;
    this.#signal = signal;
    for (let count = 0; count < options.threads; count += 1) {
      const worker = new Worker(new URL("./range-worker.js", import.meta.url), {
        workerData: options.rangeOptions(),
      });
      worker.on("message", (message: FromRange) => this.#handle(message));
      worker.on("error", (cause) => this.#fail(cause));
      worker.on("exit", (code) => this.#fail(new Error(`a range thread ended with code ${code}`)));
      this.#workers.push(worker);
    }
    signal.addEventListener("abort", this.#aborted, { once: true });
  }

  /** In turn: ranges are of like size. */
  hand(range: Range): void {
    const worker = this.#workers[this.#turn % this.#workers.length];
    this.#turn += 1;
    const message: ToRange = { kind: "range", ...range };
    worker?.postMessage(message);
  }

  broadcast(message: ToRange): void {
    for (const worker of this.#workers) worker.postMessage(message);
  }

  /**
   * Of the range that begins there; undefined once the signal aborts. Throws IngestError where a
   * thread died.
   */
  async result(from: number): Promise<RangeResult | undefined> {
    while (!this.#signal.aborted) {
      const result = this.#results.get(from);
      if (result !== undefined) {
        this.#results.delete(from);
        return result;
      }
      if (this.#fault !== undefined) {
        throw new IngestError("internal", this.#fault.message, { cause: this.#fault });
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return undefined;
  }

  /** Whatever they are at is no longer wanted. */
  stop(): void {
    this.#signal.removeEventListener("abort", this.#aborted);
    this.#stopped = true;
    for (const worker of this.#workers) void worker.terminate();
  }

  #handle(message: FromRange): void {
    if (message.kind === "log") {
      this.#log(message.level, message.message);
      return;
    }
    this.#results.set(message.range.from, message);
    this.#wake();
  }

  #fail(cause: Error): void {
    if (this.#stopped) return;
    this.#fault ??= cause;
    this.#wake();
  }
}
