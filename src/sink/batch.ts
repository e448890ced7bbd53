// The next batch of a store's history: the rows of one transaction of the sink, and the sink's progress after it.
//
// Trades, swaps, failures and order events never change: they are taken ledger by ledger, in the order of their
// positions. Archived orders and candles do: they are walked over once (`SinkState.walked`), and from that ledger on
// written again as they are whenever a ledger touches them.
//
// Invariant: what is read of orders and candles is no older than the ledger that the sink is at, and of that very
// ledger where the sink has caught up with the store.
import { canonicalPair, marketKey, type Pair } from "../model/address.ts";
import { bucketStart, marketFill, RESOLUTIONS } from "../model/candle.ts";
import type { Failure } from "../model/failure.ts";
import { type Order, OrderStatus } from "../model/order.ts";
import type { OrderEvent } from "../model/order-event.ts";
import { ledgerOf, ledgerStart, type Position } from "../model/position.ts";
import type { Swap, Trade } from "../model/trade.ts";
import type { LedgerCursor } from "../store/step-record.ts";
import type { StoreReader } from "../store/store-reader.ts";
import type { SinkState } from "./state.ts";
import {
  BUDGET_EVENTS,
  CANDLES,
  type CandleRow,
  copyLine,
  FAILURES,
  ORDER_EVENTS,
  ORDERS,
  type SinkTable,
  type SqlValue,
  SWAPS,
  TRADES,
  valuesOf,
} from "./tables.ts";

export type Batch = {
  readonly next: SinkState;
  /** Rows that are in no table yet, as lines of COPY. */
  readonly copied: readonly { readonly table: string; readonly lines: readonly string[] }[];
  /** Rows that may be there already. */
  readonly replaced: readonly {
    readonly table: Replaceable;
    readonly rows: readonly (readonly SqlValue[])[];
  }[];
  /** Keys of orders that are live again. */
  readonly revived: readonly (readonly SqlValue[])[];
  /** The store dropped order events of these ledgers before they were taken, both inclusive. */
  readonly lost?: { readonly from: number; readonly to: number };
};

/** As far as its writer wants to know. */
export type Replaceable = Pick<SinkTable<never>, "name" | "keyColumns"> & {
  readonly columns: readonly { readonly name: string }[];
};

/** Rows of a kind in a batch, unless one ledger alone has more: about 100 ms of work (measured). */
const BATCH_ROWS = 10_000;

const START = 0n as Position;
const NOTHING = { copied: [], replaced: [], revived: [] } as const;

/** The store's state must be held meanwhile. Undefined where the sink has all there is. */
export function nextBatch(
  store: StoreReader,
  state: SinkState,
  rowsMax = BATCH_ROWS,
): Batch | undefined {
  const cursor = store.cursor();
  const eventsFrom = store.orderEvents.completeFrom();
  // A store of before order events has them from its next ledger on.
  if (cursor === undefined || eventsFrom === undefined) return undefined;
  // A restored backup, or another engine's store that is behind.
  if (cursor.ledger < state.seen.ledger) return undefined;
  const { ledger, closeTime } = cursor;
  const seen = { ...state, seen: { ledger, closeTime } };
  const walk = { ...seen, ordersTo: START, candlesFrom: "", walkedLedger: ledger };
  if (state.walkedLedger === 0) return { ...NOTHING, next: walk };
  if (state.ordersTo !== undefined) return ordersBatch(store, seen, state.ordersTo, rowsMax);
  if (state.candlesFrom !== undefined) {
    return candlesBatch(store, seen, state.candlesFrom, rowsMax);
  }
  // What touched orders and candles meanwhile is not known: the walk finds it.
  if (eventsFrom > state.eventsLedger + 1 && state.eventsLedger >= state.walkedLedger) {
    const lost = { from: state.eventsLedger + 1, to: eventsFrom - 1 };
    return { ...NOTHING, next: { ...walk, eventsLedger: lost.to }, lost };
  }
  if (ledger === state.ledger) return undefined;
  return ledgersBatch(store, seen, cursor, rowsMax);
}

function ordersBatch(
  store: StoreReader,
  { ordersTo: _, ...state }: SinkState,
  after: Position,
  rowsMax: number,
): Batch {
  const orders = store.history.archivedFrom(after, rowsMax);
  const last = orders.at(-1)?.cursor;
  const isOver = last === undefined || orders.length < rowsMax;
  const next = isOver ? state : { ...state, ordersTo: last };
  return { ...NOTHING, next, ...walkedRows(state, ORDERS, orders) };
}

function candlesBatch(
  store: StoreReader,
  { candlesFrom: _, ...state }: SinkState,
  from: string,
  rowsMax: number,
): Batch {
  const [market = "", resolutionText, startText] = from.split(" ");
  const rows: CandleRow[] = [];
  const pairs = Array.from(store.candles.markets(), ({ pair }) => ({ pair, key: marketKey(pair) }));
  const left = pairs.filter(({ key }) => key >= market).sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const { pair, key } of left) {
    const isFirst = key === market;
    for (const resolution of RESOLUTIONS) {
      if (isFirst && resolution < Number(resolutionText)) continue;
      const start = isFirst && resolution === Number(resolutionText) ? Number(startText) : 0;
      for (const candle of store.candles.walk(pair, resolution, start, Number.POSITIVE_INFINITY)) {
        if (rows.length === rowsMax) {
          const next = { ...state, candlesFrom: `${key} ${resolution} ${candle.start}` };
          return { ...NOTHING, next, ...walkedRows(state, CANDLES, rows) };
        }
        rows.push({ pair, resolution, candle });
      }
    }
  }
  return { ...NOTHING, next: state, ...walkedRows(state, CANDLES, rows) };
}

/** The first walk finds its tables empty. */
function walkedRows<Row>(state: SinkState, table: SinkTable<Row>, rows: readonly Row[]) {
  return state.ledger === 0
    ? { copied: [copiedRows(table, rows)] }
    : { replaced: [replacedRows(table, rows)] };
}

function ledgersBatch(
  store: StoreReader,
  state: SinkState,
  cursor: LedgerCursor,
  rowsMax: number,
): Batch {
  const { history, orderEvents } = store;
  const [after, eventsAfter] = [endOf(state.ledger), endOf(state.eventsLedger)];
  const trades = new Rows<Trade | Swap>(
    (from, limit) => history.tradesFrom({ after: from }, limit),
    { after, rowsMax },
  );
  const failures = new Rows<Failure>((from, limit) => history.failuresFrom(from, limit), {
    after,
    rowsMax,
  });
  const events = new Rows<OrderEvent>((from, limit) => orderEvents.from(from, limit), {
    after: eventsAfter,
    rowsMax,
  });
  const whole = Math.min(trades.whole, failures.whole, events.whole, cursor.ledger);
  // A ledger with more rows than a batch is one all the same.
  const to = Math.max(whole, state.ledger + 1);
  const eventsTo = Math.min(to, cursor.ledger - 1);
  const [newTrades, newFailures] = [trades.upTo(to), failures.upTo(to)];
  const touching = events.upTo(to);
  const newEvents = touching.filter(({ ledger }) => ledger <= eventsTo);
  const mark = newTrades.at(-1);
  const { orders, revived } = touchedOrders(store, state, touching);
  return {
    next: {
      ...state,
      ledger: to,
      closeTime: to === cursor.ledger ? cursor.closeTime : lastTime(state, newTrades, newFailures),
      eventsLedger: Math.max(state.eventsLedger, eventsTo),
      ...(mark && { mark: markOf(mark) }),
    },
    copied: [
      copiedRows(
        TRADES,
        newTrades.filter((row): row is Trade => row.type === "trade"),
      ),
      copiedRows(
        SWAPS,
        newTrades.filter((row): row is Swap => row.type === "swap"),
      ),
      copiedRows(FAILURES, newFailures),
      copiedRows(
        ORDER_EVENTS,
        newEvents.filter((event) => event.type === "order"),
      ),
      copiedRows(
        BUDGET_EVENTS,
        newEvents.filter((event) => event.type === "budget"),
      ),
    ],
    replaced: [
      replacedRows(ORDERS, orders),
      replacedRows(CANDLES, touchedCandles(store, state, newTrades)),
    ],
    revived: revived.map((order) => valuesOf(ORDERS, order).slice(0, ORDERS.keyColumns)),
  };
}

/** Rows from a position on, as many as a batch has of a kind; more of them where they are wanted. */
class Rows<Row extends { readonly id: Position }> {
  readonly #page: (after: Position, limit: number) => readonly Row[];
  readonly #rowsMax: number;
  readonly #rows: Row[];
  #hasAll: boolean;

  constructor(
    page: (after: Position, limit: number) => readonly Row[],
    { after, rowsMax }: { readonly after: Position; readonly rowsMax: number },
  ) {
    this.#page = page;
    this.#rowsMax = rowsMax;
    this.#rows = [...page(after, rowsMax)];
    this.#hasAll = this.#rows.length < rowsMax;
  }

  /** The last ledger that all rows are here of. */
  get whole(): number {
    return this.#hasAll ? Number.POSITIVE_INFINITY : ledgerOfRow(this.#rows.at(-1)) - 1;
  }

  upTo(ledger: number): readonly Row[] {
    while (!this.#hasAll && ledgerOfRow(this.#rows.at(-1)) <= ledger) {
      const page = this.#page(this.#rows.at(-1)?.id ?? START, this.#rowsMax);
      this.#rows.push(...page);
      this.#hasAll = page.length < this.#rowsMax;
    }
    return this.#rows.filter((row) => ledgerOf(row.id) <= ledger);
  }
}

function ledgerOfRow(row: { readonly id: Position } | undefined): number {
  return row === undefined ? 0 : ledgerOf(row.id);
}

/** Above every row of the ledger and below those of the next. */
function endOf(ledger: number): Position {
  return (ledgerStart(ledger + 1) - 1n) as Position;
}

function lastTime(
  { closeTime }: SinkState,
  ...lists: readonly (readonly { readonly timestamp: number }[])[]
): number {
  return Math.max(closeTime, ...lists.map((rows) => rows.at(-1)?.timestamp ?? 0));
}

/** As they are now. The clock may have added events to the walk's own ledger after it began. */
function touchedOrders(
  store: StoreReader,
  { walkedLedger }: SinkState,
  events: readonly OrderEvent[],
) {
  const touched = new Map<Position, boolean>();
  for (const event of events) {
    if (event.type === "budget" || event.ledger < walkedLedger) continue;
    const { cursor } = event.order;
    touched.set(cursor, touched.get(cursor) === true || event.cause === "revive");
  }
  const [orders, revived]: [Order[], Order[]] = [[], []];
  for (const [cursor, wasRevived] of touched) {
    const order = store.orderAt(cursor);
    if (order.status !== OrderStatus.active) orders.push(order);
    else if (wasRevived) revived.push(order);
  }
  return { orders, revived };
}

/** Every candle that the fills are in, of ledgers after the walk. */
function touchedCandles(
  store: StoreReader,
  { walkedLedger }: SinkState,
  trades: readonly (Trade | Swap)[],
): readonly CandleRow[] {
  const markets = new Map<string, { readonly pair: Pair; readonly first: number; last: number }>();
  for (const trade of trades) {
    if (trade.type === "swap" || trade.crossfill || ledgerOf(trade.id) <= walkedLedger) continue;
    const pair = marketFill(trade)?.pair;
    if (pair === undefined) continue;
    const known = markets.get(marketKey(pair));
    const { timestamp } = trade;
    if (known !== undefined) known.last = timestamp;
    else markets.set(marketKey(pair), { pair, first: timestamp, last: timestamp });
  }
  return [...markets.values()].flatMap(({ pair, first, last }) =>
    RESOLUTIONS.flatMap((resolution) =>
      store.candles
        .between(pair, resolution, bucketStart(first, resolution), last + 1)
        .map((candle) => ({ pair, resolution, candle })),
    ),
  );
}

/** What differs between two chains that have a trade at the same position. */
export function markOf(row: Trade | Swap): NonNullable<SinkState["mark"]> {
  const { id, timestamp, soldAsset, boughtAsset, sold, bought } = row;
  const { base } = canonicalPair(soldAsset, boughtAsset);
  return { cursor: id, text: `${timestamp} ${base} ${sold} ${bought}` };
}

function copiedRows<Row>(of: SinkTable<Row>, rows: readonly Row[]) {
  return { table: of.name, lines: rows.map((row) => copyLine(valuesOf(of, row))) };
}

function replacedRows<Row>(of: SinkTable<Row>, rows: readonly Row[]) {
  return { table: of, rows: rows.map((row) => valuesOf(of, row)) };
}
