// The order events of a store: changes of orders and of the budgets behind them, in chain order. Main thread.
import type { NewOrderEvent, OrderEvent, OrderEventFilter } from "../model/order-event.ts";
import { ledgerOf, ledgerStart, POSITION_MAX, type Position } from "../model/position.ts";
import type { NewestPage } from "./history.ts";
import { positionKey, readPosition } from "./keys.ts";
import { OrderEventIndex, type PastEvent } from "./order-event-index.ts";
import {
  type EventBlock,
  readBlock,
  writeBlockEvent,
  writeBlockHead,
} from "./order-event-record.ts";
import { type OrderRecord, readOrder } from "./order-record.ts";
import { RecordReader, RecordWriter } from "./record-bytes.ts";
import type { StepRecord } from "./step-record.ts";
import type { Write } from "./step-writes.ts";
import { StoreError } from "./store-error.ts";
import type { StoreParts } from "./store-parts.ts";
import { META_ORDER_EVENTS } from "./tables.ts";

/** Events dropped by a commit at most: at least twice what it adds, so that the old ones get fewer. */
const DROPPED_MIN = 200;
/** Rows read at once of those that go: about as many as `DROPPED_MIN` events take. */
const DROPPED_ROWS = 16;
/**
 * Bytes after which a block ends (choice): a page of lmdb holds eight and little is left over, and an event is found
 * among some fifteen.
 */
const BLOCK_BYTES = 440;
const ROWS_AT_ONCE = 64;
const START = 0n as Position;

export class OrderEvents {
  readonly #parts: StoreParts;
  /** Infinity: for ever; 0: none are kept. */
  readonly #keepSeconds: number;
  readonly #index: OrderEventIndex;
  readonly #writer = new RecordWriter();
  #last: Position;
  /** Of a commit in progress: its last id, and how many events it adds. */
  #nextLast: Position;
  #added = 0;
  /** By commits of this run, stored or to be repeated. */
  #droppedUpTo = START;

  /** `pendingEvents`: order-event-index.ts. */
  constructor(
    parts: StoreParts,
    { keepSeconds, pendingEvents }: { keepSeconds: number; pendingEvents?: number | undefined },
  ) {
    this.#parts = parts;
    this.#keepSeconds = keepSeconds;
    const newest = this.#blockAt(POSITION_MAX);
    this.#last = newest === undefined ? START : lastOf(newest);
    this.#nextLast = this.#last;
    const eventsFrom = (first: Position) => this.#eachFrom(first);
    this.#index = new OrderEventIndex(parts, eventsFrom, pendingEvents);
  }

  /** The first ledger from which every event is there; undefined while none are kept. */
  completeFrom(): number | undefined {
    const bytes = this.#parts.snapshot.get(this.#parts.tables.meta, META_ORDER_EVENTS);
    return bytes && new RecordReader(bytes).count();
  }

  /** What `list` and the first commit of a run read otherwise, in portions. Throws a StoreError of a damaged store. */
  load(): Generator<void, void> {
    return this.#index.load();
  }

  /** Newest first. */
  list(
    filter: OrderEventFilter,
    { before = POSITION_MAX, limit }: NewestPage,
  ): readonly OrderEvent[] {
    const events: OrderEvent[] = [];
    let block: EventBlock | undefined;
    for (const id of this.#index.list(filter, { before, limit })) {
      if (events.length === limit) break;
      // Neighbours in a list are often of one block.
      if (block === undefined || id < block.id) block = this.#blockAt(id);
      const event = block && this.#read(block, id);
      if (event === undefined) {
        const [oldest] = this.#blocks(START, 1);
        // The oldest of a list can have been dropped before the others.
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

  /** What a step adds and what has become too old, in portions of some events. `stepped` follows once it is stored. */
  *writes(writes: Write[], { cursor, orderEvents }: StepRecord): Generator<void, void> {
    const { meta } = this.#parts.tables;
    const from = this.completeFrom();
    const startAt = (ledger: number) => {
      const value = new RecordWriter().count(ledger).take();
      writes.push({ table: meta, key: META_ORDER_EVENTS, value });
    };
    this.#added = 0;
    this.#nextLast = this.#last;
    if (this.#keepSeconds === 0) {
      if (from !== undefined) writes.push({ table: meta, key: META_ORDER_EVENTS });
    } else if (from !== undefined || cursor !== undefined) {
      if (from === undefined && cursor !== undefined) {
        startAt(Math.min(orderEvents[0]?.ledger ?? cursor.ledger, cursor.ledger));
      }
      this.#added = orderEvents.length;
      yield* this.#index.begin();
      yield* this.#add(writes, orderEvents);
    }
    const drops = cursor !== undefined && this.#keepSeconds !== Number.POSITIVE_INFINITY;
    if (drops && this.#index.isShown) {
      const upTo = cursor.closeTime - this.#keepSeconds;
      const dropped = yield* this.#drops(writes, {
        upTo,
        limit: Math.max(DROPPED_MIN, 2 * this.#added),
      });
      if (dropped !== undefined) {
        this.#droppedUpTo = dropped;
        const ledger = ledgerOf(dropped);
        if (this.#keepSeconds > 0 && from !== undefined && from <= ledger) startAt(ledger + 1);
      }
    }
    if (this.#added === 0) return;
    const [added, last, droppedUpTo] = [this.#added, this.#nextLast, this.#droppedUpTo];
    yield* this.#index.writes(writes, { added, last, droppedUpTo });
  }

  stepped(): void {
    this.#last = this.#nextLast;
    if (this.#added > 0) this.#index.stored();
  }

  /** What was stored is what is read from now on. */
  shown(): void {
    this.#index.shown();
  }

  /** What is read from now on was written by another thread or process. */
  forget(): void {
    this.#index.forget();
  }

  /** The blocks of a step, in chain order. */
  *#add(writes: Write[], events: readonly NewOrderEvent[]): Generator<void, void> {
    const writer = this.#writer;
    // What is left of a step that failed.
    writer.take();
    let block: { readonly id: Position; readonly ledger: number } | undefined;
    const end = () => {
      if (block === undefined) return;
      const key = positionKey(block.id);
      writes.push({ table: this.#parts.tables.orderEvents, key, value: writer.take() });
    };
    for (const event of events) {
      const isFirst = block === undefined;
      if (block?.ledger !== event.ledger) {
        const start = ledgerStart(event.ledger);
        if (this.#nextLast < start) this.#nextLast = start;
      }
      const id = (this.#nextLast + 1n) as Position;
      this.#nextLast = id;
      if (block === undefined || block.ledger !== event.ledger || writer.length >= BLOCK_BYTES) {
        end();
        yield;
        writeBlockHead(writer, { timestamp: event.timestamp, beginsStep: isFirst });
        block = { id, ledger: event.ledger };
      }
      writeBlockEvent(writer, this.#parts.ids, event);
      this.#index.add(id, event);
    }
    end();
  }

  *#eachFrom(first: Position): Generator<PastEvent> {
    const orders = new Map<Position, OrderRecord>();
    const orderAt = (position: Position) => {
      const order = orders.get(position) ?? this.#order(position);
      orders.set(position, order);
      return order;
    };
    let after = ((this.#blockAt(first)?.id ?? first) - 1n) as Position;
    for (;;) {
      const blocks = this.#blocks(after, ROWS_AT_ONCE);
      for (const block of blocks) {
        after = block.id;
        for (let id = block.id; ; id = (id + 1n) as Position) {
          const event = block.subject(id, orderAt);
          if (event === undefined) break;
          if (id >= first) yield { id, event };
        }
      }
      if (blocks.length < ROWS_AT_ONCE) return;
    }
  }

  /** Returns the last event that goes. In portions of a block, and of some lists. */
  *#drops(
    writes: Write[],
    { upTo, limit }: { readonly upTo: number; readonly limit: number },
  ): Generator<void, Position | undefined> {
    let last: Position | undefined;
    const events: OrderEvent[] = [];
    for (const block of this.#oldest()) {
      if (events.length >= limit || block.timestamp > upTo) break;
      writes.push({ table: this.#parts.tables.orderEvents, key: positionKey(block.id) });
      last = lastOf(block);
      for (let id = block.id; id <= last; id = (id + 1n) as Position) {
        const event = this.#read(block, id);
        if (event !== undefined) events.push(event);
      }
      yield;
    }
    if (last !== undefined) yield* this.#index.drops(writes, events, last);
    return last;
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
    const [row] = this.#parts.snapshot.entries(this.#parts.tables.orderEvents, range);
    return row && this.#block(row);
  }

  /** Oldest first, above the position (exclusive). */
  #blocks(after: Position, limit: number): readonly EventBlock[] {
    const rows = this.#parts.snapshot.rows(this.#parts.tables.orderEvents, { after, limit });
    return rows.map((row) => this.#block(row));
  }

  #block({ key, value }: { readonly key: Buffer; readonly value: Buffer }): EventBlock {
    return readBlock(new RecordReader(value), this.#parts.ids, readPosition(key, 0));
  }

  #read(block: EventBlock, id: Position): OrderEvent | undefined {
    return block.read(id, (position) => this.#order(position));
  }

  #order(position: Position): OrderRecord {
    const { live, archive } = this.#parts.tables;
    const key = positionKey(position);
    const row = this.#parts.snapshot.get(live, key) ?? this.#parts.snapshot.get(archive, key);
    if (row === undefined) {
      throw new StoreError("damaged", `the store is damaged: no order at ${position}`);
    }
    return readOrder(new RecordReader(row), this.#parts.ids, position);
  }
}

function lastOf({ id, count }: EventBlock): Position {
  return (id + BigInt(count - 1)) as Position;
}
