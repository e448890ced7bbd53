// A step takes the exchange from one visible state to the next: one ledger, a few ledgers of a
// catch-up, or orders that pass their expiration by the clock. Ports of those who take part in it.
import type { Address } from "../model/address.ts";
import type { Backing } from "../model/backing.ts";
import type { LedgerDelta } from "../model/ledger-delta.ts";
import type { Order } from "../model/order.ts";
import type { BookChange } from "./book-change.ts";
import type { Happening } from "./happening.ts";

/** A step that is durable and applied. */
export type Step = {
  /** The ledgers it applied, oldest first; none where the clock alone moved. */
  readonly ledgers: readonly {
    readonly ledger: number;
    readonly hash: string;
    readonly closeTime: number;
  }[];
  /** Last ledger processed and its close time (UNIX seconds), whether or not this step brought it. */
  readonly ledger: number;
  readonly closeTime: number;
  /** From one state of the shared book to the next: removals first, one change an order. */
  readonly changes: readonly BookChange[];
  /** In chain order. */
  readonly happenings: readonly Happening[];
};

/** Called on the main thread at once after the step became visible. Must not throw. */
export type StepListener = (step: Step) => void;

/** The writing half of the shared book. Main thread. */
export interface BookWriter {
  /** Resolves once the next `apply` can run without waiting for readers. */
  ready(): Promise<void>;
  /** Fills an empty book with the live orders, oldest first. */
  load(orders: Iterable<Order>, ledger: number): void;
  /** Applies and publishes; the readers' next look finds it. Synchronous. */
  apply(changes: readonly BookChange[], ledger: number): void;
}

/** What one step did to the orders and makers whose backing is followed. */
export type BackingStep = {
  readonly deltas: readonly LedgerDelta[];
  /** Live orders that changed; `before` or `after` is absent where the order was or is not live. */
  readonly orders: readonly { readonly before?: Order; readonly after?: Order }[];
  readonly skips: readonly {
    readonly owner: Address;
    readonly asset: Address;
    /** UNIX seconds. */
    readonly time: number;
  }[];
};

/** Backing records of the visible state. Main thread. */
export interface BackingView {
  /** Live orders at start, oldest first. */
  load(orders: Iterable<Order>): void;
  /** Takes a durable step; the records it changed go to the shared book with the step's orders. */
  apply(step: BackingStep): readonly BookChange[];
  backing(owner: Address, asset: Address): Backing | undefined;
  backed(order: Order): bigint | undefined;
}
