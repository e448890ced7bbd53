// What the export writes of each kind: the rows of the API's lists as the API writes them, and their columns in CSV and
// Parquet.
import { failureJson } from "./http/json/failure-json.ts";
import { candleJson } from "./http/json/market-data-json.ts";
import { orderEventJson, orderJson } from "./http/json/order-json.ts";
import { swapJson, tradeJson } from "./http/json/trade-json.ts";
import { marketKey, type Pair } from "./model/address.ts";
import type { OrderEvent } from "./model/order-event.ts";
import type { PastStore } from "./store/past-store.ts";
import { rowsBetween, type TimeRows } from "./store/time-walk.ts";

export const WHAT = ["trades", "orders", "order-events", "failures", "candles"] as const;
export type Exported = (typeof WHAT)[number];

export type ExportWindow = {
  /** UNIX seconds; `to` is exclusive. Of orders it is the creation, of candles their start. */
  readonly from: number;
  readonly to: number;
  /** Of candles alone; absent: every market. Canonical. */
  readonly pair: Pair | undefined;
  /** Of candles alone, in seconds. */
  readonly resolution: number;
};

const CANDLE_FIELDS = "start open high low close baseVolume quoteVolume fills".split(" ");

/** What Parquet keeps a column as; a text in CSV whatever it is. Times are UTC, to the second. */
export type ColumnType = "text" | "time" | "integer" | "number" | "boolean";
export type Column = { readonly name: string; readonly type: ColumnType };

/** Members of members with a dot between. A column is never renamed, moved or retyped; new ones come last. */
const COLUMNS: Readonly<Record<Exported, readonly Column[]>> = {
  trades: columns(
    "type id order taker maker trader soldAsset boughtAsset sold bought left crossfill:boolean price:number cursor " +
      "timestamp:time",
  ),
  orders: columns(
    "id status selling buying price rprice:number quote amount owner expires:time created:time updated:time cursor",
  ),
  "order-events": columns(
    "type id cause order orderCursor owner selling buying price amount expires:time live:boolean trade asset budget " +
      "ledger:integer timestamp:time cursor",
  ),
  failures: columns(
    "type id txHash ledger:integer timestamp:time fn caller orders takerOrder result caught:boolean reason " +
      "error.contract error.code:integer error.name transfer.token transfer.fn transfer.from transfer.to " +
      "transfer.amount cursor",
  ),
  candles: columns(
    "market resolution:integer start:integer open high low close baseVolume quoteVolume fills:integer",
  ),
};

function columns(text: string): readonly Column[] {
  return text.split(" ").map((column) => {
    const [name = "", type = "text"] = column.split(":");
    return { name, type: type as ColumnType };
  });
}

export function columnsOf(what: Exported): readonly Column[] {
  return COLUMNS[what];
}

/** One JSON object a row, oldest first; candles market by market. */
export function* exportedLines(
  { history, orderEvents, candles }: Pick<PastStore, "history" | "orderEvents" | "candles">,
  what: Exported,
  { from, to, pair, resolution }: ExportWindow,
): Generator<string> {
  if (what === "trades") {
    for (const row of history.tradesBetween(from, to)) {
      yield row.type === "trade" ? tradeJson(row) : swapJson(row);
    }
  } else if (what === "orders") {
    for (const order of history.ordersBetween(from, to)) yield orderJson(order);
  } else if (what === "failures") {
    for (const failure of history.failuresBetween(from, to)) yield failureJson(failure);
  } else if (what === "order-events") {
    const rows: TimeRows<OrderEvent> = {
      page: (after, limit) => orderEvents.from(after, limit),
      positionOf: ({ id }) => id,
      timeOf: ({ timestamp }) => timestamp,
    };
    for (const event of rowsBetween(rows, from, to)) yield orderEventJson(event);
  } else {
    for (const market of pair === undefined ? candles.markets() : [{ pair }]) {
      for (const candle of candles.walk(market.pair, resolution, from, to)) {
        const values: unknown[] = JSON.parse(candleJson(candle));
        const fields = CANDLE_FIELDS.map((name, at) => [name, values[at]] as const);
        const common = { market: marketKey(market.pair), resolution };
        yield JSON.stringify({ ...common, ...Object.fromEntries(fields) });
      }
    }
  }
}

export function csvHeader(what: Exported): string {
  return COLUMNS[what].map(({ name }) => name).join(",");
}

/** RFC 4180, but with a line feed alone at the end of lines. A member that is not there is empty. */
export function csvLine(what: Exported, json: string): string {
  return columnTexts(what, json)
    .map((text = "") => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
    .join(",");
}

/** A row's values in the order of its columns; a list has blanks between. */
export function columnTexts(what: Exported, json: string): readonly (string | undefined)[] {
  const row: unknown = JSON.parse(json);
  return COLUMNS[what].map(({ name }) => {
    const value = memberOf(row, name.split("."));
    if (value === undefined) return undefined;
    return Array.isArray(value) ? value.join(" ") : String(value);
  });
}

function memberOf(of: unknown, [name = "", ...rest]: readonly string[]): unknown {
  if (typeof of !== "object" || of === null) return undefined;
  const member: unknown = Reflect.get(of, name);
  return rest.length === 0 ? member : memberOf(member, rest);
}
