// Retention: drops trades, failures and archived orders older than the kept history, a slice with each commit.
// Candles stay. Main thread.
//
// Invariant: nothing goes that an order event refers to. Order events go first (order-events.ts).

import type { Position } from "../model/position.ts";
import type { AddressIds } from "./address-ids.ts";
import { readFailure } from "./failure-record.ts";
import { archiveEntries, failureEntries, tradeEntries } from "./index-entries.ts";
import { indexKey, positionKey, readPosition } from "./keys.ts";
import type { OrderEvents } from "./order-events.ts";
import { isOnChain, type OrderRecord, OrderState, readOrder } from "./order-record.ts";
import { RecordReader } from "./record-bytes.ts";
import type { StepRecord } from "./step-record.ts";
import type { Write } from "./step-writes.ts";
import type { StoreParts } from "./store-parts.ts";
import type { Table } from "./tables.ts";
import { readTrade } from "./trade-record.ts";

/** Rows of a kind dropped by a commit at most: at least twice what it adds, so that the old ones get fewer. */
const DROPPED_MIN = 200;
/** Rows of a portion: some hundred microseconds. */
const ROWS_AT_ONCE = 16;
/** Archived orders looked at by a commit: they lie by creation, and what is old by its end lies anywhere among them. */
const ORDERS_LOOKED_AT = 500;
/** Seconds from one walk over the archived orders to the next. */
const WALK_SECONDS = 3600;
/** Events of an order id that are looked through for those of one order. */
const EVENTS_LOOKED_AT = 500;
const START = 0n as Position;

/** Of a trade, swap or failure. */
type Row = { readonly timestamp: number };

/** Where the walk over the archived orders is, and when the next begins (UNIX seconds). A restart begins anew. */
type Walk = { readonly walked: Position; readonly next: number };

export class Retention {
  readonly #parts: StoreParts;
  readonly #orderEvents: OrderEvents;
  /** Infinity: for ever. */
  readonly #keepSeconds: number;
  #walk: Walk = { walked: START, next: 0 };
  /** Of a commit in progress. */
  #nextWalk = this.#walk;

  constructor(parts: StoreParts, orderEvents: OrderEvents, keepSeconds: number) {
    this.#parts = parts;
    this.#orderEvents = orderEvents;
    this.#keepSeconds = keepSeconds;
  }

  /** What goes with the commit of a step, in portions of some rows. `stepped` follows once it is stored. */
  *writes(
    writes: Write[],
    { cursor, trades: newTrades, failures: newFailures }: StepRecord,
  ): Generator<void, void> {
    this.#nextWalk = this.#walk;
    const now = cursor?.closeTime;
    if (now === undefined || this.#keepSeconds === Number.POSITIVE_INFINITY) return;
    const [oldest] = this.#orderEvents.from(START, 1);
    const upTo = Math.min(
      now - this.#keepSeconds,
      oldest === undefined ? Number.POSITIVE_INFINITY : oldest.timestamp - 1,
    );
    const { trades, tradeIndex, failures, failureIndex } = this.#parts.tables;
    const number = this.#parts.ids.idOf.bind(this.#parts.ids);
    yield* this.#drop(writes, [trades, tradeIndex], {
      upTo,
      limit: Math.max(DROPPED_MIN, 2 * newTrades.length),
      read: readTrade,
      entries: (row) => tradeEntries(row, number),
    });
    yield* this.#drop(writes, [failures, failureIndex], {
      upTo,
      limit: Math.max(DROPPED_MIN, 2 * newFailures.length),
      read: readFailure,
      entries: (row) => failureEntries(row, number),
    });
    if (now >= this.#walk.next) this.#nextWalk = yield* this.#dropOrders(writes, now, upTo);
  }

  stepped(): void {
    this.#walk = this.#nextWalk;
  }

  *#drop<T extends Row>(
    writes: Write[],
    [rows, index]: readonly [Table, Table],
    of: {
      readonly upTo: number;
      readonly limit: number;
      readonly read: (reader: RecordReader, ids: AddressIds, position: Position) => T;
      readonly entries: (row: T) => readonly Buffer[];
    },
  ): Generator<void, void> {
    let after = START;
    for (let left = of.limit; left > 0; left -= ROWS_AT_ONCE) {
      const found = this.#parts.snapshot.rows(rows, { after, limit: Math.min(left, ROWS_AT_ONCE) });
      for (const { key, value } of found) {
        after = readPosition(key, 0);
        const row = of.read(new RecordReader(value), this.#parts.ids, after);
        if (row.timestamp > of.upTo) return;
        removeRow(writes, [rows, index], after, of.entries(row));
      }
      if (found.length < ROWS_AT_ONCE) return;
      yield;
    }
  }

  /** Returns how far the walk is then. */
  *#dropOrders(writes: Write[], now: number, upTo: number): Generator<void, Walk> {
    const { archive, archiveIndex } = this.#parts.tables;
    let { walked } = this.#walk;
    const rows = this.#parts.snapshot.rows(archive, { after: walked, limit: ORDERS_LOOKED_AT });
    let isOver = rows.length < ORDERS_LOOKED_AT;
    for (const { key, value } of rows) {
      walked = readPosition(key, 0);
      const order = readOrder(new RecordReader(value), this.#parts.ids, walked);
      if (order.created > upTo) {
        isOver = true;
        break;
      }
      yield;
      if (!this.#isPast(order, upTo)) continue;
      const entries = archiveEntries(order, this.#parts.ids.idOf.bind(this.#parts.ids));
      removeRow(writes, [archive, archiveIndex], order.cursor, entries);
    }
    return isOver ? { walked: START, next: now + WALK_SECONDS } : { walked, next: this.#walk.next };
  }

  /** It ended by then for good, and no order event refers to it. */
  #isPast(order: OrderRecord, upTo: number): boolean {
    if (isOnChain(order)) return false;
    if (order.state !== OrderState.expired) return order.changed <= upTo;
    if (Math.max(order.changed, order.expires) > upTo) return false;
    // Its expiry is an event of the first ledger after it, which may have closed at any later time.
    const events = this.#orderEvents.list({ order: order.id }, { limit: EVENTS_LOOKED_AT });
    return (
      events.length < EVENTS_LOOKED_AT &&
      events.every((event) => event.type !== "order" || event.order.cursor !== order.cursor)
    );
  }
}

function removeRow(
  writes: Write[],
  [rows, index]: readonly [Table, Table],
  position: Position,
  entries: readonly Buffer[],
): void {
  writes.push({ table: rows, key: positionKey(position) });
  for (const prefix of entries) writes.push({ table: index, key: indexKey(prefix, position) });
}
