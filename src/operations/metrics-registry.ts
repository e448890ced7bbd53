// The Prometheus registry behind /metrics. Loaded once the engine is up: loading it with its package takes as
// long as reading some ten thousand orders.
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { VERSION } from "../version.ts";
import { type ExposedEngine, exposeEngine } from "./expose-engine.ts";
import { exposeMeters, type Meters } from "./expose-meters.ts";
import { Exposer } from "./exposed.ts";
import type { LoopDelay } from "./loop-delay.ts";

export type Metrics = { readonly contentType: string; readonly body: string };

/** Gauges under names of counters, which promtool refuses; each is there under another name, by type. */
const TOTALS_THAT_FALL: ReadonlySet<string> = new Set([
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
]);

export class MetricsRegistry {
  readonly #registry = new Registry();
  #scrape: Promise<string> | undefined;

  constructor(meters: Meters, loopDelay: LoopDelay, engine: ExposedEngine) {
    // The process's own figures under the names that dashboards know. Its event-loop figures would
    // start anew with every scrape.
    collectDefaultMetrics({ register: this.#registry });
    for (const { name } of this.#registry.getMetricsAsArray()) {
      const isLeftOut = name.startsWith("nodejs_eventloop_lag") || TOTALS_THAT_FALL.has(name);
      if (isLeftOut) this.#registry.removeSingleMetric(name);
    }
    new Gauge({
      name: "hopbook_build_info",
      help: "Always 1: what runs.",
      labelNames: ["version", "node"],
      registers: [this.#registry],
    }).set({ version: VERSION, node: process.versions.node }, 1);
    const exposer = new Exposer(this.#registry);
    exposeMeters(exposer, meters, loopDelay);
    exposeEngine(exposer, engine);
  }

  /** Who asks meanwhile gets the same text. */
  async metrics(): Promise<Metrics> {
    this.#scrape ??= this.#registry.metrics().finally(() => {
      this.#scrape = undefined;
    });
    return { contentType: this.#registry.contentType, body: await this.#scrape };
  }
}
