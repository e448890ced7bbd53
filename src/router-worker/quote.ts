// A quote as the router answers it; the HTTP layer turns it into the API's JSON.
import type { Address } from "../model/address.ts";
import type { OrderId } from "../model/order.ts";

/** Limits of a route (api.md, Limits). */
export const HOPS_MAX = 3;
export const ORDERS_MAX = 20;
export const ROUTES_MAX = 10;

export type QuoteDirection = "strict_send" | "strict_receive";

/** `amount` in base units: sold with strict_send, bought with strict_receive. */
export type QuoteRequest = {
  readonly direction: QuoteDirection;
  readonly sellingAsset: Address;
  readonly buyingAsset: Address;
  readonly amount: bigint;
  /** One hop only. */
  readonly direct: boolean;
  /** Highest maker price to cross, contract price; only with `direct`. */
  readonly maxPrice?: bigint;
};

export type RouteHop = {
  readonly selling: Address;
  readonly buying: Address;
  /** Maker orders to list, in matching order. */
  readonly orders: readonly OrderId[];
  /** Highest maker price among the listed orders. */
  readonly worstPrice: bigint;
};

/** Settles for exactly these amounts in the state it was computed on. */
export type RouteQuote = {
  readonly sold: bigint;
  readonly bought: bigint;
  readonly hops: readonly RouteHop[];
};

/**
 * Whether there may be a better answer: the work for a path was cut short, or some of the orders that it
 * could list were left out. Absent: no route is better than the first by more than a part of 10^-9, and no later
 * one stays behind the best of its own path by more than a part of 10^-6 (docs/routing.md, Limits); or the request
 * has a limit, for which nothing is proven.
 */
type MayBeBetter = { readonly isUnproven?: true };

export type QuoteResult =
  /** At most `ROUTES_MAX` routes, best first. */
  | ({
      readonly status: "success";
      readonly ledger: number;
      readonly routes: readonly RouteQuote[];
    } & MayBeBetter)
  | ({ readonly status: "unfeasible"; readonly ledger: number } & MayBeBetter)
  | {
      readonly status: "rejected";
      readonly ledger: number;
      readonly reason: "frozen" | "contract_cannot_hold";
    }
  /** Overload, time limit, a dead worker: the message is fit for a client. */
  | { readonly status: "failed"; readonly message: string };

/** A quote on its way to a client. */
export type QuoteAnswer =
  /** `paths`: the routes as a JSON array, best first. */
  | ({ readonly status: "success"; readonly ledger: number; readonly paths: string } & MayBeBetter)
  | Exclude<QuoteResult, { readonly status: "success" }>;

export type QuoteAsker = {
  /** Cancels a request whose client has gone. */
  readonly aborted?: AbortSignal;
  /** Whom limits per address count it for; clients take turns. */
  readonly client?: string;
};

/** Main thread. What it answers never names an older ledger than an answer it gave before. */
export interface QuoteService {
  /** Undefined where that would take the thread too long: then `quote` is to be asked. */
  quoteNow(request: QuoteRequest): QuoteAnswer | undefined;
  quote(request: QuoteRequest, asker?: QuoteAsker): Promise<QuoteAnswer>;
}
