// Event-loop lag over the last half to whole minute: two histograms alternate, so that the figure does not
// depend on the scrape interval.
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 10;
const PERIOD_MS = 30_000;
const NS_PER_SECOND = 1e9;

export class LoopDelay {
  #older = started();
  #younger = started();
  readonly #timer = setInterval(() => {
    this.#older.disable();
    this.#older = this.#younger;
    this.#younger = started();
  }, PERIOD_MS).unref();

  /** Seconds; `quantile` 1 is the highest. */
  seconds(quantile: number): number {
    const histogram = this.#older;
    if (histogram.count === 0) return 0;
    const ns = quantile === 1 ? histogram.max : histogram.percentile(100 * quantile);
    // The histogram holds the time between two wake-ups, of which the resolution was wanted.
    return Math.max(0, ns / NS_PER_SECOND - RESOLUTION_MS / 1000);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#older.disable();
    this.#younger.disable();
  }
}

function started(): IntervalHistogram {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return histogram;
}
