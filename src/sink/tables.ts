// The tables of the sink: columns, keys, and a row's values. OPERATIONS.md describes them for their users.
//
// Only types and keys that every database with PostgreSQL's protocol has; the first column of each key, the market
// where there is one, is what a table can be sharded by.
import { type Address, canonicalPair, marketKey, type Pair } from "../model/address.ts";
import type { Candle, PriceRatio } from "../model/candle.ts";
import { utcText } from "../model/clock.ts";
import { priceText } from "../model/display.ts";
import type { Failure } from "../model/failure.ts";
import type { Order } from "../model/order.ts";
import type { OrderEvent } from "../model/order-event.ts";
import { ledgerOf, type Position, positionParts } from "../model/position.ts";
import type { Swap, Trade } from "../model/trade.ts";

/** `integer` of other databases has 64 bits, so that none is used. */
export type SqlType = "text" | "bigint" | "numeric" | "numeric[]" | "boolean" | "timestamptz";
/** As the database reads it; null: not there. */
export type SqlValue = string | null;

export type SinkTable<Row> = {
  readonly name: string;
  /** The first so many columns. */
  readonly keyColumns: number;
  readonly columns: readonly {
    readonly name: string;
    readonly type: SqlType;
    readonly isOptional: boolean;
    readonly of: (row: Row) => SqlValue;
  }[];
};

type Value = string | number | bigint | boolean | undefined;
/** Name and type, with "?" behind it where there may be no value. */
type ColumnOf<Row> = readonly [string, `${SqlType}${"" | "?"}`, (row: Row) => Value];

export type OrderRow = Extract<OrderEvent, { readonly type: "order" }>;
export type BudgetRow = Extract<OrderEvent, { readonly type: "budget" }>;
export type CandleRow = {
  readonly pair: Pair;
  readonly resolution: number;
  readonly candle: Candle;
};

export const TRADES = table<Trade>("trades", 5, [
  ["market", "text", (row) => marketOf(row.soldAsset, row.boughtAsset)],
  ...positionColumns<Trade>(({ id }) => id),
  ["closed_at", "timestamptz", (row) => time(row.timestamp)],
  ["order_id", "numeric", (row) => row.order],
  ["taker", "text", (row) => row.taker],
  ["maker", "text", (row) => row.maker],
  ["sold_asset", "text", (row) => row.soldAsset],
  ["bought_asset", "text", (row) => row.boughtAsset],
  ["sold", "numeric", (row) => row.sold],
  ["bought", "numeric", (row) => row.bought],
  ["left_amount", "numeric", (row) => row.left],
  ["crossfill", "boolean", (row) => row.crossfill],
]);

export const SWAPS = table<Swap>("swaps", 5, [
  ["market", "text", (row) => marketOf(row.soldAsset, row.boughtAsset)],
  ...positionColumns<Swap>(({ id }) => id),
  ["closed_at", "timestamptz", (row) => time(row.timestamp)],
  ["trader", "text", (row) => row.trader],
  ["sold_asset", "text", (row) => row.soldAsset],
  ["bought_asset", "text", (row) => row.boughtAsset],
  ["sold", "numeric", (row) => row.sold],
  ["bought", "numeric", (row) => row.bought],
]);

export const ORDERS = table<Order>("orders", 5, [
  ["market", "text", (row) => marketOf(row.selling, row.buying)],
  ...positionColumns<Order>(({ cursor }) => cursor),
  ["order_id", "numeric", (row) => row.id],
  ["status", "text", (row) => row.status],
  ["owner", "text", (row) => row.owner],
  ["selling", "text", (row) => row.selling],
  ["buying", "text", (row) => row.buying],
  ["price", "numeric", (row) => row.price],
  ["quote", "numeric", (row) => row.quote],
  ["amount", "numeric", (row) => row.amount],
  ["expires", "timestamptz?", (row) => expiry(row.expires)],
  ["created", "timestamptz", (row) => time(row.created)],
  ["updated", "timestamptz", (row) => time(row.updated)],
]);

export const ORDER_EVENTS = table<OrderRow>("order_events", 3, [
  ["market", "text", ({ order }) => marketOf(order.selling, order.buying)],
  ...eventColumns<OrderRow>(),
  ["cause", "text", (row) => row.cause],
  ["order_id", "numeric", ({ order }) => order.id],
  ["order_cursor", "numeric", ({ order }) => order.cursor],
  ["owner", "text", ({ order }) => order.owner],
  ["selling", "text", ({ order }) => order.selling],
  ["buying", "text", ({ order }) => order.buying],
  ["price", "numeric", ({ order }) => order.price],
  ["amount", "numeric", ({ order }) => order.amount],
  ["expires", "timestamptz?", ({ order }) => expiry(order.expires)],
  ["live", "boolean", (row) => row.isLive],
  ["trade", "numeric?", (row) => row.trade],
]);

export const BUDGET_EVENTS = table<BudgetRow>("budget_events", 3, [
  ["owner", "text", (row) => row.owner],
  ...eventColumns<BudgetRow>(),
  ["asset", "text", (row) => row.asset],
  ["budget", "numeric?", (row) => row.budget],
]);

export const FAILURES = table<Failure>("failures", 5, [
  ["caller", "text", (row) => row.caller],
  ...positionColumns<Failure>(({ id }) => id),
  ["closed_at", "timestamptz", (row) => time(row.timestamp)],
  ["tx_hash", "text", (row) => row.txHash],
  ["fn", "text", (row) => row.fn],
  ["orders", "numeric[]", (row) => `{${row.orders.join(",")}}`],
  ["taker_order", "numeric?", (row) => row.takerOrder],
  ["result", "text", (row) => row.result],
  ["caught", "boolean", (row) => row.caught],
  ["reason", "text", (row) => row.reason],
  ["error_contract", "text?", (row) => row.error?.contract],
  ["error_code", "bigint?", (row) => row.error?.code],
  ["error_name", "text?", (row) => row.error?.name],
  ["transfer_token", "text?", (row) => row.transfer?.token],
  ["transfer_fn", "text?", (row) => row.transfer?.fn],
  ["transfer_from", "text?", (row) => row.transfer?.from],
  ["transfer_to", "text?", (row) => row.transfer?.to],
  ["transfer_amount", "numeric?", (row) => row.transfer?.amount],
]);

export const CANDLES = table<CandleRow>("candles", 3, [
  ["market", "text", ({ pair }) => marketKey(pair)],
  ["resolution", "bigint", (row) => row.resolution],
  ["starts_at", "timestamptz", ({ candle }) => time(candle.start)],
  ["open", "numeric", ({ candle }) => price(candle.open)],
  ["high", "numeric", ({ candle }) => price(candle.high)],
  ["low", "numeric", ({ candle }) => price(candle.low)],
  ["close", "numeric", ({ candle }) => price(candle.close)],
  ["base_volume", "numeric", ({ candle }) => candle.baseVolume],
  ["quote_volume", "numeric", ({ candle }) => candle.quoteVolume],
  ["fills", "bigint", ({ candle }) => candle.fills],
]);

/** Those that hold history; the sink's own row is in a table beside them (database.ts). */
export const HISTORY_TABLES: readonly Omit<SinkTable<never>, "of">[] = [
  TRADES,
  SWAPS,
  ORDERS,
  ORDER_EVENTS,
  BUDGET_EVENTS,
  FAILURES,
  CANDLES,
];

export function valuesOf<Row>({ columns }: SinkTable<Row>, row: Row): SqlValue[] {
  return columns.map(({ of }) => of(row));
}

/** A line of COPY's text format, its end included. */
export function copyLine(values: readonly SqlValue[]): string {
  return `${values.map(copyField).join("\t")}\n`;
}

export function table<Row>(
  name: string,
  keyColumns: number,
  columns: readonly ColumnOf<Row>[],
): SinkTable<Row> {
  return {
    name,
    keyColumns,
    columns: columns.map(([column, type, of]) => ({
      name: column,
      type: type.replace("?", "") as SqlType,
      isOptional: type.endsWith("?"),
      of: (row) => sqlValue(of(row)),
    })),
  };
}

/** Texts of the chain may hold U+0000, which no text of the database can: it becomes its symbol, U+2400. */
function sqlValue(value: Value): SqlValue {
  return value === undefined ? null : String(value).replaceAll("\0", "\u2400");
}

const ESCAPED: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
};

function copyField(value: SqlValue): string {
  if (value === null) return "\\N";
  return /[\\\t\n\r]/.test(value)
    ? value.replace(/[\\\t\n\r]/g, (character) => ESCAPED[character] ?? character)
    : value;
}

function positionColumns<Row>(positionOf: (row: Row) => Position): readonly ColumnOf<Row>[] {
  return [
    ["ledger", "bigint", (row) => ledgerOf(positionOf(row))],
    ["tx_index", "bigint", (row) => positionParts(positionOf(row)).transaction],
    ["op_index", "bigint", (row) => positionParts(positionOf(row)).operation],
    ["event_index", "bigint", (row) => positionParts(positionOf(row)).index],
    ["cursor", "numeric", positionOf],
  ];
}

function eventColumns<Row extends OrderEvent>(): readonly ColumnOf<Row>[] {
  return [
    ["ledger", "bigint", (row) => row.ledger],
    ["event_index", "bigint", ({ id }) => id & 0xffff_ffff_ffffn],
    ["cursor", "numeric", ({ id }) => id],
    ["closed_at", "timestamptz", (row) => time(row.timestamp)],
  ];
}

function marketOf(one: Address, other: Address): string {
  return marketKey(canonicalPair(one, other));
}

/** UTC, to the second; what is later than the year 9999 is its end, as the API shows it. */
export function time(seconds: number): string {
  return `${utcText(seconds)}+00`;
}

function expiry(seconds: number): string | undefined {
  return seconds === 0 ? undefined : time(seconds);
}

/** With as many digits as the API prints. */
function price({ quote, base }: PriceRatio): string {
  return priceText(quote, base);
}
