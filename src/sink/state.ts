// Progress of a sink: its one row, which every transaction advances together with what it writes.
import type { Address } from "../model/address.ts";
import type { Position } from "../model/position.ts";

/** Raised whenever tables change their meaning. */
export const SINK_VERSION = 1;

/** Whose history it is. */
export type SinkIdentity = { readonly networkPassphrase: string; readonly contract: Address };

export type SinkState = {
  /** Counts transactions (optimistic lock): an engine that finds it moved was overtaken, and writes nothing. */
  readonly revision: bigint;
  /** Every ledger up to it is in; 0: none yet. */
  readonly ledger: number;
  /** When it closed, UNIX seconds; of a ledger below the newest when its last rows did. */
  readonly closeTime: number;
  /**
   * Every order event of the ledgers up to it is in: one ledger behind, since the clock and loaded backing still add to
   * the newest one's.
   */
  readonly eventsLedger: number;
  /** The newest ledger of a store that wrote to it. */
  readonly seen: { readonly ledger: number; readonly closeTime: number };
  /**
   * The store's ledger when the walk over what changes later, archived orders and candles, began; 0: it has not.
   * Of later ledgers the orders and candles that they touch are written with them.
   */
  readonly walkedLedger: number;
  /** Archived orders up to it are in; absent: all. */
  readonly ordersTo?: Position;
  /** Market, resolution and start that the walk over candles goes on from; absent: it is over. */
  readonly candlesFrom?: string;
  /** The newest trade or swap and what shows that it is of the same chain. */
  readonly mark?: { readonly cursor: Position; readonly text: string };
};

/** The sink is not ours to write to until an operator did something. The message is fit for one. */
export class SinkRefusal extends Error {}
