// The live orders of a running engine, as its HTTP API serves them.
import { z } from "zod";
import { type OrderId, parseOrderId } from "../model/order.ts";
import { loadJson } from "./json-client.ts";

const PAGE_ORDERS = 200;

const integerText = z
  .string()
  .regex(/^[0-9]+$/)
  .transform(BigInt);

const orderSchema = z.object({
  id: z.string().transform((text, context): OrderId => {
    const id = parseOrderId(text);
    if (id !== undefined) return id;
    context.addIssue({ code: "custom", message: "no order id" });
    return z.NEVER;
  }),
  owner: z.string(),
  selling: z.string(),
  buying: z.string(),
  amount: integerText,
  price: integerText,
  /** `YYYY-MM-DD HH:MM:SS`. */
  expires: z.string().optional(),
  cursor: z.string(),
});

export type EngineOrder = z.output<typeof orderSchema>;

const statusSchema = z.object({ ledger: z.number().optional() });
const contractSchema = z.object({ address: z.string() });

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
      const page = await this.#load(`/order?limit=${PAGE_ORDERS}&cursor=${cursor}`, pageSchema);
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
