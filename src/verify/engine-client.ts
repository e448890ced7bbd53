// A running engine as its HTTP API serves it: live orders, trades, candles and tickers.
import { z } from "zod";
import { PAGE_MAX } from "../api/parameter-table.ts";
import { parseContractAddress } from "../model/address.ts";
import { type OrderId, parseOrderId } from "../model/order.ts";
import { parsePosition } from "../model/position.ts";
import { loadJson } from "./json-client.ts";

/** What `parse` makes of a text; invalid where that is undefined. */
function parsedText<T>(parse: (text: string) => T | undefined) {
  return z.string().transform((text, context): T => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({ code: "custom", message: "of another form" });
    return z.NEVER;
  });
}

const integerText = z
  .string()
  .regex(/^[0-9]+$/)
  .transform(BigInt);
const assetText = parsedText(parseContractAddress);

/** UNIX seconds of `YYYY-MM-DD HH:MM:SS`. */
const timeText = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  .transform((text) => Date.parse(`${text.replace(" ", "T")}Z`) / 1000);

const statusSchema = z.object({ ledger: z.number().optional() });
const contractSchema = z.object({ address: z.string() });

const orderSchema = z.object({
  id: parsedText(parseOrderId),
  owner: z.string(),
  selling: z.string(),
  buying: z.string(),
  amount: integerText,
  price: integerText,
  /** `YYYY-MM-DD HH:MM:SS`. */
  expires: z.string().optional(),
  cursor: z.string(),
});

const tradeSchema = z.object({
  type: z.enum(["trade", "swap"]),
  id: parsedText(parsePosition),
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

export type EngineOrder = z.output<typeof orderSchema>;
export type ServedTrade = z.output<typeof tradeSchema>;
export type ServedTicker = z.output<typeof tickerSchema>;
export type ServedCandle = z.output<typeof candlesSchema>[number];

/** Every method throws an Error that names the URL where the engine does not answer as it should. */
export class EngineClient {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url.replace(/\/+$/, "");
  }

  async contract(): Promise<string> {
    return (await this.#load("/contract", contractSchema)).address;
  }

  /** Undefined while the engine has no live order. */
  async ledger(): Promise<number | undefined> {
    return (await this.#load("/", statusSchema)).ledger;
  }

  /** All live orders, page by page. */
  async *orders(): AsyncGenerator<readonly EngineOrder[]> {
    const pageSchema = z.array(orderSchema);
    let cursor = "";
    for (;;) {
      const page = await this.#load(`/order?limit=${PAGE_MAX.orders}&cursor=${cursor}`, pageSchema);
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      cursor = last.cursor;
    }
  }

  /** Undefined where the order is not live. */
  async order(id: OrderId): Promise<EngineOrder | undefined> {
    const path = `/order/${id}`;
    const { status, json } = await loadJson(this.#url + path);
    return status === 404 ? undefined : this.#check(path, status, json, orderSchema);
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
      const path = `/trades?limit=${PAGE_MAX.history}${pairQuery(market)}&cursor=${cursor}`;
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
    return this.#check(path, status, json, schema);
  }

  #check<T>(path: string, status: number, json: unknown, schema: z.ZodType<T>): T {
    const result = schema.safeParse(json);
    if (status === 200 && result.success) return result.data;
    throw new Error(`${this.#url}${path} is not an answer of the engine's API (HTTP ${status})`);
  }
}

function pairQuery(market: string): string {
  const [base, quote] = market.split("/");
  return `&pair=${base}&pair=${quote}`;
}
