import type { Address } from "./address.ts";
import type { OrderId } from "./order.ts";
import type { Position } from "./position.ts";

/** What stands behind a maker in one token (api.md, Backing record). Times in UNIX seconds. */
export type Backing = {
  readonly owner: Address;
  readonly asset: Address;
  readonly balance: bigint;
  readonly allowance: bigint;
  /** Ledger until which the allowance lives, 0 without allowance. */
  readonly liveUntil: number;
  readonly authorized: boolean;
  readonly budget: bigint;
  /** Absent for the native asset, contract holders and while unknown. */
  readonly headroom?: bigint;
  /** Absent until loaded. */
  readonly updated?: number;
  readonly skipped?: number;
  readonly pending: boolean;
};

/** What stands behind a live order: its maker's record, and the part of it that the order gets. */
export type OrderBacking = { readonly backing: Backing; readonly backed: bigint };

/** An order and what it gets of its maker's budget, base units. */
export type OrderShare = {
  readonly id: OrderId;
  readonly cursor: Position;
  readonly backed: bigint;
};

/**
 * Orders of a maker that sell one token, oldest first, and what each gets. What it says is made when somebody asks,
 * and stays as it is whatever becomes of the orders. A list and no map: makers choose among ids, and those of many
 * orders can collide in one.
 */
export interface SharesBlock {
  readonly shares: readonly OrderShare[];
  /** Every order gets all that it wants. */
  readonly isCovered: boolean;
}
