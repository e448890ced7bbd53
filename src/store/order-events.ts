// The order events of a store: what became of each order by position, and of the budgets behind them. Main thread.
import type { OrderEvent, OrderEventFilter } from "../model/order-event.ts";
import type { Position } from "../model/position.ts";
import type { AddressIds } from "./address-ids.ts";
import { byAccount, byPair } from "./index-entries.ts";
import { indexKey, positionKey, readPosition } from "./keys.ts";
import {
  byOrder,
  eventEntries,
  eventId,
  ledgerOf,
  readOrderEvent,
  writeOrderEvent,
} from "./order-event-record.ts";
import { type OrderRecord, readOrder } from "./order-record.ts";
import { RecordReader, RecordWriter } from "./record-bytes.ts";
import type { Snapshot } from "./snapshot.ts";
import type { StepRecord } from "./step-record.ts";
import type { Write } from "./step-writes.ts";
import { StoreError } from "./store-error.ts";
import { META_ORDER_EVENTS, type Tables } from "./tables.ts";

/** Rows dropped by a commit at most: at least twice what it adds, so that the old ones get fewer. */
const DROPPED_MIN = 200;
const EMPTY = Buffer.alloc(0);

export class OrderEvents {
  readonly #tables: Tables;
  readonly #snapshot: Snapshot;
  readonly #ids: AddressIds;
  /** Infinity: for ever; 0: none are kept. */
  readonly #keepSeconds: number;
  #last: Position;
  /** Of a commit in progress. */
  #nextLast: Position;

  constructor(tables: Tables, snapshot: Snapshot, ids: AddressIds, keepSeconds: number) {
    this.#tables = tables;
    this.#snapshot = snapshot;
    this.#ids = ids;
    this.#keepSeconds = keepSeconds;
    const range = { newestFirst: true, limit: 1 };
    const [row] = snapshot.rows(tables.orderEvents, range);
    this.#last = row === undefined ? (0n as Position) : readPosition(row.key, 0);
    this.#nextLast = this.#last;
  }

  /** The first ledger from which every event is there; undefined while none are kept. */
  completeFrom(): number | undefined {
    const bytes = this.#snapshot.get(this.#tables.meta, META_ORDER_EVENTS);
    return bytes && new RecordReader(bytes).count();
  }

  /** Newest first. */
  list(
    filter: OrderEventFilter,
    page: { readonly before?: Position; readonly limit: number },
  ): readonly OrderEvent[] {
    const prefix = this.#prefixOf(filter);
    if (prefix === undefined) return [];
    const { orderEvents, orderEventIndex } = this.#tables;
    return this.#snapshot
      .positions(orderEventIndex, prefix, { ...page, newestFirst: true })
      .map((id) => {
        const row = this.#snapshot.get(orderEvents, positionKey(id));
        if (row === undefined) {
          throw new StoreError("damaged", `the store is damaged: no order event ${id}`);
        }
        return this.#read(id, row);
      });
  }

  /** Oldest first, of every order and owner, above the position (exclusive). */
  from(after: Position, limit: number): readonly OrderEvent[] {
    return this.#snapshot
      .rows(this.#tables.orderEvents, { after, limit })
      .map(({ key, value }) => this.#read(readPosition(key, 0), value));
  }

  /** What steps add and what has become too old. `stepped` follows once it is stored. */
  writes(steps: readonly StepRecord[]): Write[] {
    const orderEvents = steps.flatMap((step) => step.orderEvents);
    const cursor = steps.at(-1)?.cursor;
    const { meta, orderEvents: rows, orderEventIndex } = this.#tables;
    const from = this.completeFrom();
    const writes: Write[] = [];
    const writer = new RecordWriter();
    const startAt = (ledger: number) =>
      writes.push({ table: meta, key: META_ORDER_EVENTS, value: writer.count(ledger).take() });
    this.#nextLast = this.#last;
    if (this.#keepSeconds === 0) {
      if (from !== undefined) writes.push({ table: meta, key: META_ORDER_EVENTS });
    } else if (from !== undefined || cursor !== undefined) {
      const first = orderEvents[0]?.ledger;
      if (from === undefined && cursor !== undefined) {
        startAt(Math.min(first ?? cursor.ledger, cursor.ledger));
      }
      for (const event of orderEvents) {
        const start = eventId(event.ledger, 0n);
        this.#nextLast = ((this.#nextLast > start ? this.#nextLast : start) + 1n) as Position;
        const id = this.#nextLast;
        const value = writeOrderEvent(writer, this.#ids, event);
        writes.push({ table: rows, key: positionKey(id), value });
        for (const prefix of eventEntries(event, this.#ids)) {
          writes.push({ table: orderEventIndex, key: indexKey(prefix, id), value: EMPTY });
        }
      }
    }
    if (cursor === undefined || this.#keepSeconds === Number.POSITIVE_INFINITY) return writes;
    const dropped = this.#drops(
      writes,
      cursor.closeTime - this.#keepSeconds,
      Math.max(DROPPED_MIN, 2 * orderEvents.length),
    );
    if (dropped !== undefined && this.#keepSeconds > 0 && from !== undefined && from <= dropped) {
      startAt(dropped + 1);
    }
    return writes;
  }

  stepped(): void {
    this.#last = this.#nextLast;
  }

  /** Returns the ledger of the last row that goes. */
  #drops(writes: Write[], upTo: number, limit: number): number | undefined {
    let dropped: number | undefined;
    const { orderEvents, orderEventIndex } = this.#tables;
    for (const { key, value } of this.#snapshot.rows(orderEvents, { limit })) {
      const id = readPosition(key, 0);
      const event = this.#read(id, value);
      if (event.timestamp > upTo) break;
      writes.push({ table: orderEvents, key: positionKey(id) });
      for (const prefix of eventEntries(event, this.#ids)) {
        writes.push({ table: orderEventIndex, key: indexKey(prefix, id) });
      }
      dropped = ledgerOf(id);
    }
    return dropped;
  }

  #read(id: Position, row: Buffer): OrderEvent {
    return readOrderEvent(new RecordReader(row), this.#ids, id, (position) =>
      this.#order(position),
    );
  }

  #order(position: Position): OrderRecord {
    const { live, archive } = this.#tables;
    const key = positionKey(position);
    const row = this.#snapshot.get(live, key) ?? this.#snapshot.get(archive, key);
    if (row === undefined) {
      throw new StoreError("damaged", `the store is damaged: no order at ${position}`);
    }
    return readOrder(new RecordReader(row), this.#ids, position);
  }

  #prefixOf(filter: OrderEventFilter): Buffer | undefined {
    if ("order" in filter) return byOrder(filter.order);
    if ("owner" in filter) {
      const owner = this.#ids.find(filter.owner);
      return owner === undefined ? undefined : byAccount(owner);
    }
    const [one, other] = filter.market.map((asset) => this.#ids.find(asset));
    return one === undefined || other === undefined ? undefined : byPair(one, other);
  }
}
