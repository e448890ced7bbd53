// Domain events: what a step did to the book, as the push API and the order events tell it.
import type { Address, Pair } from "../model/address.ts";
import type { Backing } from "../model/backing.ts";
import type { ContractState } from "../model/contract-state.ts";
import type { Order } from "../model/order.ts";
import type { Position } from "../model/position.ts";
import type { Swap, Trade } from "../model/trade.ts";

/** The account-order actions of api.md, Channel account. */
export type OrderAction = "new" | "fill" | "filled" | "update" | "cancel" | "expire";

/** A fill from the maker's side. Amounts in base units, `ts` in UNIX seconds. */
export type OrderFill = {
  /** What the order delivered, of its selling token. */
  readonly sold: bigint;
  /** What its owner received, of its buying token. */
  readonly bought: bigint;
  readonly taker: Address;
  readonly trade: Position;
  readonly ts: number;
  readonly crossfill: boolean;
};

export type DomainEvent =
  /** `order` as it is after the change; `fill` with the actions fill and filled alone. */
  | {
      readonly kind: "order";
      readonly action: OrderAction;
      readonly order: Order;
      readonly fill?: OrderFill;
    }
  /** One fill as indexed, `market` its canonical pair. */
  | { readonly kind: "trade"; readonly market: Pair; readonly trade: Trade }
  | { readonly kind: "swap"; readonly swap: Swap }
  /**
   * The record of an owner in a token changed, or an order of the owner that sells it; at most one
   * a step for each. Absent `backing`: no longer tracked. What each order gets of it: `ordersBacked`.
   */
  | {
      readonly kind: "backing";
      readonly owner: Address;
      readonly asset: Address;
      readonly backing?: Backing;
    }
  /**
   * What depth and quotes reckon some owner of the token with changed, and its record as it is shown did not: its
   * allowance is in its last ledger, or the account is short of its reserve. At most one a step for each.
   */
  | { readonly kind: "nextBudget"; readonly asset: Address }
  /** `contract` as it is after the change; `market` with the change market alone. */
  | {
      readonly kind: "contract";
      readonly change: "freeze" | "config" | "market";
      readonly market?: Pair;
      readonly contract: ContractState;
    };
