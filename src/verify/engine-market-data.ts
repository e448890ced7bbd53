// Trades, candles and tickers of a running engine, as its HTTP API serves them.
import { z } from "zod";
import { parseContractAddress } from "../model/address.ts";
import { parsePosition } from "../model/position.ts";
import { loadJson } from "./json-client.ts";

const PAGE_TRADES = 500;

const integerText = z
  .string()
  .regex(/^[0-9]+$/)
  .transform(BigInt);

const assetText = z.string().transform((text, context) => {
  const asset = parseContractAddress(text);
  if (asset !== undefined) return asset;
  context.addIssue({ code: "custom", message: "no token address" });
  return z.NEVER;
});

const positionText = z.string().transform((text, context) => {
  const position = parsePosition(text);
  if (position !== undefined) return position;
  context.addIssue({ code: "custom", message: "no position" });
  return z.NEVER;
});

/** UNIX seconds of `YYYY-MM-DD HH:MM:SS`. */
const timeText = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  .transform((text) => Date.parse(`${text.replace(" ", "T")}Z`) / 1000);

const tradeSchema = z.object({
  type: z.enum(["trade", "swap"]),
  id: positionText,
  soldAsset: assetText,
  boughtAsset: assetText,
  sold: integerText,
  bought: integerText,
  crossfill: z.boolean().optional(),
  timestamp: timeText,
});

const tickerSchema = z.object({
  ledger: z.number(),
  timestamp: z.number(),
  ticker: z.array(
    z.object({
      symbol: z.string(),
      openPrice: z.string(),
      highPrice: z.string(),
      lowPrice: z.string(),
      lastPrice: z.string(),
      volume: z.string(),
      quoteVolume: z.string(),
      change: z.number(),
      avgPrice: z.string(),
      trades: z.number(),
    }),
  ),
});

const text = z.string();
const count = z.number();
const candlesSchema = z.array(z.tuple([count, text, text, text, text, text, text, count]));

export type ServedTrade = z.output<typeof tradeSchema>;
export type ServedTicker = z.output<typeof tickerSchema>;
export type ServedCandle = z.output<typeof candlesSchema>[number];

/** Every method throws an Error that names the URL where the engine does not answer as it should. */
export class MarketDataClient {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url.replace(/\/+$/, "");
  }

  ticker(): Promise<ServedTicker> {
    return this.#load("/ticker/24h", tickerSchema);
  }

  /** The newest trade or swap, of one market or of any. */
  async newest(market?: string): Promise<ServedTrade | undefined> {
    const path = `/trades?limit=1${market === undefined ? "" : pairQuery(market)}`;
    return (await this.#load(path, z.array(tradeSchema)))[0];
  }

  /** All trades and swaps of a market, `base/quote`, newest first, page by page. */
  async *trades(market: string): AsyncGenerator<ServedTrade> {
    let cursor = "";
    for (;;) {
      const path = `/trades?limit=${PAGE_TRADES}${pairQuery(market)}&cursor=${cursor}`;
      const page = await this.#load(path, z.array(tradeSchema));
      const last = page.at(-1);
      if (last === undefined) return;
      yield* page;
      cursor = `${last.id}`;
    }
  }

  /** Oldest first. */
  candles(
    market: string,
    window: { readonly from: number; readonly to: number; readonly resolution: number },
  ): Promise<readonly ServedCandle[]> {
    const { from, to, resolution } = window;
    const query = `market=${market}&from=${from}&to=${to}&resolution=${resolution}&order=asc`;
    return this.#load(`/candles?${query}`, candlesSchema);
  }

  async #load<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    const { status, json } = await loadJson(this.#url + path);
    const result = schema.safeParse(json);
    if (status === 200 && result.success) return result.data;
    throw new Error(`${this.#url}${path} is not an answer of the engine's API (HTTP ${status})`);
  }
}

function pairQuery(market: string): string {
  const [base, quote] = market.split("/");
  return `&pair=${base}&pair=${quote}`;
}
