// Depth of the live book: at once where few orders have to be looked at, else in slices between which the
// main thread serves others, one request after the other. Main thread.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../model/clock.ts";
import { type DepthBody, DepthReading, type DepthRequest } from "./depth.ts";
import { DepthWalk } from "./depth-walk.ts";
import { type BookBuffers, type BookReader, openBookReader } from "./shared-control.ts";
import type { BookView } from "./shared-layout.ts";

/** Orders looked at in one turn of the loop (measured 2026-11, two cores: 2 to 3 ms). */
export const SLICE_ORDERS = 8192;
/** Requests that may wait to be read in slices (choice): some 10 s of the largest books. */
export const WAITING_DEPTHS_MAX = 64;

/** What answers depth. Main thread. */
export type Depths = Pick<LiveDepth, "now" | "later">;

type Waiting = { readonly body: Promise<DepthBody>; readonly isWanted: (() => boolean)[] };

export type LiveDepthOptions = {
  readonly book: { readonly live: BookView; readonly buffers: BookBuffers };
  readonly clock: Clock;
};

export class LiveDepth {
  readonly #options: LiveDepthOptions;
  /** What is read at once must not disturb what is read in slices. */
  readonly #walk = new DepthWalk();
  readonly #slicedWalk = new DepthWalk();
  /** A place among the book's readers: the writer leaves what is read in slices as it is. */
  #place: BookReader | undefined;
  /** By what they ask, not begun yet: equal requests are read once. */
  readonly #waiting = new Map<string, Waiting>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: LiveDepthOptions) {
    this.#options = options;
  }

  /** Of the book as it is now; undefined where that takes too long for one turn of the loop. */
  now(request: DepthRequest): DepthBody | undefined {
    return new DepthReading(this.#walk, this.#options.book.live, request, this.#now).run(
      SLICE_ORDERS,
    );
  }

  /**
   * Of the book as it is now or will be before the answer. Rejects once nobody wants it any more;
   * undefined where too many wait.
   */
  later(request: DepthRequest, isWanted: () => boolean): Promise<DepthBody> | undefined {
    const key = JSON.stringify(request);
    const known = this.#waiting.get(key);
    if (known !== undefined) {
      known.isWanted.push(isWanted);
      return known.body;
    }
    if (this.#waiting.size >= WAITING_DEPTHS_MAX) return undefined;
    const wanted = [isWanted];
    const body = this.#last.then(() => {
      // Whoever asks from here on must not be told of a book that is older than the question.
      this.#waiting.delete(key);
      return this.#readInSlices(request, () => wanted.some((is) => is()));
    });
    this.#waiting.set(key, { body, isWanted: wanted });
    this.#last = body.catch(() => undefined);
    return body;
  }

  get #now(): number {
    return Math.floor(this.#options.clock() / 1000);
  }

  async #readInSlices(request: DepthRequest, isWanted: () => boolean): Promise<DepthBody> {
    this.#place ??= openBookReader(this.#options.book.buffers);
    const reading = new DepthReading(this.#slicedWalk, this.#place.enter(), request, this.#now);
    try {
      while (isWanted()) {
        const body = reading.run(SLICE_ORDERS);
        if (body !== undefined) return body;
        await nextTurn();
      }
      throw new Error("nobody wants the depth any more");
    } finally {
      // The next step waits for this alone, not for those that wait here.
      this.#place.leave();
    }
  }
}
