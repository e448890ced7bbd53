// A step takes the exchange from one visible state to the next: one ledger, a few ledgers of a
// catch-up, orders that pass their expiration by the clock, or backing records that were loaded.
// Ports of those who take part in it.
import type { Address } from "../model/address.ts";
import type { ContractState, RegistryMarket } from "../model/contract-state.ts";
import type { LedgerDelta } from "../model/ledger-delta.ts";
import type { Order } from "../model/order.ts";
import type { LiveRow } from "../store/live-rows.ts";
import type { LedgerCursor } from "../store/step-record.ts";
import type { BookChange } from "./book-change.ts";
import type { DomainEvent } from "./domain-event.ts";
import type { OrderCount, TallyPlaces } from "./live-tally.ts";

/** A step that is durable and applied. */
export type Step = {
  /** The ledgers it applied, oldest first; none where the clock or the backing records alone moved. */
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
  readonly events: readonly DomainEvent[];
};

/**
 * Called on the main thread at once after the step became visible. What it throws is logged. The next step is prepared
 * and committed meanwhile; its show alone waits for what this returns to resolve, `TOLD_MS_MAX`
 * (step-pipeline.ts) at most.
 */
export type StepListener = (step: Step) => Promise<void> | void;

/** What the shared book says of the whole beside its orders and backing. */
export type BookState = {
  /** Last ledger processed, 0 before the first; `closeTime` in UNIX seconds. */
  readonly ledger: number;
  readonly closeTime: number;
  readonly frozen: boolean;
};

export function bookState({ frozen }: ContractState, cursor: LedgerCursor | undefined): BookState {
  return { ledger: cursor?.ledger ?? 0, closeTime: cursor?.closeTime ?? 0, frozen };
}

/** The live orders that a start finds. */
export type LiveOrders = {
  /** Gives all of them to `take`, oldest first, with their places: both are good until the next. */
  readonly each: (take: (row: LiveRow, places: TallyPlaces) => void) => void;
  /** What a number in a row stands for. */
  readonly addressOf: (number: number) => Address;
};

/** The writing half of the shared book. Main thread. */
export interface BookWriter {
  /** Resolves once the next step can be written without waiting for readers. */
  ready(): Promise<void>;
  /** All live orders at start. The next `apply` publishes them. */
  load(orders: LiveOrders): void;
  /** A whole step at once, at start: the readers' next look finds it. */
  apply(changes: readonly BookChange[], state: BookState): void;
  /**
   * Writes a step where no reader looks, in slices. Rejects where it does not fit: the step is stored but not shown,
   * and the pipeline rejects every later one. With ledgers that ends the engine at once. In a step of the clock or the
   * backing records alone it is only logged: the state before it stays served, and the next ledger ends the engine.
   */
  prepare(changes: readonly BookChange[], state: BookState): Promise<void>;
  /** Shows the prepared step; the readers' next look finds it. Synchronous. */
  publish(): void;
  /** The live orders of an owner that sell an asset, of the step shown, oldest first. */
  ordersSelling(owner: Address, asset: Address): readonly BackedOrder[];
  /** The same in any order, one at a time; steps may be shown between that leave them as they are. */
  eachSelling(owner: Address, asset: Address): Iterable<BackedOrder>;
  /** How many of these there are, counted to `most`. */
  countSelling(owner: Address, asset: Address, most: number): number;
}

/** What one step does to the orders and makers whose backing is followed. */
export type BackingStep = {
  /** Oldest first; none where the clock or updates of the backing records alone moved. */
  readonly deltas: readonly LedgerDelta[];
  /** Live orders that change, each once; `before` or `after` is absent where the order was or is not live. */
  readonly orders: readonly { readonly before?: Order; readonly after?: Order }[];
  readonly skips: readonly {
    readonly owner: Address;
    readonly asset: Address;
    /** UNIX seconds. */
    readonly time: number;
  }[];
};

/** A durable row of the backing records, written in the step's transaction; no value: removed. */
export type BackingRow = { readonly key: string; readonly value?: Uint8Array };

/** A step of the backing records that is computed but not visible. Used once or dropped. */
export type PreparedBacking = {
  readonly rows: readonly BackingRow[];
  readonly changes: readonly BookChange[];
  /** All of kind `backing`. */
  readonly events: readonly DomainEvent[];
  /** Makes it visible, once it is durable. Throws where it was computed over another state than the visible one. */
  readonly apply: () => void;
};

/** What of an order decides its share of the budget behind it. */
export type BackedOrder = Pick<Order, "id" | "cursor" | "amount">;

/** What the records start from: the state the store holds. */
export type BackingStart = {
  /** Undefined in an empty store. */
  readonly ledger: number | undefined;
  /** UNIX seconds. */
  readonly closeTime: number;
  readonly markets: readonly RegistryMarket[];
  /** Owners and the assets that their live orders sell or buy, each once, with how many do. */
  readonly references: readonly OrderCount[];
  /**
   * The live orders of an owner that sell an asset, of the visible state, oldest first. Asked at
   * later steps too, when somebody wants to know what the orders get.
   */
  readonly ordersSelling: (owner: Address, asset: Address) => readonly BackedOrder[];
  /** The same in any order, one at a time; steps may be shown between that leave them as they are. */
  readonly eachSelling?: (owner: Address, asset: Address) => Iterable<BackedOrder>;
  /** The rows of the records whose keys begin so, by key. */
  readonly rows: (prefix: string) => Iterable<{ readonly key: string; readonly value: Uint8Array }>;
  /**
   * When an order of the owner that sold the asset was last skipped, UNIX seconds. Asked at later
   * steps too, when a record begins: a maker who left comes back with the skip.
   */
  readonly skipped: (owner: Address, asset: Address) => number | undefined;
};
