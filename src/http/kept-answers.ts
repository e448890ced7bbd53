// Cache of whole answers by URL, valid while the state that they were made of is shown: many clients request
// the same pages of one ledger. Main thread.
// Hot path: one look-up in place of reading the query, the rows and their texts.
import type { FoundRoute } from "./router.ts";

/** Bytes of bodies and URLs (choice): some thousand pages of twenty rows. */
const BYTES_MAX = 16 * 1024 * 1024;
/** Overhead of an entry beside its URL and body. */
const ENTRY_BYTES = 200;

export type KeptAnswer = { readonly found: FoundRoute; readonly body: Uint8Array };

type Entry = {
  readonly found: FoundRoute;
  readonly state: unknown;
  /** Undefined after the first request in this state: most URLs are requested once and are not worth caching. */
  body: Uint8Array | undefined;
};

export class KeptAnswers {
  /** The longest kept first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  /** Undefined where none is kept of the state shown now. */
  find(url: string): KeptAnswer | undefined {
    const entry = this.#entries.get(url);
    if (entry === undefined || entry.body === undefined) return undefined;
    return entry.state === entry.found.route.state?.() ? (entry as KeptAnswer) : undefined;
  }

  /** To be called with every good answer, within the turn in which it was made. A route without `state` keeps none. */
  made(url: string, found: FoundRoute, body: string): void {
    const state = found.route.state?.();
    if (state === undefined) return;
    const entry = this.#entries.get(url);
    if (entry?.state === state) {
      if (entry.body !== undefined) return;
      entry.body = Buffer.from(body);
      this.#bytes += entry.body.length;
    } else {
      if (entry !== undefined) this.#drop(url, entry);
      this.#entries.set(url, { found, state, body: undefined });
      this.#bytes += ENTRY_BYTES + url.length;
    }
    for (const [oldest, old] of this.#entries) {
      if (this.#bytes <= BYTES_MAX) break;
      this.#drop(oldest, old);
    }
  }

  #drop(url: string, { body }: Entry): void {
    this.#entries.delete(url);
    this.#bytes -= ENTRY_BYTES + url.length + (body?.length ?? 0);
  }
}
