// What a router worker runs for each request.
import type { BookView } from "../book/shared-layout.ts";
import type { QuoteRequest, QuoteResult } from "./quote.ts";

export type QuoteContext = {
  /** UNIX seconds by the service's clock: expirations and the skip window count from it. */
  readonly now: number;
  /** Seconds for which a maker the contract skipped is left out. */
  readonly skipWindow: number;
  /**
   * True once its clients are gone or its time is up, which is sooner where it has an answer
   * already. Some 50 ns: ask once a path or a slot split, not once an order. What the engine returns
   * then goes to nobody, or is the best that it found so far.
   */
  readonly shouldStop: (hasAnswer: boolean) => boolean;
};

/**
 * Synchronous, on one copy of the book from start to end; keeps scratch memory of its own between
 * calls. An exception is a fault of ours: the request is answered `failed`.
 */
export type QuoteEngine = (
  view: BookView,
  request: QuoteRequest,
  context: QuoteContext,
) => QuoteResult;

/** Orders that expire within this many seconds are left out of quotes (api.md, Limits). */
export const EXPIRY_MARGIN = 10;
