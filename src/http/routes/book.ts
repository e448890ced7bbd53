// GET /book: the live orders of one market at one ledger, best prices first.

import { randomUUID } from "node:crypto";

import { BOOK_ORDERS } from "../../api/parameter-table.ts";
import type { ReadModel } from "../../book/read-model.ts";
import type { OrderId } from "../../model/order.ts";
import { nextSlice } from "../../model/slice-turns.ts";
import { ApiError } from "../api-error.ts";
import type { AssetInput } from "../asset-input.ts";
import { bookRowJson } from "../json/order-json.ts";
import { parseIntegerWithin, parseMarket, type RequestedMarket } from "../market-parameters.ts";
import { limitingBudget } from "../push/book-image.ts";
import type { Query } from "../query.ts";
import { type ApiContext, jsonArray, type Route } from "../route.ts";

/** Orders of a slice: a few milliseconds of work. */
const SLICE_ORDERS = 200;
/** States that may pass while a large answer is made, before it is given up (choice). */
const ATTEMPTS_MAX = 5;

/** Versions count from the start of a process: the tags of another one must not pass for ours. */
const RUN = randomUUID().slice(0, 8);

const CHANGES_TOO_FAST = new ApiError(
  503,
  "book_changes_too_fast",
  "Service overloaded. The book changes faster than it is read; ask for fewer orders (limit).",
);

type BookRequest = { readonly market: RequestedMarket; readonly limit: number };

export function bookRoute(context: ApiContext): Route {
  const { book, assets } = context;
  return {
    kind: "async",
    tag: ({ query }) => `${RUN}-${book.version(parseBook(query, assets).market)}`,
    handle: ({ query }) => {
      const request = parseBook(query, assets);
      return (
        new BookText(context, request).json() ?? ((signal) => inSlices(context, request, signal))
      );
    },
  };
}

/** Rejects with CHANGES_TOO_FAST, and with the signal's reason once the client has gone. */
async function inSlices(
  context: ApiContext,
  request: BookRequest,
  signal: AbortSignal,
): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const text = new BookText(context, request);
    while (text.isOfShownState) {
      const json = text.json();
      if (json !== undefined) return json;
      await nextSlice();
      signal.throwIfAborted();
    }
  }
  throw CHANGES_TOO_FAST;
}

/** The answer of the state shown when it is made, a slice at a time. */
class BookText {
  readonly #readModel: ReadModel;
  readonly #market: RequestedMarket;
  readonly #step: number;
  readonly #ids: readonly OrderId[];
  readonly #askCount: number;
  readonly #rows: string[] = [];

  constructor({ readModel, book }: ApiContext, { market, limit }: BookRequest) {
    const { asks, bids } = book.sides(market, limit);
    this.#readModel = readModel;
    this.#market = market;
    this.#step = readModel.step;
    this.#ids = [...asks, ...bids];
    this.#askCount = asks.length;
  }

  /** Undefined until the last slice; to be called while the state is still the one shown. */
  json(): string | undefined {
    const made = this.#rows.length;
    for (const id of this.#ids.slice(made, made + SLICE_ORDERS)) {
      const order = this.#readModel.history.liveOrder(id);
      if (order === undefined) throw new Error(`order ${id} is in the book and not in the store`);
      const shown = this.#readModel.backings.orderBacking(order);
      const budget = limitingBudget(order, shown?.backed, shown?.backing.budget);
      this.#rows.push(bookRowJson(order, shown?.backed, budget));
    }
    if (this.#rows.length < this.#ids.length) return undefined;
    const { base, quote } = this.#market;
    const asks = jsonArray(this.#rows.slice(0, this.#askCount));
    const bids = jsonArray(this.#rows.slice(this.#askCount));
    const { ledger } = this.#readModel;
    const head = ledger === undefined ? "{" : `{"ledger":${ledger},`;
    return `${head}"market":"${base}/${quote}","asks":${asks},"bids":${bids}}`;
  }

  get isOfShownState(): boolean {
    return this.#readModel.step === this.#step;
  }
}

function parseBook(query: Query, assets: AssetInput): BookRequest {
  const market = parseMarket(query.one("market"), assets);
  const limit =
    parseIntegerWithin("limit", query.one("limit"), BOOK_ORDERS.max) ?? BOOK_ORDERS.default;
  return { market, limit };
}
