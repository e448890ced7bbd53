// An order as it is stored. What the API shows is derived from it, so that the answers at one
// ledger and one second are the same however the clock ran in between.
import { type Order, type OrderId, OrderStatus } from "../model/order.ts";
import type { Position } from "../model/position.ts";
import type { AddressIds } from "./address-ids.ts";
import type { RecordReader, RecordWriter } from "./record-bytes.ts";

export const OrderState = {
  live: "live",
  /** Past its expiration by our clock; its entry is still on-chain, so that it can come back. */
  lapsed: "lapsed",
  /** Lapsed, and its id has been given to a new order: final. */
  expired: "expired",
  filled: "filled",
  canceled: "canceled",
} as const;
export type OrderState = (typeof OrderState)[keyof typeof OrderState];

export type OrderRecord = Omit<Order, "status" | "updated"> & {
  readonly state: OrderState;
  /** Close time of the ledger that last changed it, UNIX seconds. */
  readonly changed: number;
};

const STATUS_OF = {
  live: OrderStatus.active,
  lapsed: OrderStatus.expired,
  expired: OrderStatus.expired,
  filled: OrderStatus.filled,
  canceled: OrderStatus.canceled,
} as const satisfies Record<OrderState, OrderStatus>;

const STATES = Object.values(OrderState);

/** An order whose entry is on-chain, as far as events tell. */
export function isOnChain(record: OrderRecord): boolean {
  return record.state === OrderState.live || record.state === OrderState.lapsed;
}

export function toOrder(record: OrderRecord): Order {
  const status = STATUS_OF[record.state];
  return {
    id: record.id,
    status,
    owner: record.owner,
    selling: record.selling,
    buying: record.buying,
    price: record.price,
    quote: record.quote,
    amount: record.amount,
    expires: record.expires,
    created: record.created,
    updated: status === OrderStatus.expired ? record.expires : record.changed,
    cursor: record.cursor,
  };
}

export function writeOrder(writer: RecordWriter, ids: AddressIds, record: OrderRecord): Buffer {
  return writer
    .byte(STATES.indexOf(record.state))
    .uint(record.id)
    .uint32(ids.idOf(record.owner))
    .uint32(ids.idOf(record.selling))
    .uint32(ids.idOf(record.buying))
    .uint(record.price)
    .uint(record.quote)
    .uint(record.amount)
    .count(record.expires)
    .count(record.created)
    .count(record.changed)
    .take();
}

/** `cursor` is the record's key. */
export function readOrder(reader: RecordReader, ids: AddressIds, cursor: Position): OrderRecord {
  const state = STATES[reader.byte()] ?? OrderState.live;
  return {
    state,
    id: reader.uint() as OrderId,
    owner: ids.addressOf(reader.uint32()),
    selling: ids.addressOf(reader.uint32()),
    buying: ids.addressOf(reader.uint32()),
    price: reader.uint(),
    quote: reader.uint(),
    amount: reader.uint(),
    expires: reader.count(),
    created: reader.count(),
    changed: reader.count(),
    cursor,
  };
}
