// Durations of a step's parts on the main thread, and what steps could not place.
import type { StepTimes, UnknownOrder } from "../book/step-meter.ts";
import { Buckets, LONG_BOUNDS_MS, SHORT_BOUNDS_MS } from "./buckets.ts";

/** Implements the meter of src/book. Main thread. */
export class StepMeter {
  readonly prepare = new Buckets(SHORT_BOUNDS_MS);
  readonly commit = new Buckets(LONG_BOUNDS_MS);
  readonly fill = new Buckets(SHORT_BOUNDS_MS);
  readonly flip = new Buckets(SHORT_BOUNDS_MS);
  ledgers = 0;
  commitFailures = 0;
  /** Events about orders that are not known. */
  readonly unknownOrders = { mod: 0, trade: 0, skip: 0 };

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

  unknownOrder({ event }: UnknownOrder): void {
    this.unknownOrders[event] += 1;
  }
}
