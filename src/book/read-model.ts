// The read model, the rest of the process's view of the exchange's state: the newest ledger that is both
// durable and applied. Main thread only; every answer is of one ledger.
import type { Address, Pair } from "../model/address.ts";
import type { Backing, OrderBacking, SharesBlock } from "../model/backing.ts";
import type { ContractState } from "../model/contract-state.ts";
import type { Failure } from "../model/failure.ts";
import type { Order, OrderId } from "../model/order.ts";
import type { OrderEvent, OrderEventFilter } from "../model/order-event.ts";
import type { Position } from "../model/position.ts";
import type { Swap, Trade } from "../model/trade.ts";
import type { StepListener } from "./step.ts";

/** Filters are compared as given: text that is no address matches nothing. */
export type LiveOrderFilter = {
  readonly owner?: string;
  /** Every listed asset must be one of the order's two assets. */
  readonly assets: readonly string[];
};

/** An archive page: rows older than `before` (exclusive), newest first. */
export type Page = { readonly before?: Position; readonly limit: number };

export interface ReadModel {
  /** Last ledger processed; undefined until there was one. */
  readonly ledger: number | undefined;
  /** Changes with every state that is shown: what was read under one value is of one state. */
  readonly step: number;
  /** Close time of `ledger`, UNIX seconds; 0 until there was one. */
  readonly closeTime: number;
  readonly contract: ContractState;
  readonly liveOrderCount: number;
  /** Calls the listener once a step is shown; returns what ends that. */
  onStep(listener: StepListener): () => void;
  liveOrder(id: OrderId): Order | undefined;
  /** Oldest first by creation, from the first order after `after` (exclusive). */
  liveOrders(
    filter: LiveOrderFilter,
    page: { readonly after?: Position; readonly limit: number },
  ): readonly Order[];
  /** Pairs with live orders, in canonical pair order. */
  liveMarkets(): readonly Pair[];
  /** Undefined where the owner and asset are not tracked. */
  backing(owner: Address, asset: Address): Backing | undefined;
  /** Of a live order; undefined without tracked backing. */
  orderBacking(order: Order): OrderBacking | undefined;
  /** Loaded backing records of an owner, by asset; none where nothing is tracked. */
  accountBacking(owner: Address): readonly Backing[];
  /**
   * What each live order of the owner that sells the asset gets of the budget, oldest first, in blocks: one that is
   * the same object as before says the same.
   */
  ordersBacked(owner: Address, asset: Address): readonly SharesBlock[];
  orderHistory(
    filter: { readonly owner?: string; readonly pair?: readonly [string, string] },
    page: Page,
  ): readonly Order[];
  trades(
    filter: { readonly trader?: string; readonly pair?: readonly [string, string] },
    page: Page,
  ): readonly (Trade | Swap)[];
  /** The first ledger from which order events are complete; undefined while none are kept. */
  readonly orderEventsFrom: number | undefined;
  orderEvents(filter: OrderEventFilter, page: Page): readonly OrderEvent[];
  failures(
    filter: { readonly account?: string; readonly fn?: string },
    page: Page,
  ): readonly Failure[];
}
