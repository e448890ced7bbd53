// Hot path: counts of observed durations in fixed buckets. An observation allocates nothing and looks
// at no more than the bounds; it becomes a Prometheus histogram only at a scrape.

export class Buckets {
  /** Upper bounds, ascending, inclusive. */
  readonly boundsMs: Float64Array;
  /** Observations per bucket, not cumulated; the last is beyond every bound. */
  readonly counts: Float64Array;
  #sumMs = 0;
  #count = 0;

  constructor(boundsMs: readonly number[]) {
    this.boundsMs = Float64Array.from(boundsMs);
    this.counts = new Float64Array(boundsMs.length + 1);
  }

  observe(milliseconds: number): void {
    const { boundsMs, counts } = this;
    let at = 0;
    while (at < boundsMs.length && milliseconds > (boundsMs[at] ?? 0)) at += 1;
    counts[at] = (counts[at] ?? 0) + 1;
    this.#sumMs += milliseconds;
    this.#count += 1;
  }

  get sumMs(): number {
    return this.#sumMs;
  }

  get count(): number {
    return this.#count;
  }
}

/** From a hundredth of a millisecond to a second: what one request or one part of a step takes. */
export const SHORT_BOUNDS_MS = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000,
];

/** From half a millisecond to ten seconds: what includes a disk or a wait. */
export const LONG_BOUNDS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];
