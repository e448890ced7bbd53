import type { Address } from "./address.ts";
import type { OrderId } from "./order.ts";

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

/**
 * An order and what it gets of its maker's budget, base units. Lists of them are no maps: makers choose among ids, and
 * those of many orders can collide in one.
 */
export type OrderShare = readonly [OrderId, bigint];
