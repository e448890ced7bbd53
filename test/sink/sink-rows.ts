// The tables of a sink, as rows of the export, and what the export has.
import assert from "node:assert/strict";
import type { Client } from "pg";
import { exportedLines, WHAT } from "../../src/exported-rows.ts";
import { address, canonicalPair, marketKey } from "../../src/model/address.ts";
import { RESOLUTIONS } from "../../src/model/candle.ts";
import { tokenText } from "../../src/model/display.ts";
import { storeFolder } from "../../src/store/data-folder.ts";
import { StoreReader } from "../../src/store/store-reader.ts";

export type Row = Readonly<Record<string, unknown>>;
export type Rows = Readonly<Record<string, readonly Row[]>>;
type Texts = Readonly<Record<string, string | null>>;

const POSITION =
  "CAST(ledger AS numeric) * 281474976710656 + tx_index * 268435456 + op_index * 65536 + event_index";
const EVENT = "CAST(ledger AS numeric) * 281474976710656 + event_index";

/** What a store has by now, archived orders alone, and order events of all ledgers but the last. */
export async function exportedRows(dataDir: string): Promise<Rows> {
  const store = await StoreReader.open(storeFolder(dataDir));
  const ledger = store.cursor()?.ledger ?? 0;
  const rows: Record<string, Row[]> = {};
  const window = { from: 0, to: Number.POSITIVE_INFINITY, pair: undefined };
  for (const what of WHAT) {
    const resolutions = what === "candles" ? RESOLUTIONS : [300];
    rows[what] = resolutions.flatMap((resolution) =>
      Array.from(exportedLines(store, what, { ...window, resolution }), (line) => {
        // For display only.
        const { rprice: _, ...row } = JSON.parse(line) as Row;
        return row;
      }),
    );
  }
  await store.close();
  const { orders = [], "order-events": events = [] } = rows;
  return sorted({
    ...rows,
    trades: (rows.trades ?? []).map(({ price: _, ...row }) => row),
    orders: orders.filter(({ status }) => status !== "ACTIVE"),
    "order-events": events.filter((event) => Number(event.ledger) < ledger),
  });
}

/** What the tables hold, under the names of the export. */
export async function sinkRows(client: Client, schema: string): Promise<Rows> {
  const read = async (table: string, position?: string): Promise<readonly Texts[]> => {
    // The client makes floats of lists of numbers.
    const more = table === "failures" ? ", CAST(orders AS text[]) AS orders" : "";
    const { rows } = await client.query<Record<string, unknown>>(
      `SELECT *${more}${position === undefined ? "" : `, ${position} AS at`} FROM ${schema}.${table}`,
    );
    return rows.map((row) => {
      assert.equal(row.at, position === undefined ? undefined : row.cursor);
      const texts = Object.entries(row).map(([name, value]) => [name, textOf(value)] as const);
      const market = marketOf(Object.fromEntries(texts));
      if (market !== undefined) assert.equal(row.market, market);
      return Object.fromEntries(texts);
    });
  };
  const trades = await read("trades", POSITION);
  const swaps = await read("swaps", POSITION);
  const orders = await read("orders", POSITION);
  const orderEvents = await read("order_events", EVENT);
  const budgetEvents = await read("budget_events", EVENT);
  const failures = await read("failures", POSITION);
  const candles = await read("candles");
  return sorted({
    trades: [...trades.map(tradeRow), ...swaps.map(swapRow)],
    orders: orders.map(orderRow),
    "order-events": [...orderEvents.map(orderEventRow), ...budgetEvents.map(budgetRow)],
    failures: failures.map(failureRow),
    candles: candles.map(candleRow),
  });
}

function marketOf(row: Texts): string | undefined {
  const [one, other] = [row.sold_asset ?? row.selling, row.bought_asset ?? row.buying];
  if (one === undefined || one === null || other === undefined || other === null) return undefined;
  return marketKey(canonicalPair(address(one), address(other)));
}

function textOf(value: unknown): string | null {
  if (value === null) return null;
  if (value instanceof Date) return value.toISOString().slice(0, 19).replace("T", " ");
  return Array.isArray(value) ? value.join(" ") : String(value);
}

function tradeRow(row: Texts): Row {
  return present({
    ...{ type: "trade", id: row.cursor, order: row.order_id, taker: row.taker, maker: row.maker },
    ...amounts(row),
    left: row.left_amount,
    ...(row.crossfill === "true" && { crossfill: true }),
    ...{ cursor: row.cursor, timestamp: row.closed_at },
  });
}

function swapRow(row: Texts): Row {
  const common = { type: "swap", id: row.cursor, trader: row.trader, ...amounts(row) };
  return { ...common, cursor: row.cursor, timestamp: row.closed_at };
}

function amounts(row: Texts): Row {
  const { sold, bought } = row;
  return { soldAsset: row.sold_asset, boughtAsset: row.bought_asset, sold, bought };
}

function orderRow(row: Texts): Row {
  const { status, selling, buying, price, quote, amount, owner, expires } = row;
  const { created, updated, cursor } = row;
  return present({
    ...{ id: row.order_id, status, selling, buying, price, quote, amount, owner, expires },
    ...{ created, updated, cursor },
  });
}

function orderEventRow(row: Texts): Row {
  const { cursor, cause, owner, selling, buying, price, amount, expires, trade } = row;
  return present({
    ...{ type: "order", id: cursor, cause, order: row.order_id, orderCursor: row.order_cursor },
    ...{ owner, selling, buying, price, amount, expires, live: row.live === "true", trade },
    ...{ ledger: Number(row.ledger), timestamp: row.closed_at, cursor },
  });
}

function budgetRow(row: Texts): Row {
  const { cursor, owner, asset, budget } = row;
  const ledger = Number(row.ledger);
  return present({
    ...{ type: "budget", id: cursor, owner, asset, budget, ledger },
    ...{ timestamp: row.closed_at, cursor },
  });
}

function failureRow(row: Texts): Row {
  const { cursor, fn, caller, result, reason, orders } = row;
  const error = {
    ...{ contract: row.error_contract, name: row.error_name },
    code: row.error_code === null ? null : Number(row.error_code),
  };
  const transfer = {
    ...{ token: row.transfer_token, fn: row.transfer_fn, from: row.transfer_from },
    ...{ to: row.transfer_to, amount: row.transfer_amount },
  };
  return present({
    ...{ type: "failure", id: cursor, txHash: row.tx_hash, ledger: Number(row.ledger) },
    ...{ timestamp: row.closed_at, fn, caller, orders: orders === "" ? [] : orders?.split(" ") },
    ...{ takerOrder: row.taker_order, result, caught: row.caught === "true" ? true : null, reason },
    error: row.error_contract === null ? null : present(error),
    transfer: row.transfer_token === null ? null : present(transfer),
    cursor,
  });
}

function candleRow(row: Texts): Row {
  const { market, open, high, low, close } = row;
  return {
    ...{ market, resolution: Number(row.resolution) },
    start: Date.parse(`${row.starts_at?.replace(" ", "T")}Z`) / 1000,
    ...{ open, high, low, close },
    baseVolume: tokenText(BigInt(row.base_volume ?? 0)),
    quoteVolume: tokenText(BigInt(row.quote_volume ?? 0)),
    fills: Number(row.fills),
  };
}

/** A member that is not there is absent. */
function present(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

function sorted(rows: Rows): Rows {
  const key = ({ cursor, market, resolution, start }: Row): string =>
    cursor === undefined
      ? `${market} ${String(resolution).padStart(8)} ${start}`
      : String(cursor).padStart(25);
  return Object.fromEntries(
    Object.entries(rows).map(([what, list]) => [
      what,
      [...list].sort((one, other) => (key(one) < key(other) ? -1 : 1)),
    ]),
  );
}
