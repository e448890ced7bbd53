// Rows of the order events. A row is a block of the events of one ledger and step; its key is the first one's id, and
// they are numbered from there. An order's tokens, owner and id are read from its record, which is kept as long.
//
// Stores that earlier versions wrote have rows of one event, without what was known of the order before it.
import type { Address } from "../model/address.ts";
import type { EventOrder, NewOrderEvent, OrderEvent } from "../model/order-event.ts";
import { ORDER_CAUSES } from "../model/order-event.ts";
import {
  ledgerOf,
  ledgerStart,
  type Position,
  position,
  positionParts,
} from "../model/position.ts";
import type { AddressIds } from "./address-ids.ts";
import { byAccount, byPair } from "./index-entries.ts";
import { indexPrefix, orderKey } from "./keys.ts";
import type { OrderRecord } from "./order-record.ts";
import type { RecordReader, RecordWriter } from "./record-bytes.ts";

/** First byte of a block. */
const BLOCK = 0x80;
const BEGINS_STEP = 0x40;

/** First byte of an event: a cause, or BUDGET; then what follows. */
const CAUSE_BITS = 0x07;
const BUDGET = 0x07;
const IS_LIVE = 0x08;
const WAS_LIVE = 0x10;
const PRICE_BEFORE = 0x20;
const AMOUNT_BEFORE = 0x40;
const EXPIRES_BEFORE = 0x80;
/** Of a budget, and in rows of one event. */
const HAS_BEFORE = 0x10;
const HAS_AFTER = 0x20;

const BY_ORDER = 8;
const SAFE_MAX = Number.MAX_SAFE_INTEGER;

export function byOrder(id: bigint): Buffer {
  return Buffer.concat([indexPrefix(BY_ORDER), orderKey(id)]);
}

function eventId(ledger: number, number: bigint): Position {
  return (ledgerStart(ledger) | number) as Position;
}

export function eventEntries(event: EventSubject, ids: AddressIds): readonly Buffer[] {
  if (event.type === "budget") return [byAccount(ids.idOf(event.owner))];
  const { id, owner, selling, buying } = event.order;
  return [byOrder(id), byAccount(ids.idOf(owner)), byPair(ids.idOf(selling), ids.idOf(buying))];
}

/** Reads the order created at a position. */
type OrderAt = (position: Position) => OrderRecord;

/** A row's events, each decoded when it is asked for. */
export type EventBlock = {
  /** The row's key, and the first event's id. */
  readonly id: Position;
  readonly count: number;
  readonly timestamp: number;
  /** Undefined where it has no such event. */
  read(id: Position, orderAt: OrderAt): OrderEvent | undefined;
  /** What lists have it by: at a fraction of `read`. */
  subject(id: Position, orderAt: OrderAt): EventSubject | undefined;
};

/** Whose event it is: an order's, or the owner's of a budget. */
export type EventSubject =
  | {
      readonly type: "order";
      readonly order: Pick<EventOrder, "id" | "owner" | "selling" | "buying">;
    }
  | { readonly type: "budget"; readonly owner: Address };

/** The events begin behind it. */
export function writeBlockHead(
  writer: RecordWriter,
  { timestamp, beginsStep }: { readonly timestamp: number; readonly beginsStep: boolean },
): void {
  writer.byte(BLOCK | (beginsStep ? BEGINS_STEP : 0)).count(timestamp);
}

/** Appends an event of the block's ledger. */
export function writeBlockEvent(writer: RecordWriter, ids: AddressIds, event: NewOrderEvent): void {
  const { timestamp } = event;
  if (event.type === "budget") {
    const { before, budget } = event;
    const hasBefore = before === undefined ? 0 : HAS_BEFORE;
    writer.byte(BUDGET | hasBefore | (budget === undefined ? 0 : HAS_AFTER));
    writer.count(ids.idOf(event.owner)).count(ids.idOf(event.asset));
    if (before !== undefined) writer.uint(before);
    if (budget !== undefined) writer.uint(budget);
    return;
  }
  const { cause, order, isLive, wasLive, before, trade } = event;
  const changed = (member: "price" | "amount" | "expires", flag: number) =>
    before === undefined || before[member] === order[member] ? 0 : flag;
  const flags =
    ORDER_CAUSES.indexOf(cause) |
    (isLive ? IS_LIVE : 0) |
    (wasLive === true ? WAS_LIVE : 0) |
    changed("price", PRICE_BEFORE) |
    changed("amount", AMOUNT_BEFORE) |
    changed("expires", EXPIRES_BEFORE);
  // An order is never younger than its event.
  writer.byte(flags).count(event.ledger - ledgerOf(order.cursor));
  writeInLedger(writer, order.cursor);
  writer.uint(order.price).uint(order.amount);
  writeExpires(writer, order.expires, timestamp);
  if (before !== undefined) {
    // Left out where a source had time run backwards.
    writer.count(before.updated === undefined ? 0 : Math.max(0, 1 + timestamp - before.updated));
    if (flags & PRICE_BEFORE) writer.uint(before.price);
    if (flags & AMOUNT_BEFORE) writer.uint(before.amount);
    if (flags & EXPIRES_BEFORE) writeExpires(writer, before.expires, timestamp);
  }
  // The trade is of the same ledger.
  if (trade !== undefined) writeInLedger(writer, trade);
}

/** `id` is the row's key. */
export function readBlock(reader: RecordReader, ids: AddressIds, id: Position): EventBlock {
  const first = reader.byte();
  const timestamp = reader.count();
  if ((first & BLOCK) === 0) {
    const read = (of: Position, orderAt: OrderAt) => {
      if (of !== id) return undefined;
      reader.goTo(0);
      return readSingle(reader, ids, { id, orderAt });
    };
    return { id, count: 1, timestamp, read, subject: read };
  }
  const offsets: number[] = [];
  while (!reader.isAtEnd) {
    offsets.push(reader.offset);
    skipEvent(reader);
  }
  const read = (of: Position, orderAt: OrderAt) => {
    const offset = offsets[Number(of - id)];
    if (offset === undefined) return undefined;
    reader.goTo(offset);
    const beginsStep = of === id && (first & BEGINS_STEP) !== 0;
    return readBlockEvent(reader, ids, { id: of, timestamp, beginsStep, orderAt });
  };
  const subject = (of: Position, orderAt: OrderAt): EventSubject | undefined => {
    const offset = offsets[Number(of - id)];
    if (offset === undefined) return undefined;
    reader.goTo(offset);
    if (ORDER_CAUSES[reader.byte() & CAUSE_BITS] === undefined) {
      return { type: "budget", owner: ids.addressOf(reader.count()) };
    }
    return { type: "order", order: orderAt(readOrderPosition(reader, ledgerOf(id))) };
  };
  return { id, count: offsets.length, timestamp, read, subject };
}

type Head = Pick<OrderEvent, "id" | "timestamp" | "beginsStep"> & { readonly orderAt: OrderAt };

/** Of an event of the ledger: behind its first byte. */
function readOrderPosition(reader: RecordReader, ledger: number): Position {
  return eventId(ledger - reader.count(), readInLedger(reader));
}

function skipEvent(reader: RecordReader): void {
  const flags = reader.byte();
  const cause = ORDER_CAUSES[flags & CAUSE_BITS];
  const counts = (count: number) => {
    for (let at = 0; at < count; at += 1) reader.count();
  };
  if (cause === undefined) {
    counts(2);
    if (flags & HAS_BEFORE) reader.skipUint();
    if (flags & HAS_AFTER) reader.skipUint();
    return;
  }
  counts(4);
  reader.skipUint();
  reader.skipUint();
  reader.count();
  if (cause !== "new") {
    reader.count();
    if (flags & PRICE_BEFORE) reader.skipUint();
    if (flags & AMOUNT_BEFORE) reader.skipUint();
    if (flags & EXPIRES_BEFORE) reader.count();
  }
  if (cause === "fill" || cause === "filled") counts(3);
}

function readBlockEvent(
  reader: RecordReader,
  ids: AddressIds,
  { orderAt, ...head }: Head,
): OrderEvent {
  const { id, timestamp } = head;
  const ledger = ledgerOf(id);
  const flags = reader.byte();
  const cause = ORDER_CAUSES[flags & CAUSE_BITS];
  if (cause === undefined) {
    const [owner, asset] = [ids.addressOf(reader.count()), ids.addressOf(reader.count())];
    return {
      ...{ ...head, ledger, type: "budget", owner, asset },
      ...((flags & HAS_BEFORE) !== 0 && { before: reader.uint() }),
      ...((flags & HAS_AFTER) !== 0 && { budget: reader.uint() }),
    };
  }
  const cursor = readOrderPosition(reader, ledger);
  const [price, amount] = [reader.uint(), reader.uint()];
  const after = { price, amount, expires: readExpires(reader, timestamp) };
  const before = cause === "new" ? undefined : termsBefore(reader, { flags, timestamp, after });
  const hasTrade = cause === "fill" || cause === "filled";
  const trade = hasTrade ? eventId(ledger, readInLedger(reader)) : undefined;
  return {
    ...{ ...head, ledger, type: "order", cause, order: { ...fixedOf(orderAt(cursor)), ...after } },
    ...{ isLive: (flags & IS_LIVE) !== 0, wasLive: (flags & WAS_LIVE) !== 0 },
    ...(before && { before }),
    ...(trade && { trade }),
  };
}

type Terms = Pick<EventOrder, "price" | "amount" | "expires">;

function termsBefore(
  reader: RecordReader,
  {
    flags,
    timestamp,
    after,
  }: { readonly flags: number; readonly timestamp: number; readonly after: Terms },
) {
  const age = reader.count();
  return {
    ...(age > 0 && { updated: timestamp - (age - 1) }),
    price: (flags & PRICE_BEFORE) === 0 ? after.price : reader.uint(),
    amount: (flags & AMOUNT_BEFORE) === 0 ? after.amount : reader.uint(),
    expires: (flags & EXPIRES_BEFORE) === 0 ? after.expires : readExpires(reader, timestamp),
  };
}

function fixedOf({ id, owner, selling, buying, cursor }: OrderRecord) {
  return { id, owner, selling, buying, cursor };
}

/** Transaction, operation and index (position.ts), which are small numbers. */
function writeInLedger(writer: RecordWriter, position: Position): void {
  const { transaction, operation, index } = positionParts(position);
  writer.count(transaction).count(operation).count(index);
}

function readInLedger(reader: RecordReader): bigint {
  const of = { ledger: 0, transaction: reader.count(), operation: reader.count() };
  return position({ ...of, index: reader.count() });
}

/** 0 for none, odd for seconds after the event's time, even for a time. A u64 beyond 2^53 stays as the number is. */
function writeExpires(writer: RecordWriter, expires: number, timestamp: number): void {
  const isNear = expires >= timestamp && expires <= SAFE_MAX / 2;
  writer.count(isNear ? 2 * (expires - timestamp) + 1 : 2 * expires);
}

function readExpires(reader: RecordReader, timestamp: number): number {
  const count = reader.count();
  return count % 2 === 1 ? timestamp + (count - 1) / 2 : count / 2;
}

/** A row of one event, as versions before the blocks wrote it. */
function readSingle(
  reader: RecordReader,
  ids: AddressIds,
  { id, orderAt }: { readonly id: Position; readonly orderAt: OrderAt },
): OrderEvent {
  const first = reader.byte();
  const head = { id, ledger: ledgerOf(id), timestamp: reader.count(), beginsStep: false };
  const [hasBefore, hasAfter] = [(first & HAS_BEFORE) !== 0, (first & HAS_AFTER) !== 0];
  const cause = ORDER_CAUSES[first & CAUSE_BITS];
  if (cause === undefined) {
    const [owner, asset] = [ids.addressOf(reader.uint32()), ids.addressOf(reader.uint32())];
    return {
      ...{ ...head, type: "budget", owner, asset },
      ...(hasBefore && { before: reader.uint() }),
      ...(hasAfter && { budget: reader.uint() }),
    };
  }
  const cursor = reader.uint() as Position;
  const terms = () => ({ price: reader.uint(), amount: reader.uint(), expires: reader.count() });
  const after = terms();
  const before = hasBefore ? terms() : undefined;
  return {
    ...{ ...head, type: "order", cause, order: { ...fixedOf(orderAt(cursor)), ...after } },
    isLive: (first & IS_LIVE) !== 0,
    ...(before && { before }),
    ...(hasAfter && { trade: eventId(head.ledger, reader.uint()) }),
  };
}
