// A route: what the server needs of an endpoint, mainly a function from a request to the JSON text of its body.
import type { Depths } from "../book/live-depth.ts";
import type { BookSides } from "../book/market-sides.ts";
import type { ReadModel } from "../book/read-model.ts";
import type { Address } from "../model/address.ts";
import type { Clock } from "../model/clock.ts";
import type { QuoteService } from "../router-worker/quote.ts";
import type { ApiError } from "./api-error.ts";
import type { AssetInput } from "./asset-input.ts";
import type { Query } from "./query.ts";
import type { ReferencePrices } from "./reference-prices.ts";

export type ApiRequest = {
  readonly query: Query;
  /** The decoded `:id` or `:address` of the path; empty in other paths or where undecodable. */
  readonly pathValue: string;
  /** The client that limits per address count the request for. Valid until the handler returns. */
  readonly client: () => string;
};

/** Handlers return compact JSON and throw an ApiError. */
export type Route = {
  /**
   * Stands for all that the route's answers are made from: what a handler returns at once is its answer to the
   * same URL as long as this is the same. Absent: no answer outlives its request.
   */
  readonly state?: () => unknown;
} & (
  | { readonly kind: "sync"; readonly handle: (request: ApiRequest) => string }
  | {
      readonly kind: "async";
      /**
       * Stands for what the answer is made from (RFC 9110 8.8.3, weak, without quotes): a client that has the
       * answer of the same tag gets 304. Absent: the answer has no tag. Throws as `handle` does.
       */
      readonly tag?: (request: ApiRequest) => string;
      /** Returns the body, or what makes it later. */
      readonly handle: (request: ApiRequest) => string | Later;
      /** The answer where too many requests wait; absent: that of every other route. */
      readonly overloaded?: ApiError;
    }
);

/** Makes the answer; `signal` is aborted when the client goes. */
export type Later = (signal: AbortSignal) => Promise<string>;

/** What the endpoints answer from. Main thread. */
export type ApiContext = {
  readonly readModel: ReadModel;
  readonly quotes: QuoteService;
  /** Of the live book, by the clock. */
  readonly depth: Depths;
  readonly book: BookSides;
  readonly referencePrices: ReferencePrices;
  readonly assets: AssetInput;
  readonly contract: Address;
  readonly clock: Clock;
};

/** A route that answers at once from the state shown, and from nothing else. */
export function shownRoute(readModel: ReadModel, handle: (request: ApiRequest) => string): Route {
  return { kind: "sync", state: () => readModel.step, handle };
}

export function jsonArray(rows: readonly string[]): string {
  return `[${rows.join(",")}]`;
}
