// What operators see of the process: its meters, what /metrics shows of them, and whether it is
// ready. It outlives an engine that begins anew, so that totals go on. Main thread.
import { collectDefaultMetrics, Registry } from "prom-client";
import type { EngineView } from "./engine-view.ts";
import { exposeEngine } from "./expose-engine.ts";
import { exposeMeters } from "./expose-meters.ts";
import { HttpMeter } from "./http-meter.ts";
import { IngestMeter, type IngestStatus } from "./ingest-meter.ts";
import { LoopDelay } from "./loop-delay.ts";
import { QuoteMeter } from "./quote-meter.ts";
import { type Readiness, readiness } from "./readiness.ts";
import { StepMeter } from "./step-meter.ts";

export type OperationsOptions = {
  /** UNIX milliseconds. */
  readonly clock: () => number;
  /** The age of the last ledger up to which the engine is ready; 0: any. */
  readonly readyLagSeconds: number;
};

export class Operations {
  readonly http = new HttpMeter();
  readonly quotes = new QuoteMeter();
  readonly steps = new StepMeter();
  readonly ingest = new IngestMeter();
  readonly #options: OperationsOptions;
  readonly #registry = new Registry();
  readonly #loopDelay = new LoopDelay();
  #engine: EngineView | undefined;
  #scrape: Promise<string> | undefined;

  constructor(options: OperationsOptions) {
    this.#options = options;
    // The process's own figures under the names that dashboards know. Its event-loop figures would
    // start anew with every scrape, whoever asks.
    collectDefaultMetrics({ register: this.#registry });
    for (const { name } of this.#registry.getMetricsAsArray()) {
      if (name.startsWith("nodejs_eventloop_lag")) this.#registry.removeSingleMetric(name);
    }
    exposeMeters(this.#registry, this, this.#loopDelay);
    exposeEngine(this.#registry, {
      engine: () => this.#engine,
      tip: () => this.ingest.tip,
      clock: options.clock,
    });
  }

  /** The meter of what follows the ledgers. */
  get follow() {
    const { ingest, steps } = this;
    return {
      readerStarted: () => ingest.readerStarted(),
      status: (status: IngestStatus) => ingest.status(status),
      stopped: (message: string) => ingest.stopped(message),
      rpcFailed: () => ingest.rpcFailed(),
      ledgerShown: (milliseconds: number) => steps.ledgerShown(milliseconds),
    };
  }

  /** The engine is up, or gone. */
  watch(engine: EngineView | undefined): void {
    this.#engine = engine;
  }

  readiness(): Readiness {
    const { clock, readyLagSeconds } = this.#options;
    return readiness({
      engine: this.#engine?.progress(),
      ingest: this.ingest,
      nowMs: clock(),
      lagSecondsMax: readyLagSeconds,
    });
  }

  get metricsContentType(): string {
    return this.#registry.contentType;
  }

  /** Who asks meanwhile gets the same text. */
  metrics(): Promise<string> {
    this.#scrape ??= this.#registry.metrics().finally(() => {
      this.#scrape = undefined;
    });
    return this.#scrape;
  }

  stop(): void {
    this.#loopDelay.stop();
  }
}
