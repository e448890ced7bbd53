// The order events of a store: changes of orders and of the budgets behind them, in chain order. Main thread.
import type { NewOrderEvent, OrderEvent, OrderEventFilter } from "../model/order-event.ts";
import { POSITION_MAX, type Position } from "../model/position.ts";
import type { AddressIds } from "./address-ids.ts";
import { byAccount, byPair } from "./index-entries.ts";
import { positionKey, readPosition } from "./keys.ts";
import { knownPostings, NewPostings, newestIds } from "./order-event-postings.ts";
import {
  byOrder,
  type EventBlock,
  eventEntries,
  eventId,
  ledgerOf,
  readBlock,
  writeBlockEvent,
  writeBlockHead,
} from "./order-event-record.ts";
import { type OrderRecord, readOrder } from "./order-record.ts";
import { RecordReader, RecordWriter } from "./record-bytes.ts";
import type { Snapshot } from "./snapshot.ts";
import type { StepRecord } from "./step-record.ts";
import type { Write } from "./step-writes.ts";
import { StoreError } from "./store-error.ts";
import { META_ORDER_EVENTS, type Tables } from "./tables.ts";

/** Events dropped by a commit at most: at least twice what it adds, so that the old ones get fewer. */
const DROPPED_MIN = 200;
/** Rows read at once of those that go: about as many as `DROPPED_MIN` events take. */
const DROPPED_ROWS = 16;
/**
 * Bytes after which a block ends (choice): a page of lmdb holds eight and little is left over, and an event is found
 * among some fifteen.
 */
const BLOCK_BYTES = 440;
/** Rows read at once. */
const ROWS_AT_ONCE = 64;
const START = 0n as Position;

export class OrderEvents {
  readonly #tables: Tables;
  readonly #snapshot: Snapshot;
  readonly #ids: AddressIds;
  /** Infinity: for ever; 0: none are kept. */
  readonly #keepSeconds: number;
  #last: Position;
  readonly #known = knownPostings();
  /** Of a commit in progress. */
  #nextLast: Position;
  #postings: NewPostings | undefined;

  constructor(tables: Tables, snapshot: Snapshot, ids: AddressIds, keepSeconds: number) {
    this.#tables = tables;
    this.#snapshot = snapshot;
    this.#ids = ids;
    this.#keepSeconds = keepSeconds;
    const newest = this.#blockAt(POSITION_MAX);
    this.#last = newest === undefined ? START : lastOf(newest);
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
    { before, limit }: { readonly before?: Position; readonly limit: number },
  ): readonly OrderEvent[] {
    const prefix = this.#prefixOf(filter);
    if (prefix === undefined) return [];
    const events: OrderEvent[] = [];
    let block: EventBlock | undefined;
    const range = { prefix, before, limit };
    for (const id of newestIds(this.#snapshot, this.#tables.orderEventIndex, range)) {
      if (events.length === limit) break;
      // Neighbours in a list are often of one block.
      if (block === undefined || id < block.id) block = this.#blockAt(id);
      const event = block && this.#read(block, id);
      if (event === undefined) {
        const [oldest] = this.#blocks(START, 1);
        // The oldest of a posting can have been dropped before the others.
        if (oldest === undefined || id < oldest.id) break;
        throw new StoreError("damaged", `the store is damaged: no order event ${id}`);
      }
      events.push(event);
    }
    return events;
  }

  /** Oldest first, of every order and owner, above the position (exclusive). */
  from(after: Position, limit: number): readonly OrderEvent[] {
    const events: OrderEvent[] = [];
    const take = (block: EventBlock) => {
      let id = after < block.id ? block.id : ((after + 1n) as Position);
      for (; events.length < limit; id = (id + 1n) as Position) {
        const event = this.#read(block, id);
        if (event === undefined) return;
        events.push(event);
      }
    };
    const begun = this.#blockAt(after);
    if (begun !== undefined) take(begun);
    let last = after;
    while (events.length < limit) {
      const blocks = this.#blocks(last, ROWS_AT_ONCE);
      for (const block of blocks) take(block);
      last = blocks.at(-1)?.id ?? last;
      if (blocks.length < ROWS_AT_ONCE) break;
    }
    return events;
  }

  /** What a step adds and what has become too old, in portions of one event. `stepped` follows once it is stored. */
  *writes(writes: Write[], { cursor, orderEvents }: StepRecord): Generator<void, void> {
    const { meta, orderEventIndex } = this.#tables;
    const from = this.completeFrom();
    const postings = new NewPostings(this.#snapshot, orderEventIndex, this.#known);
    this.#postings = postings;
    const startAt = (ledger: number) => {
      const value = new RecordWriter().count(ledger).take();
      writes.push({ table: meta, key: META_ORDER_EVENTS, value });
    };
    let added = 0;
    this.#nextLast = this.#last;
    if (this.#keepSeconds === 0) {
      if (from !== undefined) writes.push({ table: meta, key: META_ORDER_EVENTS });
    } else if (from !== undefined || cursor !== undefined) {
      if (from === undefined && cursor !== undefined) {
        startAt(Math.min(orderEvents[0]?.ledger ?? cursor.ledger, cursor.ledger));
      }
      added = orderEvents.length;
      yield* this.#add(writes, postings, orderEvents);
    }
    if (cursor !== undefined && this.#keepSeconds !== Number.POSITIVE_INFINITY) {
      const upTo = cursor.closeTime - this.#keepSeconds;
      const dropped = this.#drops(writes, postings, {
        upTo,
        limit: Math.max(DROPPED_MIN, 2 * added),
      });
      if (dropped !== undefined && this.#keepSeconds > 0 && from !== undefined && from <= dropped) {
        startAt(dropped + 1);
      }
    }
    for (const write of postings.writes()) writes.push(write);
  }

  stepped(): void {
    this.#last = this.#nextLast;
    this.#postings?.stored();
    this.#postings = undefined;
  }

  /** The blocks of a step, in chain order. */
  *#add(
    writes: Write[],
    postings: NewPostings,
    events: readonly NewOrderEvent[],
  ): Generator<void, void> {
    const writer = new RecordWriter();
    let block: { readonly id: Position; readonly ledger: number } | undefined;
    const end = () => {
      if (block === undefined) return;
      const key = positionKey(block.id);
      writes.push({ table: this.#tables.orderEvents, key, value: writer.take() });
    };
    for (const event of events) {
      const start = eventId(event.ledger, 0n);
      const id = ((this.#nextLast > start ? this.#nextLast : start) + 1n) as Position;
      this.#nextLast = id;
      if (block === undefined || block.ledger !== event.ledger || writer.length >= BLOCK_BYTES) {
        end();
        const { timestamp } = event;
        writeBlockHead(writer, { timestamp, beginsStep: block === undefined });
        block = { id, ledger: event.ledger };
      }
      writeBlockEvent(writer, this.#ids, event);
      const isNew = event.type === "order" && event.cause === "new";
      for (const [at, prefix] of eventEntries(event, this.#ids).entries()) {
        postings.add(prefix, id, isNew && at === 0);
      }
      yield;
    }
    end();
  }

  /** Returns the ledger of the last event that goes. */
  #drops(
    writes: Write[],
    postings: NewPostings,
    { upTo, limit }: { readonly upTo: number; readonly limit: number },
  ): number | undefined {
    let last: Position | undefined;
    let count = 0;
    const prefixes = new Map<string, Buffer>();
    for (const block of this.#oldest()) {
      if (count >= limit || block.timestamp > upTo) break;
      writes.push({ table: this.#tables.orderEvents, key: positionKey(block.id) });
      last = lastOf(block);
      for (let id = block.id; id <= last; id = (id + 1n) as Position) {
        const event = this.#read(block, id);
        for (const prefix of event === undefined ? [] : eventEntries(event, this.#ids)) {
          prefixes.set(prefix.toString("latin1"), prefix);
        }
      }
      count += block.count;
    }
    if (last === undefined) return undefined;
    for (const prefix of prefixes.values()) writes.push(...postings.drops(prefix, last));
    return ledgerOf(last);
  }

  /** Oldest first: one alone, which mostly is not due to go, and then a few at a time. */
  *#oldest(): Iterable<EventBlock> {
    let after = START;
    for (let rows = 1; ; rows = DROPPED_ROWS) {
      const blocks = this.#blocks(after, rows);
      yield* blocks;
      if (blocks.length < rows) return;
      after = blocks.at(-1)?.id ?? after;
    }
  }

  /** The row that an id is in, where there is one. */
  #blockAt(id: Position): EventBlock | undefined {
    const range = { start: positionKey(id), end: positionKey(START), limit: 1 };
    const [row] = this.#snapshot.entries(this.#tables.orderEvents, range);
    return row && this.#block(row);
  }

  /** Oldest first, above the position (exclusive). */
  #blocks(after: Position, limit: number): readonly EventBlock[] {
    const rows = this.#snapshot.rows(this.#tables.orderEvents, { after, limit });
    return rows.map((row) => this.#block(row));
  }

  #block({ key, value }: { readonly key: Buffer; readonly value: Buffer }): EventBlock {
    return readBlock(new RecordReader(value), this.#ids, readPosition(key, 0));
  }

  #read(block: EventBlock, id: Position): OrderEvent | undefined {
    return block.read(id, (position) => this.#order(position));
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

function lastOf({ id, count }: EventBlock): Position {
  return (id + BigInt(count - 1)) as Position;
}
