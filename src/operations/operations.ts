// What operators see of the process: its meters, what /metrics shows of them, and whether it is
// ready. It outlives an engine that begins anew, so that totals go on. Main thread.
import type { EngineView } from "./engine-view.ts";
import { HttpMeter } from "./http-meter.ts";
import { IngestMeter } from "./ingest-meter.ts";
import { LoopDelay } from "./loop-delay.ts";
import type { Metrics, MetricsRegistry } from "./metrics-registry.ts";
import { QuoteMeter } from "./quote-meter.ts";
import { type Readiness, readiness } from "./readiness.ts";
import { StepMeter } from "./step-meter.ts";

export type OperationsOptions = {
  /** UNIX milliseconds. */
  readonly clock: () => number;
  /** The age of the last ledger up to which the engine is ready; 0: any. */
  readonly readyLagSeconds: number;
  /**
   * Whether a listener serves metrics: the registry is then opened once an engine is up, and not by the first scrape.
   */
  readonly isAsked: boolean;
};

export class Operations {
  readonly http = new HttpMeter();
  readonly quotes = new QuoteMeter();
  readonly steps = new StepMeter();
  readonly ingest = new IngestMeter();
  readonly #options: OperationsOptions;
  readonly #loopDelay = new LoopDelay();
  #engine: EngineView | undefined;
  #isDraining = false;
  #registry: Promise<MetricsRegistry> | undefined;

  constructor(options: OperationsOptions) {
    this.#options = options;
  }

  /** The engine is up, or gone. */
  watch(engine: EngineView | undefined): void {
    this.#engine = engine;
    // The first scrape gets the error.
    if (engine !== undefined && this.#options.isAsked) this.#openRegistry().catch(() => undefined);
  }

  /** From now on the process is not ready. */
  drain(): void {
    this.#isDraining = true;
  }

  readiness(): Readiness {
    const { clock, readyLagSeconds } = this.#options;
    return readiness({
      engine: this.#engine?.progress(),
      ingest: this.ingest,
      nowMs: clock(),
      lagSecondsMax: readyLagSeconds,
      isDraining: this.#isDraining,
    });
  }

  async metrics(): Promise<Metrics> {
    return (await this.#openRegistry()).metrics();
  }

  stop(): void {
    this.#loopDelay.stop();
  }

  /** From here on the process's own figures are counted. */
  #openRegistry(): Promise<MetricsRegistry> {
    this.#registry ??= this.#makeRegistry();
    return this.#registry;
  }

  async #makeRegistry(): Promise<MetricsRegistry> {
    const { MetricsRegistry: Made } = await import("./metrics-registry.ts");
    return new Made(this, this.#loopDelay, {
      engine: () => this.#engine,
      tip: () => this.ingest.tip,
      clock: this.#options.clock,
    });
  }
}
