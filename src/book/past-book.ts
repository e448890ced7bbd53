// A market's book as it was after a past ledger, and every change from there on: from the order events of a store.
//
// Orders are followed in every market of the two assets, since they share their maker's budget. The state of an order
// is that of its newest event up to the ledger; one that is older than the events is taken back from the first of them.
import type { Address, Pair } from "../model/address.ts";
import type { OrderBacking } from "../model/backing.ts";
import { type Order, type OrderId, OrderStatus } from "../model/order.ts";
import type { OrderCause, OrderEvent } from "../model/order-event.ts";
import type { Position } from "../model/position.ts";
import type { Trade } from "../model/trade.ts";
import type { PastStore } from "../store/past-store.ts";
import { RECORD_PREFIX, shownBacking } from "./backing/backing-rows.ts";
import { unloadedBacking } from "./backing/record.ts";
import type { DomainEvent, OrderAction, OrderFill } from "./domain-event.ts";
import type { LiveOrderFilter, ReadModel } from "./read-model.ts";

const PAGE = 500;
const ORDERS_MAX = 2 ** 26;

type OrderRow = Extract<OrderEvent, { readonly type: "order" }>;

export type PastStep = {
  readonly ledger: number;
  readonly orders: readonly Extract<DomainEvent, { readonly kind: "order" }>[];
  readonly budgets: readonly Extract<DomainEvent, { readonly kind: "backing" }>[];
};

export class PastBook
  implements Pick<ReadModel, "liveOrders" | "orderBacking" | "ordersBacked" | "ledger">
{
  readonly #store: PastStore;
  readonly #market: Pair;
  readonly #orders = new Map<Position, Order>();
  readonly #budgets = new Map<string, bigint>();
  ledger: number;

  /** The state after `ledger`, which is within what the store's events are complete for. */
  constructor(store: PastStore, market: Pair, ledger: number) {
    this.#store = store;
    this.#market = market;
    this.ledger = ledger;
    this.#rewind();
  }

  liveOrders(
    _filter: LiveOrderFilter,
    { after = 0n as Position, limit }: { readonly after?: Position; readonly limit: number },
  ): readonly Order[] {
    const found = [...this.#orders.values()].filter(
      (order) => order.cursor > after && this.#isOfMarket(order),
    );
    return found.sort(byCursor).slice(0, limit);
  }

  orderBacking(order: Order): OrderBacking | undefined {
    const { owner, selling } = order;
    const budget = this.#budgets.get(owner + selling);
    if (budget === undefined) return undefined;
    const backing = { ...unloadedBacking(owner, selling, undefined), budget };
    return { backing, backed: this.ordersBacked(owner, selling).get(order.id) ?? 0n };
  }

  ordersBacked(owner: Address, asset: Address): ReadonlyMap<OrderId, bigint> {
    const backed = new Map<OrderId, bigint>();
    const budget = this.#budgets.get(owner + asset);
    if (budget === undefined) return backed;
    let left = budget;
    const orders = [...this.#orders.values()].filter(
      (order) => order.owner === owner && order.selling === asset,
    );
    for (const { id, amount } of orders.sort(byCursor)) {
      const share = amount < left ? amount : left;
      left -= share;
      backed.set(id, share);
    }
    return backed;
  }

  /** The changes of the ledgers up to `to`, each made before it is given. */
  *steps(to: number): Generator<PastStep> {
    let rows: OrderEvent[] = [];
    for (const event of this.#events(this.ledger)) {
      if (event.ledger > to) break;
      if (rows.length > 0 && rows[0]?.ledger !== event.ledger) {
        yield this.#step(rows);
        rows = [];
      }
      rows.push(event);
    }
    if (rows.length > 0) yield this.#step(rows);
    this.ledger = to;
  }

  #step(rows: readonly OrderEvent[]): PastStep {
    const { ledger } = rows[0] ?? this;
    this.ledger = ledger ?? this.ledger;
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
      if (row.isLive) this.#orders.set(cursor, order);
      else this.#orders.delete(cursor);
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
    const { history } = this.#store;
    for (const row of this.#store.backingRows(RECORD_PREFIX)) {
      const backing = shownBacking(row)?.backing;
      if (backing === undefined || !this.#has(backing.asset)) continue;
      this.#budgets.set(backing.owner + backing.asset, backing.budget);
    }
    for (const asset of [this.#market.base, this.#market.quote]) {
      for (const order of history.liveOrders({ assets: [asset] }, { limit: ORDERS_MAX })) {
        if (order.selling === asset) this.#orders.set(order.cursor, order);
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
      this.#orders.delete(cursor);
      const [last] = this.#eventsBefore(first);
      if (last === undefined) {
        const order = first.cause === "new" ? undefined : this.#orderBefore(first);
        if (order !== undefined) this.#orders.set(cursor, order);
      } else if (last.isLive) {
        this.#orders.set(cursor, this.#orderAfter(last));
      }
    }
  }

  #orderAfter(row: OrderRow): Order {
    const { quote, created } = this.#store.history.orderAt(row.order.cursor);
    const changed = isByClock(row) ? this.#eventsBefore(row).find((one) => !isByClock(one)) : row;
    const status = row.isLive ? OrderStatus.active : (STATUS[row.cause] ?? OrderStatus.expired);
    return { ...row.order, quote, created, updated: changed?.timestamp ?? created, status };
  }

  /** Of the same order, newest first. */
  #eventsBefore({ id, order }: OrderRow): readonly OrderRow[] {
    return this.#store.orderEvents
      .list({ order: order.id }, { before: id, limit: PAGE })
      .filter((row): row is OrderRow => row.type === "order" && row.order.cursor === order.cursor);
  }

  /** As it was before the first event that is kept of it; undefined where it was not live. */
  #orderBefore(first: OrderRow): Order | undefined {
    if (first.cause === "revive") return undefined;
    const trade = first.trade === undefined ? undefined : this.#store.history.trade(first.trade);
    const { quote, created } = this.#store.history.orderAt(first.order.cursor);
    const amount = first.order.amount + (trade?.bought ?? 0n);
    const order = { ...first.order, amount, quote, created, updated: created };
    return { ...order, ...first.before, status: OrderStatus.active };
  }

  *#events(after: number): Generator<OrderEvent> {
    let from = (BigInt(after + 1) << 48n) as Position;
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
