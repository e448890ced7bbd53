// Quotes on the main thread, where that costs less than the round trip to a worker: a search with a bound on
// its work, within a share of the thread's time. Beyond either bound a worker answers, with the same result.
// Only quotes of which every path solved is greedy are answered here: any other search takes UNKNOWN_WORK, more
// than any bound there is, before it begins.
import type { BookView } from "../book/shared-layout.ts";
import type { QuoteAnswer, QuoteRequest, QuoteResult } from "./quote.ts";
import { quoteAnswer } from "./quote-text.ts";
import { QuoteSearch } from "./search/quote-search.ts";

/**
 * Work units. Nine of ten searches through the devnet's large book need fewer, and one that
 * is given up has cost some 30 us, at most 90 (measured, 2026-11): the way to a worker costs 60.
 */
const WORK_MAX = 1000;
/**
 * Time for searches, as a multiple of the time that passes without them: at most three quarters of
 * the thread's time (choice).
 */
const SHARE = 3;
/** Of that time what may be saved up for one turn of the loop, ms (choice). */
const BURST_MS = 4;

export type InlineContext = {
  /** UNIX seconds. */
  readonly now: number;
  readonly skipWindow: number;
};

export type InlineOptions = {
  /** The copy that is live; the main thread's until its next step. */
  readonly live: () => BookView;
  /** A fault of ours, for the log: a worker is asked instead. */
  readonly onFault: (fault: string) => void;
  /** Milliseconds; a test brings its own. */
  readonly time?: () => number;
};

export class InlineQuotes {
  readonly #options: InlineOptions;
  readonly #time: () => number;
  #search: QuoteSearch | undefined;
  /** Milliseconds that searches may take now; below 0 while one took more than was left. */
  #creditMs = BURST_MS;
  #creditedAt: number;

  constructor(options: InlineOptions) {
    this.#options = options;
    this.#time = options.time ?? (() => performance.now());
    this.#creditedAt = this.#time();
  }

  /** Undefined where a worker should be asked. Main thread, once a step was published. */
  answer(request: QuoteRequest, context: InlineContext): QuoteAnswer | undefined {
    const start = this.#time();
    const passed = start - this.#creditedAt;
    this.#creditMs = Math.min(BURST_MS, this.#creditMs + SHARE * passed);
    this.#creditedAt = start;
    if (this.#creditMs <= 0) return undefined;
    const result = this.#find(request, context);
    const answer = result === undefined ? undefined : quoteAnswer(result);
    this.#creditedAt = this.#time();
    this.#creditMs -= this.#creditedAt - start;
    return answer;
  }

  #find(request: QuoteRequest, context: InlineContext): QuoteResult | undefined {
    const view = this.#options.live();
    this.#search ??= new QuoteSearch(view);
    try {
      return this.#search.quoteWithin(WORK_MAX, view, request, context);
    } catch (error) {
      // What it derived from the book may be half done.
      this.#search = undefined;
      this.#options.onFault(
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
      return undefined;
    }
  }
}
