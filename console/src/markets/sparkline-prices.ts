// The prices behind the small charts of the markets in sight: the last 24 hours in candles or, in a
// market that traded too little for that, its latest trades in them.
import type { Candle, Swap, Trade } from "../../../src/api/types.ts";
import { ask } from "../api/rest.ts";
import { Changes } from "../changes.ts";
import { utcSeconds } from "../page/time.ts";
import { pairOf } from "../state/tickers.ts";

const DAY_SECONDS = 86_400;
/** 15 minutes: the finest resolution at which a day is one answer (at most 200 candles). */
const RESOLUTION_SECONDS = 900;
const CANDLES_MIN = 6;
const TRADES = 60;
/** A day's chart hardly changes faster (choice). */
const FRESH_MS = 60_000;
/** Requests at a time: the engine has other clients too. */
const REQUESTS_MAX = 3;
const KEPT_MAX = 600;

type Series = { readonly prices: readonly number[]; readonly at: number };

export class SparklinePrices {
  readonly changes = new Changes();
  readonly #series = new Map<string, Series>();
  readonly #asking = new Set<string>();
  readonly #closed = new AbortController();
  #seen: readonly string[] = [];

  /** For drawing alone; undefined until the first answer. */
  of(symbol: string): readonly number[] | undefined {
    return this.#series.get(symbol)?.prices;
  }

  /** The markets in sight, in the order in which they are wanted. */
  want(symbols: readonly string[]): void {
    this.#seen = symbols;
    this.#next();
  }

  /** Asks for what became old. */
  refresh(): void {
    this.#next();
  }

  close(): void {
    this.#closed.abort();
    this.#seen = [];
  }

  #next(): void {
    const now = performance.now();
    for (const symbol of this.#seen) {
      if (this.#asking.size >= REQUESTS_MAX) return;
      if (this.#asking.has(symbol)) continue;
      const known = this.#series.get(symbol);
      if (known !== undefined && now - known.at < FRESH_MS) continue;
      this.#asking.add(symbol);
      void this.#load(symbol);
    }
  }

  async #load(symbol: string): Promise<void> {
    let prices = this.of(symbol) ?? [];
    try {
      prices = await this.#prices(symbol);
    } catch {
      // The chart is an ornament: without an answer the next refresh asks again.
    }
    if (this.#closed.signal.aborted) return;
    this.#asking.delete(symbol);
    this.#series.delete(symbol);
    this.#series.set(symbol, { prices, at: performance.now() });
    if (this.#series.size > KEPT_MAX) {
      const oldest = this.#series.keys().next().value;
      if (oldest !== undefined) this.#series.delete(oldest);
    }
    this.changes.tell();
    this.#next();
  }

  async #prices(symbol: string): Promise<readonly number[]> {
    const { signal } = this.#closed;
    const to = Math.ceil(Date.now() / 1000);
    const window = { from: to - DAY_SECONDS, to, resolution: RESOLUTION_SECONDS, order: "asc" };
    const candles = await ask<readonly Candle[]>("/candles", { market: symbol, ...window }, signal);
    if (candles.length >= CANDLES_MIN) return candles.map((candle) => Number(candle[4]));
    const { base, quote } = pairOf(symbol);
    const page = { pair: [base, quote], limit: TRADES };
    const trades = await ask<readonly (Trade | Swap)[]>("/trades", page, signal);
    return trades
      .filter((record): record is Trade => record.type === "trade" && record.crossfill !== true)
      .filter(({ timestamp }) => utcSeconds(timestamp) >= to - DAY_SECONDS)
      .map(({ soldAsset, sold, bought }) =>
        soldAsset === base ? Number(bought) / Number(sold) : Number(sold) / Number(bought),
      )
      .reverse();
  }
}
