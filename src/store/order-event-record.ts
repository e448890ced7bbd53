// A row of the order events. The order's tokens, owner and id are read from its record, which is kept for ever.
import type { EventOrder, NewOrderEvent, OrderEvent } from "../model/order-event.ts";
import { ORDER_CAUSES } from "../model/order-event.ts";
import type { Position } from "../model/position.ts";
import type { AddressIds } from "./address-ids.ts";
import { byAccount, byPair } from "./index-entries.ts";
import { indexPrefix, orderKey } from "./keys.ts";
import type { OrderRecord } from "./order-record.ts";
import type { RecordReader, RecordWriter } from "./record-bytes.ts";

/** First byte: a cause, or BUDGET; then what follows. */
const CAUSE_BITS = 0x07;
const BUDGET = 0x07;
const IS_LIVE = 0x08;
const HAS_BEFORE = 0x10;
const HAS_AFTER = 0x20;

const BY_ORDER = 8;
const IN_LEDGER_BITS = 48n;
const IN_LEDGER = (1n << IN_LEDGER_BITS) - 1n;

export function byOrder(id: bigint): Buffer {
  return Buffer.concat([indexPrefix(BY_ORDER), orderKey(id)]);
}

export function eventId(ledger: number, number: bigint): Position {
  return ((BigInt(ledger) << IN_LEDGER_BITS) | number) as Position;
}

export function ledgerOf(id: Position): number {
  return Number(id >> IN_LEDGER_BITS);
}

export function eventEntries(event: NewOrderEvent, ids: AddressIds): readonly Buffer[] {
  if (event.type === "budget") return [byAccount(ids.idOf(event.owner))];
  const { id, owner, selling, buying } = event.order;
  return [byOrder(id), byAccount(ids.idOf(owner)), byPair(ids.idOf(selling), ids.idOf(buying))];
}

export function writeOrderEvent(
  writer: RecordWriter,
  ids: AddressIds,
  event: NewOrderEvent,
): Buffer {
  const { before } = event;
  const hasBefore = before === undefined ? 0 : HAS_BEFORE;
  if (event.type === "budget") {
    const { owner, asset, budget } = event;
    writer.byte(BUDGET | hasBefore | (budget === undefined ? 0 : HAS_AFTER)).count(event.timestamp);
    writer.uint32(ids.idOf(owner)).uint32(ids.idOf(asset));
    if (event.before !== undefined) writer.uint(event.before);
    if (budget !== undefined) writer.uint(budget);
    return writer.take();
  }
  const { order, trade } = event;
  const cause = ORDER_CAUSES.indexOf(event.cause);
  const hasTrade = trade === undefined ? 0 : HAS_AFTER;
  writer
    .byte(cause | (event.isLive ? IS_LIVE : 0) | hasBefore | hasTrade)
    .count(event.timestamp)
    .uint(order.cursor)
    .uint(order.price)
    .uint(order.amount)
    .count(order.expires);
  if (event.before !== undefined) {
    writer.uint(event.before.price).uint(event.before.amount).count(event.before.expires);
  }
  // The trade is of the same ledger.
  if (trade !== undefined) writer.uint(trade & IN_LEDGER);
  return writer.take();
}

/** `id` is the row's key; `orderAt` reads the order created at a position. */
export function readOrderEvent(
  reader: RecordReader,
  ids: AddressIds,
  id: Position,
  orderAt: (position: Position) => OrderRecord,
): OrderEvent {
  const first = reader.byte();
  const common = { id, ledger: ledgerOf(id), timestamp: reader.count() };
  const [hasBefore, hasAfter] = [(first & HAS_BEFORE) !== 0, (first & HAS_AFTER) !== 0];
  if ((first & CAUSE_BITS) === BUDGET) {
    const owner = ids.addressOf(reader.uint32());
    const asset = ids.addressOf(reader.uint32());
    return {
      ...{ ...common, type: "budget", owner, asset },
      ...(hasBefore && { before: reader.uint() }),
      ...(hasAfter && { budget: reader.uint() }),
    };
  }
  const cause = ORDER_CAUSES[first & CAUSE_BITS] ?? "update";
  const cursor = reader.uint() as Position;
  const terms = () => ({ price: reader.uint(), amount: reader.uint(), expires: reader.count() });
  const after = terms();
  const { id: order, owner, selling, buying } = orderAt(cursor);
  const eventOrder: EventOrder = { id: order, owner, selling, buying, cursor, ...after };
  return {
    ...{ ...common, type: "order", cause, order: eventOrder, isLive: (first & IS_LIVE) !== 0 },
    ...(hasBefore && { before: terms() }),
    ...(hasAfter && { trade: eventId(common.ledger, reader.uint()) }),
  };
}
