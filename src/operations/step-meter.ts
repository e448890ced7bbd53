// Durations of a step's parts on the main thread.
import type { StepTimes } from "../book/step-meter.ts";
import { Buckets, LONG_BOUNDS_MS, SHORT_BOUNDS_MS } from "./buckets.ts";

/** Implements the meter of src/book. Main thread. */
export class StepMeter {
  readonly prepare = new Buckets(SHORT_BOUNDS_MS);
  readonly commit = new Buckets(LONG_BOUNDS_MS);
  readonly fill = new Buckets(SHORT_BOUNDS_MS);
  readonly flip = new Buckets(SHORT_BOUNDS_MS);
  ledgers = 0;
  commitFailures = 0;

  stepped(times: StepTimes): void {
    this.prepare.observe(times.prepareMs);
    if (times.commitMs !== undefined) this.commit.observe(times.commitMs);
    this.fill.observe(times.fillMs);
    this.flip.observe(times.flipMs);
    this.ledgers += times.ledgers;
  }

  commitFailed(): void {
    this.commitFailures += 1;
  }
}
