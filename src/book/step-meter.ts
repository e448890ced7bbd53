// The port that the step pipeline reports the durations of a step's parts to, and what it could not place, for metrics.
import type { OrderId } from "../model/order.ts";

/** An event about an order that is not known: created before the first ledger that was read, or gone. */
export type UnknownOrder = {
  readonly event: "mod" | "trade" | "skip";
  readonly order: OrderId;
  readonly ledger: number;
};

/** Milliseconds. */
export type StepTimes = {
  /** Ledgers of the step; none where the clock or updates of backing alone moved. */
  readonly ledgers: number;
  /** Computing what follows from its events, in slices. */
  readonly prepareMs: number;
  /** Writing and flushing it, retries included; absent where nothing had to be kept. */
  readonly commitMs?: number;
  /** Writing the idle copy of the book, in slices, and waiting for the step before to be told. */
  readonly fillMs: number;
  /** Showing it: the flip, market data, pushes; one synchronous piece. */
  readonly flipMs: number;
};

/** Main thread; called between steps, and may not throw. */
export interface StepMeter {
  stepped(times: StepTimes): void;
  /** A commit failed and is tried again. */
  commitFailed(): void;
  /** An event about an order that is not known, once its step is shown. */
  unknownOrder(event: UnknownOrder): void;
}
