// Pages of live orders and of the history: archived orders, trades, failures.
import { randomBytes } from "node:crypto";
import { type Address, parseAddress } from "../model/address.ts";
import type { Failure } from "../model/failure.ts";
import { type Order, type OrderId, OrderStatus } from "../model/order.ts";
import type { Position } from "../model/position.ts";
import type { Swap, Trade } from "../model/trade.ts";
import type { AddressIds } from "./address-ids.ts";
import { readFailure } from "./failure-record.ts";
import * as entries from "./index-entries.ts";
import { orderKey, positionKey, readPosition } from "./keys.ts";
import { readOrder, toOrder } from "./order-record.ts";
import { RecentMap } from "./recent-map.ts";
import { RecordReader } from "./record-bytes.ts";
import { RowCache } from "./row-cache.ts";
import type { Range } from "./snapshot.ts";
import { StoreError } from "./store-error.ts";
import type { StoreParts } from "./store-parts.ts";
import type { Table } from "./tables.ts";
import { lastBefore, rowsBetween, type TimeRows } from "./time-walk.ts";
import { readTrade } from "./trade-record.ts";

/** Rows older than `before` (exclusive), newest first. */
export type NewestPage = { readonly before?: Position | undefined; readonly limit: number };
/** Rows younger than `after` (exclusive), oldest first. */
export type OldestPage = { readonly after?: Position | undefined; readonly limit: number };

// Filters are text as a client gave it: what is no address of a record matches nothing.
type PairFilter = readonly [string, string];
/** Every one of `assets` must be one of the order's two. */
export type LiveOrderFilter = {
  readonly owner?: string | undefined;
  readonly assets: readonly string[];
};
export type OrderFilter = {
  readonly owner?: string | undefined;
  readonly pair?: PairFilter | undefined;
};
export type TradeFilter = {
  readonly trader?: string | undefined;
  readonly pair?: PairFilter | undefined;
};
export type FailureFilter = {
  readonly account?: string | undefined;
  readonly fn?: string | undefined;
};

/** Rows of one kind, and those of them that were read lately. */
type Source<T> = {
  readonly rows: Table;
  readonly kept: RowCache<T>;
  readonly read: (reader: RecordReader, ids: AddressIds, position: Position) => T;
  readonly positionOf: (row: T) => Position;
  /** UNIX seconds. */
  readonly timeOf: (row: T) => number;
};
/** The index prefix a filter selects; "all" without a filter, "none" where nothing can match. */
type Selection = Buffer | "all" | "none";

/** A Soroban symbol has at most 32 characters. */
const FN_MAX = 32;
/** More than a book can hold (its slots have 26 bits). */
const LIVE_ORDERS_MAX = 2 ** 26;
/**
 * Rows kept as they were read, of each kind, and as many again: the pages that many ask for are the
 * same few. A row takes about 500 bytes, and once it was put into text as many again.
 */
const ROWS_KEPT = 4000;

export class History {
  readonly #parts: StoreParts;
  /** Live and archived: an order keeps its position for life. */
  readonly #orders: RowCache<Order>;
  readonly #live: Source<Order>;
  readonly #archive: Source<Order>;
  readonly #trades: Source<Trade | Swap>;
  readonly #failures: Source<Failure>;
  /** Live orders among the kept rows, and some that were kept or live; by `hiddenId`. */
  readonly #byId: RecentMap<bigint, Order>;

  constructor(parts: StoreParts, rowsKept = ROWS_KEPT) {
    this.#parts = parts;
    const { live, archive, trades, failures } = parts.tables;
    this.#orders = new RowCache(rowsKept);
    this.#byId = new RecentMap(rowsKept);
    const orders = {
      ...{ kept: this.#orders, read: readAsOrder },
      ...{ positionOf: cursorOf, timeOf: createdOf },
    };
    this.#live = { rows: live, ...orders };
    this.#archive = { rows: archive, ...orders };
    const events = { positionOf: idOf, timeOf: timestampOf };
    this.#trades = { rows: trades, kept: new RowCache(rowsKept), read: readTrade, ...events };
    this.#failures = { rows: failures, kept: new RowCache(rowsKept), read: readFailure, ...events };
  }

  /** To be called with the orders that a step changed, once it is shown. */
  forget(orders: Iterable<Position>): void {
    for (const position of orders) this.#orders.delete(position);
  }

  /** The live order under the id. Throws a StoreError where its record is lost. */
  liveOrder(id: OrderId): Order | undefined {
    const { chain, live, archive } = this.#parts.tables;
    const last = this.#byId.get(hiddenId(id));
    // Kept still, so nothing has changed it.
    if (last !== undefined && this.#orders.get(last.cursor) === last) return last;
    const key = this.#parts.snapshot.get(chain, orderKey(id));
    if (key === undefined) return undefined;
    const position = readPosition(key, 0);
    const known = this.#orders.get(position);
    if (known !== undefined) {
      if (known.status !== OrderStatus.active) return undefined;
      this.#byId.set(hiddenId(id), known);
      return known;
    }
    const row = this.#parts.snapshot.get(live, key);
    if (row === undefined) {
      // Lapsed: on-chain, but with the archived ones.
      if (this.#parts.snapshot.get(archive, key) !== undefined) return undefined;
      throw new StoreError("damaged", `the store is damaged: order ${id} lost`);
    }
    return this.#row(this.#live, position, row);
  }

  /** The order created there, live or archived. Throws a StoreError where there is none. */
  orderAt(position: Position): Order {
    const live = this.#parts.snapshot.get(this.#parts.tables.live, positionKey(position));
    return this.#row(this.#archive, position, live);
  }

  /** Throws a StoreError where there is none. */
  trade(position: Position): Trade | Swap {
    return this.#row(this.#trades, position);
  }

  /** Oldest first by creation. */
  liveOrders(filter: LiveOrderFilter, page: OldestPage): readonly Order[] {
    const selection = this.#selectLive(filter.owner, [...new Set(filter.assets)]);
    return this.#page(this.#live, this.#parts.tables.liveIndex, selection, page);
  }

  /** All live orders of an owner that sell an asset, oldest first. */
  ordersSelling(owner: Address, asset: Address): readonly Order[] {
    const page = { limit: LIVE_ORDERS_MAX };
    return this.liveOrders({ owner, assets: [asset] }, page).filter(
      ({ selling }) => selling === asset,
    );
  }

  /** Newest first by creation. */
  orders(filter: OrderFilter, page: NewestPage): readonly Order[] {
    const selection = this.#selectPair(filter.owner, filter.pair);
    const range = { ...page, newestFirst: true };
    return this.#page(this.#archive, this.#parts.tables.archiveIndex, selection, range);
  }

  trades(filter: TradeFilter, page: NewestPage): readonly (Trade | Swap)[] {
    const selection = this.#selectPair(filter.trader, filter.pair);
    const range = { ...page, newestFirst: true };
    return this.#page(this.#trades, this.#parts.tables.tradeIndex, selection, range);
  }

  /**
   * At most so many trades and swaps, oldest first: those after a position, or those whose time (UNIX
   * seconds) is at least `time`.
   */
  tradesFrom(
    start: { readonly after: Position } | { readonly time: number },
    limit: number,
  ): readonly (Trade | Swap)[] {
    const rows = this.#timeRows(this.#trades);
    const after = "after" in start ? start.after : lastBefore(rows, start.time);
    return rows.page(after, limit);
  }

  /** At most so many failures, oldest first, above the position. */
  failuresFrom(after: Position, limit: number): readonly Failure[] {
    return this.#timeRows(this.#failures).page(after, limit);
  }

  /** The same of archived orders, by their creation. */
  archivedFrom(after: Position, limit: number): readonly Order[] {
    return this.#timeRows(this.#archive).page(after, limit);
  }

  /**
   * Trades and swaps whose time (UNIX seconds) is at least `from` and below `to`, oldest first. The
   * store must not be renewed meanwhile.
   */
  tradesBetween(from: number, to: number): Generator<Trade | Swap> {
    return rowsBetween(this.#timeRows(this.#trades), from, to);
  }

  failuresBetween(from: number, to: number): Generator<Failure> {
    return rowsBetween(this.#timeRows(this.#failures), from, to);
  }

  /** The same of orders, live and archived, by their creation. */
  *ordersBetween(from: number, to: number): Generator<Order> {
    const between = (source: Source<Order>) => rowsBetween(this.#timeRows(source), from, to);
    const [one, other] = [between(this.#live), between(this.#archive)];
    let [left, right] = [one.next(), other.next()];
    for (;;) {
      if (left.done !== true && (right.done === true || left.value.cursor < right.value.cursor)) {
        yield left.value;
        left = one.next();
      } else if (right.done !== true) {
        yield right.value;
        right = other.next();
      } else return;
    }
  }

  failures(filter: FailureFilter, page: NewestPage): readonly Failure[] {
    const selection = this.#selectFailures(filter.account, filter.fn);
    const range = { ...page, newestFirst: true };
    return this.#page(this.#failures, this.#parts.tables.failureIndex, selection, range);
  }

  /** Past the kept rows, which a walk over everything would drive out. */
  #timeRows<T>({ rows, read, positionOf, timeOf }: Source<T>): TimeRows<T> {
    const page = (after: Position, limit: number) =>
      this.#parts.snapshot
        .rows(rows, { after, limit })
        .map(({ key, value }) =>
          read(new RecordReader(value), this.#parts.ids, readPosition(key, 0)),
        );
    return { page, positionOf, timeOf };
  }

  #page<T>(source: Source<T>, index: Table, selection: Selection, range: Range): readonly T[] {
    if (selection === "none") return [];
    if (selection === "all") {
      return this.#parts.snapshot
        .rows(source.rows, range)
        .map(({ key, value }) => this.#row(source, readPosition(key, 0), value));
    }
    return this.#parts.snapshot
      .positions(index, selection, range)
      .map((position) => this.#row(source, position));
  }

  /** Throws a StoreError where there is none. */
  #row<T>({ rows, kept, read }: Source<T>, position: Position, value?: Buffer): T {
    const known = kept.get(position);
    if (known !== undefined) return known;
    const bytes = value ?? this.#parts.snapshot.get(rows, positionKey(position));
    if (bytes === undefined) {
      throw new StoreError("damaged", `the store is damaged: no record at ${position}`);
    }
    const row = read(new RecordReader(bytes), this.#parts.ids, position);
    kept.offer(position, row);
    return row;
  }

  #selectLive(owner: string | undefined, assets: readonly string[]): Selection {
    const [one, other] = assets;
    if (assets.length > 2) return "none";
    if (one !== undefined && other !== undefined) return this.#selectPair(owner, [one, other]);
    if (one === undefined) return this.#selectPair(owner, undefined);
    const asset = this.#number(one);
    if (asset === undefined) return "none";
    if (owner === undefined) return entries.byAsset(asset);
    const account = this.#number(owner);
    return account === undefined ? "none" : entries.byAccountAsset(account, asset);
  }

  #selectPair(account: string | undefined, pair: PairFilter | undefined): Selection {
    const number = account === undefined ? undefined : this.#number(account);
    if (account !== undefined && number === undefined) return "none";
    if (pair === undefined) return number === undefined ? "all" : entries.byAccount(number);
    const [one, other] = [this.#number(pair[0]), this.#number(pair[1])];
    if (one === undefined || other === undefined) return "none";
    if (number === undefined) return entries.byPair(one, other);
    return entries.byAccountPair(number, one, other);
  }

  #selectFailures(account: string | undefined, fn: string | undefined): Selection {
    const number = account === undefined ? undefined : this.#number(account);
    if (account !== undefined && number === undefined) return "none";
    if (fn === undefined) return number === undefined ? "all" : entries.byAccount(number);
    if (fn.length > FN_MAX || fn.includes("\0")) return "none";
    return number === undefined ? entries.byFn(fn) : entries.byAccountFn(number, fn);
  }

  #number(text: string): number | undefined {
    const address: Address | undefined = parseAddress(text);
    return address === undefined ? undefined : this.#parts.ids.find(address);
  }
}

function readAsOrder(reader: RecordReader, ids: AddressIds, position: Position): Order {
  return toOrder(readOrder(reader, ids, position));
}

const idOf = ({ id }: { readonly id: Position }): Position => id;
const timestampOf = ({ timestamp }: { readonly timestamp: number }): number => timestamp;
/**
 * Unknown to makers, who choose among ids: those of many orders could collide in a map, which hashes 64 bits
 * of them.
 */
const HIDING = randomBytes(8).readBigUInt64LE();
const hiddenId = (id: OrderId): bigint => id ^ HIDING;
const cursorOf = ({ cursor }: Order): Position => cursor;
const createdOf = ({ created }: Order): number => created;
