// What the export writes of each kind: the rows of the API's lists as the API writes them, and their columns in CSV.
import { failureJson } from "./http/json/failure-json.ts";
import { candleJson } from "./http/json/market-data-json.ts";
import { orderEventJson } from "./http/json/order-event-json.ts";
import { orderJson } from "./http/json/order-json.ts";
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

/** Members of members with a dot between. A column is never renamed or moved; new ones come last. */
const COLUMNS: Readonly<Record<Exported, readonly string[]>> = {
  trades:
    "type id order taker maker trader soldAsset boughtAsset sold bought left crossfill price cursor timestamp".split(
      " ",
    ),
  orders:
    "id status selling buying price rprice quote amount owner expires created updated cursor".split(
      " ",
    ),
  "order-events":
    "type id cause order orderCursor owner selling buying price amount expires live trade asset budget ledger timestamp cursor".split(
      " ",
    ),
  failures: (
    "type id txHash ledger timestamp fn caller orders takerOrder result caught reason error.contract error.code " +
    "error.name transfer.token transfer.fn transfer.from transfer.to transfer.amount cursor"
  ).split(" "),
  candles: ["market", "resolution", ...CANDLE_FIELDS],
};

/** One JSON object a row, oldest first; candles market by market. */
export function* exportedLines(
  { history, orderEvents, candles }: PastStore,
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
  return COLUMNS[what].join(",");
}

/** RFC 4180, but with a line feed alone at the end of lines. A member that is not there is empty, a list has blanks. */
export function csvLine(what: Exported, json: string): string {
  const row: unknown = JSON.parse(json);
  return COLUMNS[what].map((column) => csvField(memberOf(row, column.split(".")))).join(",");
}

function memberOf(of: unknown, [name = "", ...rest]: readonly string[]): unknown {
  if (typeof of !== "object" || of === null) return undefined;
  const member: unknown = Reflect.get(of, name);
  return rest.length === 0 ? member : memberOf(member, rest);
}

function csvField(value: unknown): string {
  const text = Array.isArray(value) ? value.join(" ") : value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
