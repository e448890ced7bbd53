// The live orders of one market as channel `book` tells them: filled once from the store, then changed by every
// step. Main thread.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { DomainEvent, OrderAction, OrderFill } from "../../book/domain-event.ts";
import type { ReadModel } from "../../book/read-model.ts";
import type { Address, Pair } from "../../model/address.ts";
import { type Order, type OrderId, OrderStatus } from "../../model/order.ts";
import type { Position } from "../../model/position.ts";

/** Orders read in one slice: a few milliseconds of work. */
const SLICE_ORDERS = 200;

/** What it reads of a state. */
export type BookSource = Pick<ReadModel, "liveOrders" | "orderBacking" | "ordersBacked">;

/** An order as it was told last. */
export type BookRow = { readonly order: Order; readonly backed: bigint | undefined };

/** Why a row is told again. */
export type BookCause = OrderAction | "revive" | "backing";

/** `row`: after the change; absent where the order is gone. */
export type BookRowChange = {
  readonly cause: BookCause;
  readonly id: OrderId;
  readonly order: Order;
  readonly row?: BookRow;
  readonly fill?: OrderFill;
};

export type OrderDomainEvent = Extract<DomainEvent, { readonly kind: "order" }>;
export type BackingEvent = Extract<DomainEvent, { readonly kind: "backing" }>;

export class BookImage {
  readonly #readModel: BookSource;
  readonly #market: Pair;
  readonly #rows = new Map<OrderId, BookRow>();
  /** Ids by owner and asset sold: what a change of the budget behind them concerns. */
  readonly #byBudget = new Map<string, Set<OrderId>>();
  #filled: Promise<void> | undefined;

  constructor(readModel: BookSource, market: Pair) {
    this.#readModel = readModel;
    this.#market = market;
  }

  /** Resolves once it holds every order, or nobody wants it any more. Reads in slices. */
  filled(isWanted: () => boolean): Promise<void> {
    this.#filled ??= this.#fill(isWanted);
    return this.#filled;
  }

  /** Of the state shown now. A copy: later steps leave it as it is. */
  rows(): readonly BookRow[] {
    return [...this.#rows.values()];
  }

  isAsk({ selling }: Order): boolean {
    return selling === this.#market.base;
  }

  /**
   * What a step changed, in chain order, then rows whose backing alone changed. `orders` are of this market,
   * `budgets` of its assets.
   */
  stepped(
    orders: readonly OrderDomainEvent[],
    budgets: readonly BackingEvent[],
  ): readonly BookRowChange[] {
    const changes = orders.map((event) => this.#changed(event));
    for (const { owner, asset } of budgets) this.#rebacked(owner, asset, changes);
    return changes;
  }

  async #fill(isWanted: () => boolean): Promise<void> {
    const { base, quote } = this.#market;
    const filter = { assets: [base, quote] };
    let after: Position | undefined;
    for (;;) {
      // A step that was shown between two slices changed what was read by then; the rest is read as it is.
      const page = after === undefined ? { limit: SLICE_ORDERS } : { after, limit: SLICE_ORDERS };
      const orders = this.#readModel.liveOrders(filter, page);
      for (const order of orders) this.#put(order, this.#readModel.orderBacking(order)?.backed);
      after = orders.at(-1)?.cursor;
      if (orders.length < SLICE_ORDERS) return;
      await nextTurn();
      if (!isWanted()) return;
    }
  }

  #changed({ action, order, fill }: OrderDomainEvent): BookRowChange {
    const revives = action === "update" && !this.#rows.has(order.id);
    const cause: BookCause = revives ? "revive" : action;
    const change = { cause, id: order.id, order, ...(fill === undefined ? {} : { fill }) };
    if (order.status !== OrderStatus.active) {
      this.#remove(order);
      return change;
    }
    // A step may change an order several times: its share is taken for what this change left of it.
    const share = this.#readModel.ordersBacked(order.owner, order.selling).get(order.id);
    const backed = share === undefined || share < order.amount ? share : order.amount;
    return { ...change, row: this.#put(order, backed) };
  }

  #rebacked(owner: Address, asset: Address, changes: BookRowChange[]): void {
    const ids = this.#byBudget.get(owner + asset);
    if (ids === undefined) return;
    const shares = this.#readModel.ordersBacked(owner, asset);
    for (const id of ids) {
      const row = this.#rows.get(id);
      const backed = shares.get(id);
      if (row === undefined || row.backed === backed) continue;
      const { order } = row;
      changes.push({ cause: "backing", id, order, row: this.#put(order, backed) });
    }
  }

  #put(order: Order, backed: bigint | undefined): BookRow {
    const row = { order, backed };
    this.#rows.set(order.id, row);
    const key = order.owner + order.selling;
    const ids = this.#byBudget.get(key);
    if (ids === undefined) this.#byBudget.set(key, new Set([order.id]));
    else ids.add(order.id);
    return row;
  }

  #remove({ id, owner, selling }: Order): void {
    if (!this.#rows.delete(id)) return;
    const key = owner + selling;
    const ids = this.#byBudget.get(key);
    ids?.delete(id);
    if (ids?.size === 0) this.#byBudget.delete(key);
  }
}
