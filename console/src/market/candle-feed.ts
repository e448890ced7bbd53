// The candles of one market at one resolution: the latest from the channel `candles`, older ones
// page by page from /candles as somebody looks at them.
import { CANDLES_MAX } from "../../../src/api/parameter-table.ts";
import type { Candle, ResolutionSeconds } from "../../../src/api/types.ts";
import type { Connection } from "../api/connection.ts";
import { ask } from "../api/rest.ts";

/** Candles kept in the page: a bound for those who scroll back for ever. */
const KEPT_MAX = 5000;
/** Windows without a fill that are skipped on the way back before it counts as the beginning. */
const EMPTY_WINDOWS_MAX = 3;

export type CandleListener = {
  /** Everything anew, oldest first. */
  readonly all: (candles: readonly Candle[]) => void;
  /** The newest one changed or came. */
  readonly newest: (candle: Candle) => void;
  readonly refused: (error: string) => void;
};

export class CandleFeed {
  readonly #market: string;
  readonly #seconds: number;
  readonly #listener: CandleListener;
  readonly #end: () => void;
  readonly #closed = new AbortController();
  #candles: Candle[] = [];
  #loading = false;
  /** Where the next older window ends, UNIX seconds; undefined where there is nothing more. */
  #olderTo: number | undefined;
  #emptyWindows = 0;

  constructor(
    connection: Connection,
    { market, seconds }: { readonly market: string; readonly seconds: ResolutionSeconds },
    listener: CandleListener,
  ) {
    this.#market = market;
    this.#seconds = seconds;
    this.#listener = listener;
    this.#end = connection.subscribe(
      { channel: "candles", market, resolution: seconds, limit: CANDLES_MAX },
      {
        message: (message) => {
          if (message.type === "candles") this.#snapshot(message.candles);
          else this.#update(message.candle);
        },
        refused: listener.refused,
      },
    );
  }

  close(): void {
    this.#end();
    this.#closed.abort();
  }

  /** Loads the window before what is there, unless it is being loaded or there is none. */
  async loadOlder(): Promise<void> {
    const to = this.#olderTo;
    if (to === undefined || this.#loading || this.#candles.length >= KEPT_MAX) return;
    this.#loading = true;
    const from = Math.max(0, to - CANDLES_MAX * this.#seconds);
    try {
      const older = await ask<readonly Candle[]>(
        "/candles",
        { market: this.#market, from, to, resolution: this.#seconds, order: "asc" },
        this.#closed.signal,
      );
      // A snapshot may have come meanwhile, and begun anew.
      if (this.#olderTo !== to) return;
      this.#emptyWindows = older.length === 0 ? this.#emptyWindows + 1 : 0;
      this.#olderTo = from === 0 || this.#emptyWindows >= EMPTY_WINDOWS_MAX ? undefined : from;
      if (older.length === 0) return;
      this.#candles = [...older, ...this.#candles];
      this.#listener.all(this.#candles);
    } catch {
      // Further scrolling asks again.
    } finally {
      this.#loading = false;
    }
  }

  #snapshot(candles: readonly Candle[]): void {
    this.#candles = [...candles];
    this.#emptyWindows = 0;
    this.#olderTo = candles[0]?.[0];
    this.#listener.all(this.#candles);
  }

  #update(candle: Candle): void {
    const last = this.#candles.at(-1);
    if (last !== undefined && candle[0] < last[0]) return;
    if (last?.[0] === candle[0]) this.#candles[this.#candles.length - 1] = candle;
    else this.#candles.push(candle);
    this.#listener.newest(candle);
  }
}
