// Latencies of one kind in HDR histograms: one of each slice of time, and all of them together.
import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import type { Latencies } from "./messages.ts";

const OPTIONS = { lowest: 1, highest: 120_000_000, figures: 3 };
const US_PER_MS = 1000;

export class LatencyRecord {
  readonly #all = createHistogram(OPTIONS);
  #slice = createHistogram(OPTIONS);
  readonly #slices: Latencies[] = [];

  /** Milliseconds. */
  add(ms: number): void {
    const us = Math.max(1, Math.round(US_PER_MS * ms));
    this.#slice.record(us);
    this.#all.record(us);
  }

  endSlice(): Latencies {
    const ended = latenciesOf(this.#slice);
    this.#slices.push(ended);
    this.#slice = createHistogram(OPTIONS);
    return ended;
  }

  get all(): Latencies {
    return latenciesOf(this.#all);
  }

  get slices(): readonly Latencies[] {
    return this.#slices;
  }
}

function latenciesOf(histogram: RecordableHistogram): Latencies {
  const { count } = histogram;
  const at = (percent: number) => (count === 0 ? 0 : histogram.percentile(percent) / US_PER_MS);
  return {
    count,
    p50: at(50),
    p99: at(99),
    p999: at(99.9),
    max: count === 0 ? 0 : histogram.max / US_PER_MS,
  };
}
