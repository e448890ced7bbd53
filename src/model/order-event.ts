// Order events: changes of orders and of the budgets behind them, as the store keeps them.
import type { Address } from "./address.ts";
import type { Order, OrderId } from "./order.ts";
import type { Position } from "./position.ts";

/** The causes of channel book, in the order of their stored numbers. */
export const ORDER_CAUSES = [
  "new",
  "update",
  "fill",
  "filled",
  "cancel",
  "expire",
  "revive",
] as const;
export type OrderCause = (typeof ORDER_CAUSES)[number];

export type EventOrder = Pick<
  Order,
  "id" | "owner" | "selling" | "buying" | "price" | "amount" | "expires" | "cursor"
>;

/** An event before it is stored. `timestamp`: close of the ledger, UNIX seconds. Amounts in base units. */
export type NewOrderEvent = { readonly ledger: number; readonly timestamp: number } & (
  | {
      readonly type: "order";
      readonly cause: OrderCause;
      readonly order: EventOrder;
      readonly isLive: boolean;
      /** Absent in rows of a version that did not keep it. */
      readonly wasLive?: boolean;
      /** Absent where it is new. `updated`: close of the ledger that had changed it last. */
      readonly before?: Pick<Order, "price" | "amount" | "expires"> & { readonly updated?: number };
      /** With fill and filled alone. */
      readonly trade?: Position;
    }
  | {
      readonly type: "budget";
      readonly owner: Address;
      readonly asset: Address;
      /** Both absent where the record was or is not tracked. */
      readonly before?: bigint;
      readonly budget?: bigint;
    }
);

/**
 * `id`: the ledger in the upper 32 bits of 80, then a number that counts up in it from 1. `beginsStep`: the first of a
 * step, that is of a ledger, or of what the clock and loaded backing changed after it.
 */
export type OrderEvent = NewOrderEvent & { readonly id: Position; readonly beginsStep: boolean };

export type OrderEventFilter =
  | { readonly order: OrderId }
  | { readonly owner: Address }
  | { readonly market: readonly [Address, Address] };
