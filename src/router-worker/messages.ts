// Between the main thread and its router workers. The book itself is in shared memory.
import type { BookBuffers } from "../book/shared-control.ts";
import type { QuoteAnswer, QuoteRequest } from "./quote.ts";

/** Given to a worker once, when it starts. */
export type WorkerStart = {
  readonly book: BookBuffers;
  /** One i32 a request in flight: 0, or one of the values below. */
  readonly flags: Int32Array;
};

/** Main thread to worker: what arrived in a turn of the loop. */
export type QuoteBatch = {
  /** UNIX seconds. */
  readonly now: number;
  readonly skipWindow: number;
  /** What is left of each request's time. */
  readonly timesMs: readonly number[];
  readonly requests: readonly QuoteRequest[];
  /** Index into the flags, for each request. */
  readonly flags: readonly number[];
};

/** Main thread to worker: a step of what makes its first quotes fast. */
export const WARM_UP = "warm up";

export type WorkerTask = QuoteBatch | typeof WARM_UP;

/** Worker to main thread, with what went wrong for the log. */
export type BatchReply = {
  /** Of the first requests, in order: the rest is for another turn. At least one, where there are any. */
  readonly results: readonly QuoteAnswer[];
  readonly faults: readonly string[];
};

/** Value of a flag once the main thread no longer wants the answer. */
export const STOP = 1;
/** Value of a flag while its request is computed, unless it is STOP: which one a dead worker was at. */
export const RUNNING = 2;
