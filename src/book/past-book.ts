// A market's book as it was after a past ledger, and every change from there on: from the order events of a store.
//
// Every event says what it changed, so that the state of a past ledger is the newest one with the first event of each
// order and budget after that ledger taken back. Orders are followed in every market of the two assets, since they
// share their maker's budget.
import type { Address, Pair } from "../model/address.ts";
import type { Backing, OrderBacking, SharesBlock } from "../model/backing.ts";
import { lowestWhere } from "../model/bisect.ts";
import { type Order, OrderStatus } from "../model/order.ts";
import type { OrderCause, OrderEvent } from "../model/order-event.ts";
import { ledgerStart, type Position } from "../model/position.ts";
import type { Trade } from "../model/trade.ts";
import type { LiveOrderFilter, OldestPage } from "../store/history.ts";
import type { PastStore } from "../store/past-store.ts";
import { RECORD_PREFIX, shownBacking } from "./backing/backing-rows.ts";
import { unloadedBacking } from "./backing/record.ts";
import type { DomainEvent, OrderAction, OrderFill } from "./domain-event.ts";
import { OrderShares } from "./order-shares.ts";

const PAGE = 500;
const ORDERS_MAX = 2 ** 26;

type OrderRow = Extract<OrderEvent, { readonly type: "order" }>;

export type PastStep = {
  readonly ledger: number;
  readonly orders: readonly Extract<DomainEvent, { readonly kind: "order" }>[];
  readonly budgets: readonly Extract<DomainEvent, { readonly kind: "backing" }>[];
};

export class PastBook {
  readonly #store: PastStore;
  readonly #market: Pair;
  readonly #orders = new Map<Position, Order>();
  /** Positions of orders by owner and asset sold. */
  readonly #selling = new Map<string, Set<Position>>();
  readonly #budgets = new Map<string, bigint>();
  readonly #shares = new OrderShares();
  /** The market's orders, oldest first, until the next step. */
  #listed: readonly Order[] | undefined;
  ledger: number;

  /** The state after `ledger`, which is within what the store's events are complete for. */
  constructor(store: PastStore, market: Pair, ledger: number) {
    this.#store = store;
    this.#market = market;
    this.ledger = ledger;
    this.#shares.ordersSelling = (owner, asset) => {
      const positions = this.#selling.get(owner + asset) ?? [];
      return [...positions].flatMap((cursor) => this.#orders.get(cursor) ?? []).sort(byCursor);
    };
    this.#rewind();
  }

  liveOrders(
    _filter: LiveOrderFilter,
    { after = 0n as Position, limit }: OldestPage,
  ): readonly Order[] {
    this.#listed ??= [...this.#orders.values()]
      .filter((order) => this.#isOfMarket(order))
      .sort(byCursor);
    const listed = this.#listed;
    const isAfter = (at: number) => (listed[at]?.cursor ?? after) > after;
    const start = lowestWhere(0, listed.length, isAfter);
    return listed.slice(start, start + limit);
  }

  orderBacking(order: Order): OrderBacking | undefined {
    const { owner, selling } = order;
    const backing = this.backing(owner, selling);
    if (backing === undefined) return undefined;
    return { backing, backed: this.#shares.share(owner + selling, backing.budget, order) };
  }

  /** Its budget alone is of the ledger. */
  backing(owner: Address, asset: Address): Backing | undefined {
    const budget = this.#budgets.get(owner + asset);
    return budget === undefined ? undefined : { ...unloadedBacking(owner, asset), budget };
  }

  ordersBacked(owner: Address, asset: Address): readonly SharesBlock[] {
    const budget = this.#budgets.get(owner + asset) ?? 0n;
    return this.#shares.shares(owner + asset, budget, { owner, asset });
  }

  /** The changes of the ledgers up to `to`, each made before it is given. */
  *steps(to: number): Generator<PastStep> {
    let rows: OrderEvent[] = [];
    for (const event of this.#events(this.ledger)) {
      if (event.ledger > to) break;
      if (rows.length > 0 && (event.beginsStep || rows[0]?.ledger !== event.ledger)) {
        yield this.#step(rows);
        rows = [];
      }
      rows.push(event);
    }
    if (rows.length > 0) yield this.#step(rows);
    this.ledger = to;
  }

  #step(rows: readonly OrderEvent[]): PastStep {
    this.ledger = rows[0]?.ledger ?? this.ledger;
    this.#listed = undefined;
    const orders: Extract<DomainEvent, { readonly kind: "order" }>[] = [];
    const budgets = new Map<string, Extract<DomainEvent, { readonly kind: "backing" }>>();
    for (const row of rows) {
      if (row.type === "budget") {
        const { owner, asset, budget } = row;
        if (!this.#has(asset)) continue;
        if (budget === undefined) this.#budgets.delete(owner + asset);
        else this.#budgets.set(owner + asset, budget);
        budgets.set(owner + asset, { kind: "backing", owner, asset });
        continue;
      }
      const { owner, selling, cursor } = row.order;
      if (!this.#has(selling)) continue;
      const order = this.#orderAfter(row);
      if (row.isLive) this.#put(order);
      else this.#remove(cursor);
      budgets.set(owner + selling, { kind: "backing", owner, asset: selling });
      if (!this.#isOfMarket(order)) continue;
      const action: OrderAction = row.cause === "revive" ? "update" : row.cause;
      const trade = row.trade === undefined ? undefined : this.#store.history.trade(row.trade);
      const fill = trade?.type === "trade" ? fillOf(trade) : undefined;
      orders.push({ kind: "order", action, order, ...(fill && { fill }) });
    }
    return { ledger: this.ledger, orders, budgets: [...budgets.values()] };
  }

  #rewind(): void {
    for (const row of this.#store.backingRows(RECORD_PREFIX)) {
      const backing = shownBacking(row)?.backing;
      if (backing === undefined || !this.#has(backing.asset)) continue;
      this.#budgets.set(backing.owner + backing.asset, backing.budget);
    }
    for (const asset of [this.#market.base, this.#market.quote]) {
      const page = { limit: ORDERS_MAX };
      for (const order of this.#store.history.liveOrders({ assets: [asset] }, page)) {
        if (order.selling === asset) this.#put(order);
      }
    }
    const orders = new Map<Position, OrderRow>();
    const budgets = new Set<string>();
    for (const event of this.#events(this.ledger)) {
      if (event.type === "order") {
        const isFirst = this.#has(event.order.selling) && !orders.has(event.order.cursor);
        if (isFirst) orders.set(event.order.cursor, event);
      } else if (this.#has(event.asset) && !budgets.has(event.owner + event.asset)) {
        const key = event.owner + event.asset;
        budgets.add(key);
        if (event.before === undefined) this.#budgets.delete(key);
        else this.#budgets.set(key, event.before);
      }
    }
    for (const [cursor, first] of orders) {
      this.#remove(cursor);
      if (this.#wasLive(first)) this.#put(this.#orderBefore(first));
    }
  }

  #put(order: Order): void {
    const { owner, selling, cursor } = order;
    const key = owner + selling;
    this.#shares.change(key, this.#orders.get(cursor), order);
    this.#orders.set(cursor, order);
    const positions = this.#selling.get(key);
    if (positions === undefined) this.#selling.set(key, new Set([cursor]));
    else positions.add(cursor);
  }

  #remove(cursor: Position): void {
    const order = this.#orders.get(cursor);
    if (order === undefined) return;
    const key = order.owner + order.selling;
    this.#shares.change(key, order, undefined);
    this.#orders.delete(cursor);
    this.#selling.get(key)?.delete(cursor);
  }

  #orderAfter(row: OrderRow): Order {
    const { quote, created } = this.#store.history.orderAt(row.order.cursor);
    const status = row.isLive ? OrderStatus.active : (STATUS[row.cause] ?? OrderStatus.expired);
    const updated = isByClock(row) ? this.#changedBefore(row) : row.timestamp;
    return { ...row.order, quote, created, updated, status };
  }

  #orderBefore(row: OrderRow): Order {
    const { quote, created } = this.#store.history.orderAt(row.order.cursor);
    const status = OrderStatus.active;
    return {
      ...row.order,
      ...this.#termsBefore(row),
      quote,
      created,
      updated: this.#changedBefore(row),
      status,
    };
  }

  #termsBefore({ order, before, trade: position }: OrderRow) {
    if (before !== undefined)
      return { price: before.price, amount: before.amount, expires: before.expires };
    // A row of a version that kept them of updates alone.
    const trade = position === undefined ? undefined : this.#store.history.trade(position);
    return { amount: order.amount + (trade?.bought ?? 0n) };
  }

  #wasLive(row: OrderRow): boolean {
    if (row.wasLive !== undefined) return row.wasLive;
    return this.#eventsBefore(row)[0]?.isLive ?? (row.cause !== "new" && row.cause !== "revive");
  }

  /** When a ledger last changed the order before the event. */
  #changedBefore(row: OrderRow): number {
    if (row.before?.updated !== undefined) return row.before.updated;
    const last = this.#eventsBefore(row).find((event) => !isByClock(event));
    return last?.timestamp ?? this.#store.history.orderAt(row.order.cursor).created;
  }

  /** Of the same order, newest first: for rows of a version that did not keep what an event changed. */
  #eventsBefore({ id, order }: OrderRow): readonly OrderRow[] {
    const from = this.#store.orderEvents.completeFrom() ?? 0;
    return this.#store.orderEvents
      .list({ order: order.id }, { before: id, limit: PAGE })
      .filter((row): row is OrderRow => row.type === "order" && row.order.cursor === order.cursor)
      .filter(({ ledger }) => ledger >= from);
  }

  *#events(after: number): Generator<OrderEvent> {
    let from = ledgerStart(after + 1);
    for (;;) {
      const rows = this.#store.orderEvents.from(from, PAGE);
      yield* rows;
      if (rows.length < PAGE) return;
      from = rows.at(-1)?.id ?? from;
    }
  }

  #has(asset: Address): boolean {
    return asset === this.#market.base || asset === this.#market.quote;
  }

  #isOfMarket({ selling, buying }: Order): boolean {
    return this.#has(selling) && this.#has(buying);
  }
}

/** Of orders that are not live; any other: expired. */
const STATUS: Partial<Record<OrderCause, OrderStatus>> = {
  filled: OrderStatus.filled,
  cancel: OrderStatus.canceled,
};

/** The order's entry was not changed: an update that revives changes its expiration at least. */
function isByClock({ cause, order, before }: OrderRow): boolean {
  return cause === "expire" || (cause === "revive" && before?.expires === order.expires);
}

function byCursor(one: Order, other: Order): number {
  return one.cursor < other.cursor ? -1 : 1;
}

function fillOf({ sold, bought, taker, id, timestamp, crossfill }: Trade): OrderFill {
  return { sold: bought, bought: sold, taker, trade: id, ts: timestamp, crossfill };
}
