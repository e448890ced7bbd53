// A quote request in progress, with all clients that wait for it.
import type { QuoteAnswer, QuoteRequest } from "./quote.ts";

export type Waiter = {
  readonly resolve: (result: QuoteAnswer) => void;
  readonly aborted: AbortSignal | undefined;
  readonly onAbort: (() => void) | undefined;
};

export class QuoteJob {
  readonly request: QuoteRequest;
  /** Milliseconds of `performance.now`: who still waits then is answered `failed`. */
  readonly deadline: number;
  /** Set once, for all who wait now or ask later. */
  result: QuoteAnswer | undefined;
  /** While a worker has it: where to tell it to stop. */
  flag: number | undefined;
  isTaken = false;
  /** A worker that had it died at another. */
  isRetried = false;
  /** Times that its answer came too late. */
  attempts = 0;
  /** As answers are shared by; the pool's own. */
  key = "";
  /** Who asked first, and in whose queues it waits. */
  readonly client: string;
  readonly clients = new Set<string>();
  #waiters: Waiter[] = [];

  constructor(request: QuoteRequest, client: string, deadline: number) {
    this.request = request;
    this.client = client;
    this.deadline = deadline;
  }

  get isWanted(): boolean {
    return this.#waiters.length > 0;
  }

  /** `onUnwanted` is called when the last who waited has gone. */
  wait(aborted: AbortSignal | undefined, onUnwanted: () => void): Promise<QuoteAnswer> {
    if (this.result !== undefined) return Promise.resolve(this.result);
    return new Promise((resolve) => {
      const onAbort = () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        resolve(CANCELED);
        if (!this.isWanted) onUnwanted();
      };
      const waiter: Waiter = { resolve, aborted, onAbort };
      aborted?.addEventListener("abort", onAbort, { once: true });
      this.#waiters.push(waiter);
    });
  }

  answer(result: QuoteAnswer): void {
    this.result = result;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const { resolve, aborted, onAbort } of waiters) {
      if (onAbort !== undefined) aborted?.removeEventListener("abort", onAbort);
      resolve(result);
    }
  }
}

export const CANCELED: QuoteAnswer = { status: "failed", message: "The request was canceled." };

/** Requests with the same key have the same answer on the same book at the same second. */
export function requestKey(request: QuoteRequest): string {
  const { direction, sellingAsset, buyingAsset, amount, direct, maxPrice } = request;
  return `${direction} ${sellingAsset} ${buyingAsset} ${amount} ${direct} ${maxPrice ?? ""}`;
}
