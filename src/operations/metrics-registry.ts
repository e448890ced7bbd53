// What /metrics is made with. A module of its own, loaded once the engine is up: with its package it
// takes as long as reading some ten thousand orders.
import { collectDefaultMetrics, Registry } from "prom-client";
import { type ExposedEngine, exposeEngine } from "./expose-engine.ts";
import { exposeMeters, type Meters } from "./expose-meters.ts";
import type { LoopDelay } from "./loop-delay.ts";

export type Metrics = { readonly contentType: string; readonly body: string };

export class MetricsRegistry {
  readonly #registry = new Registry();
  #scrape: Promise<string> | undefined;

  constructor(meters: Meters, loopDelay: LoopDelay, engine: ExposedEngine) {
    // The process's own figures under the names that dashboards know. Its event-loop figures would
    // start anew with every scrape, whoever asks.
    collectDefaultMetrics({ register: this.#registry });
    for (const { name } of this.#registry.getMetricsAsArray()) {
      if (name.startsWith("nodejs_eventloop_lag")) this.#registry.removeSingleMetric(name);
    }
    exposeMeters(this.#registry, meters, loopDelay);
    exposeEngine(this.#registry, engine);
  }

  /** Who asks meanwhile gets the same text. */
  async metrics(): Promise<Metrics> {
    this.#scrape ??= this.#registry.metrics().finally(() => {
      this.#scrape = undefined;
    });
    return { contentType: this.#registry.contentType, body: await this.#scrape };
  }
}
