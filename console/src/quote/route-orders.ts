// The orders that a route lists, asked for one by one, and what the route makes of them.
import type { Order, QuotePath } from "../../../src/api/types.ts";
import { ask } from "../api/rest.ts";
import { type SettledHop, settleRoute } from "./settle-route.ts";

/** Requests at a time. A route lists 20 orders at most. */
const REQUESTS_MAX = 5;
/** Between two rounds: a live quote can change with every ledger. */
const ROUND_MS_MIN = 1500;
/** An order may change between the quote and its own answer: orders of a later round match the quote again. */
const ROUNDS_MAX = 4;

export class RouteOrders {
  readonly #changed: () => void;
  readonly #closed = new AbortController();
  #path: QuotePath | undefined;
  #settled: readonly SettledHop[] | undefined;
  #loadedAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #loading = false;
  /** Made for the path. */
  #rounds = 0;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Of the path given last; undefined until its orders came, or where they do not come out at it. */
  get settled(): readonly SettledHop[] | undefined {
    return this.#settled;
  }

  want(path: QuotePath | undefined): void {
    if (JSON.stringify(path) === JSON.stringify(this.#path)) return;
    this.#path = path;
    this.#settled = undefined;
    this.#rounds = 0;
    this.#schedule();
  }

  close(): void {
    this.#closed.abort();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#path === undefined || this.#loading) return;
    const wait = Math.max(0, this.#loadedAt + ROUND_MS_MIN - performance.now());
    this.#timer = setTimeout(() => void this.#load(), wait);
  }

  async #load(): Promise<void> {
    const path = this.#path;
    if (path === undefined) return;
    this.#loading = true;
    this.#rounds += 1;
    this.#loadedAt = performance.now();
    const orders = new Map<string, Order>();
    const ids = path.path.flatMap((hop) => hop.orders);
    const next = async (): Promise<void> => {
      for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
        orders.set(id, await ask<Order>(`/order/${id}`, {}, this.#closed.signal));
      }
    };
    try {
      await Promise.all(Array.from({ length: REQUESTS_MAX }, next));
    } catch {
      // An order may be gone by now: the route then stays without its inner amounts.
    }
    this.#loading = false;
    if (this.#closed.signal.aborted) return;
    if (path !== this.#path) return this.#schedule();
    this.#settled = settleRoute(path, orders);
    if (this.#settled === undefined && this.#rounds < ROUNDS_MAX) this.#schedule();
    this.#changed();
  }
}
