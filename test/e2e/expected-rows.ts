// What the API has to serve, worked out from the exchange's own record of events alone, by the
// rules of the API document: an implementation of its own, slow and plain.
import { utcText } from "../../src/model/clock.ts";
import type { OrderId } from "../../src/model/order.ts";
import { positionParts } from "../../src/model/position.ts";
import type { RecordedEvent } from "../support/recorded-devnet.ts";
import type { Row } from "./api-client.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Trade = Extract<RecordedEvent["event"], { readonly kind: "trade" }>;

type Known = Mutable<{
  readonly id: OrderId;
  readonly cursor: bigint;
  readonly fields: { owner: string; selling: string; buying: string };
  price: bigint;
  quote: bigint;
  amount: bigint;
  expires: bigint;
  created: number;
  updated: number;
  status: string;
}>;

export type ExpectedRows = {
  /** Oldest first. */
  readonly live: readonly Row[];
  /** Newest first. */
  readonly archived: readonly Row[];
  readonly trades: readonly Row[];
};

/** `now`: UNIX seconds, the service's clock. */
export function expectedRows(events: readonly RecordedEvent[], now: number): ExpectedRows {
  const orders = foldOrders(events);
  for (const order of orders) {
    if (order.status !== "ACTIVE" || order.expires === 0n || order.expires > now) continue;
    order.status = "EXPIRED";
    order.updated = Number(order.expires);
  }
  const live = orders.filter(({ status }) => status === "ACTIVE");
  const archived = orders.filter(({ status }) => status !== "ACTIVE").reverse();
  return {
    live: live.map(orderRow),
    archived: archived.map(orderRow),
    trades: tradeRows(events).reverse(),
  };
}

/** Every order ever made, oldest first, as the last event left it. */
function foldOrders(events: readonly RecordedEvent[]): Known[] {
  const orders: Known[] = [];
  const current = new Map<OrderId, Known>();
  for (const { position, timestamp, event } of events) {
    switch (event.kind) {
      case "new": {
        const { id, owner, selling, buying, price, amount, expires } = event;
        const former = current.get(id);
        // Its entry had expired: the row stays as it is.
        if (former?.status === "ACTIVE") {
          former.status = "EXPIRED";
          former.updated = Number(former.expires);
        }
        const order = {
          id,
          cursor: position,
          fields: { owner, selling, buying },
          price,
          quote: amount,
          amount,
          expires,
          created: timestamp,
          updated: timestamp,
          status: "ACTIVE",
        };
        orders.push(order);
        current.set(id, order);
        break;
      }
      case "mod": {
        const order = current.get(event.id);
        if (order === undefined) break;
        order.updated = timestamp;
        // A removed order keeps what it still had.
        if (event.amount === 0n) order.status = "CANCELED";
        else
          Object.assign(order, {
            price: event.price,
            amount: event.amount,
            expires: event.expires,
          });
        break;
      }
      case "trade": {
        const order = current.get(event.order);
        if (order === undefined) break;
        order.amount = event.left;
        order.updated = timestamp;
        if (event.left === 0n) order.status = "FILLED";
        break;
      }
      case "swap":
      case "skip":
      case "refresh":
      case "freeze":
      case "config":
        break;
    }
  }
  return orders;
}

function orderRow(order: Known): Row {
  const { id, cursor, fields, price, quote, amount, expires, created, updated, status } = order;
  return {
    id: String(id),
    status,
    selling: fields.selling,
    buying: fields.buying,
    price: String(price),
    rprice: Number(price) / 1e18,
    quote: String(quote),
    amount: String(amount),
    owner: fields.owner,
    ...(expires === 0n ? {} : { expires: utcText(Number(expires)) }),
    created: utcText(created),
    updated: utcText(updated),
    cursor: String(cursor),
  };
}

function tradeRows(events: readonly RecordedEvent[]): Row[] {
  const rows: Row[] = [];
  /** Fills of the transaction since the last event that closes a call. */
  let fills: Trade[] = [];
  let transaction = "";
  for (const { position, timestamp, event } of events) {
    const { ledger, transaction: order } = positionParts(position);
    if (transaction !== `${ledger}/${order}`) fills = [];
    transaction = `${ledger}/${order}`;
    if (event.kind === "trade") {
      const crossfill = isCrossfill(event, fills);
      fills = crossfill ? [] : [...fills, event];
      rows.push(tradeRow(position, timestamp, event, crossfill));
    } else if (event.kind === "swap") {
      fills = [];
      rows.push({
        type: "swap",
        id: String(position),
        trader: event.trader,
        soldAsset: event.selling,
        boughtAsset: event.buying,
        sold: String(event.sold),
        bought: String(event.bought),
        price: Number(event.bought) / Number(event.sold),
        cursor: String(position),
        timestamp: utcText(timestamp),
      });
    }
  }
  return rows;
}

/** contract.md, crossfill: fills whose taker is its maker, reversed, that add up to what it paid. */
function isCrossfill(own: Trade, fills: readonly Trade[]): boolean {
  const mirrored = fills.filter(
    ({ taker, selling, buying }) =>
      taker === own.maker && selling === own.buying && buying === own.selling,
  );
  const paid = mirrored.reduce((sum, { sold }) => sum + sold, 0n);
  return mirrored.length > 0 && paid === own.bought;
}

function tradeRow(position: bigint, timestamp: number, event: Trade, crossfill: boolean): Row {
  return {
    type: "trade",
    id: String(position),
    order: String(event.order),
    taker: event.taker,
    maker: event.maker,
    soldAsset: event.selling,
    boughtAsset: event.buying,
    sold: String(event.sold),
    bought: String(event.bought),
    left: String(event.left),
    ...(crossfill ? { crossfill: true } : {}),
    price: Number(event.bought) / Number(event.sold),
    cursor: String(position),
    timestamp: utcText(timestamp),
  };
}
