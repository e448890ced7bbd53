// The answer of /quote for one set of parameters, kept up to date: by the push channel `quote` where
// the engine has it, by asking again after each ledger where not.
import type { Quote } from "../../../src/api/types.ts";
import type { Connection } from "../api/connection.ts";
import { ask, RequestError } from "../api/rest.ts";
import type { Ledgers } from "../state/ledgers.ts";

/** Between two questions: ledgers can come faster than anyone reads. */
const ASK_MS_MIN = 1000;

export type QuoteParameters = {
  readonly sellingAsset: string;
  readonly buyingAsset: string;
  readonly amount: string;
  readonly direction: Quote["direction"];
  readonly direct?: "true";
  readonly maxPrice?: string;
};

export type QuoteListener = {
  readonly answered: (quote: Quote) => void;
  readonly failed: (message: string) => void;
};

export class QuoteFeed {
  readonly #parameters: QuoteParameters;
  readonly #ledgers: Ledgers;
  readonly #listener: QuoteListener;
  readonly #closed = new AbortController();
  readonly #endings: (() => void)[] = [];
  #asking = false;
  #due = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `live` false: one answer and no more. */
  constructor(
    { connection, ledgers }: { readonly connection: Connection; readonly ledgers: Ledgers },
    parameters: QuoteParameters,
    { live, ...listener }: QuoteListener & { readonly live: boolean },
  ) {
    this.#parameters = parameters;
    this.#ledgers = ledgers;
    this.#listener = listener;
    if (!live) {
      this.#askSoon();
      return;
    }
    const end = connection.subscribe(
      { channel: "quote", ...parameters },
      {
        message: (message) => {
          if (message.data === null) listener.failed(message.error);
          else listener.answered(message.data);
        },
        refused: (error) => {
          // An engine without the channel does not know it; anything else it says about the quote.
          if (error.startsWith("Unknown channel")) this.#poll();
          else listener.failed(error);
        },
      },
    );
    this.#endings.push(end);
  }

  close(): void {
    this.#closed.abort();
    clearTimeout(this.#timer);
    for (const end of this.#endings) end();
  }

  #poll(): void {
    this.#endings.push(this.#ledgers.changes.listen(() => this.#askSoon()));
    this.#askSoon();
  }

  #askSoon(): void {
    if (this.#asking) {
      this.#due = true;
      return;
    }
    clearTimeout(this.#timer);
    const wait = Math.max(0, this.#askedAt + ASK_MS_MIN - performance.now());
    this.#timer = setTimeout(() => void this.#ask(), wait);
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    this.#askedAt = performance.now();
    const { signal } = this.#closed;
    try {
      const quote = await ask<Quote>("/quote", this.#parameters, signal);
      if (!signal.aborted) this.#listener.answered(quote);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof RequestError)) throw error;
      this.#listener.failed(error.message);
    } finally {
      this.#asking = false;
      if (this.#due && !signal.aborted) {
        this.#due = false;
        this.#askSoon();
      }
    }
  }
}
