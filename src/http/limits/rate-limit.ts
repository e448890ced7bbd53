// Rate limit of each client address: a token bucket that holds some seconds of the rate, so that a page that
// loads in a burst is not delayed. Main thread.
import type { Clock } from "../../model/clock.ts";

/** Seconds at the rate that a client may take at once (choice). */
const BURST_SECONDS = 2;
/** Clients known at a time (choice). Past it the one not seen for longest begins anew. */
const CLIENTS_MAX = 100_000;
const SECOND_MS = 1000;

type Bucket = { left: number; atMs: number };

export class RateLimit {
  readonly #perSecond: number;
  readonly #clock: Clock;
  /** By client, the one not seen for longest first. */
  readonly #buckets = new Map<string, Bucket>();

  /** `clock` in milliseconds of any origin, never set back. */
  constructor(perSecond: number, clock: Clock) {
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  /** 0 where the client may go on, else whole seconds until it may ask again. */
  wait(client: string): number {
    const nowMs = this.#clock();
    const full = this.#perSecond * BURST_SECONDS;
    const bucket = this.#buckets.get(client) ?? { left: full, atMs: nowMs };
    const gained = ((nowMs - bucket.atMs) / SECOND_MS) * this.#perSecond;
    bucket.left = Math.min(full, bucket.left + gained);
    bucket.atMs = nowMs;
    this.#buckets.delete(client);
    this.#buckets.set(client, bucket);
    this.#forgetOldest();
    if (bucket.left >= 1) {
      bucket.left -= 1;
      return 0;
    }
    return Math.ceil((1 - bucket.left) / this.#perSecond);
  }

  #forgetOldest(): void {
    if (this.#buckets.size <= CLIENTS_MAX) return;
    const oldest = this.#buckets.keys().next().value;
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}
