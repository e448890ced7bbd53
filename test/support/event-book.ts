// Live orders and budgets rebuilt from order events alone.
import assert from "node:assert/strict";
import type { Exchange } from "../../src/book/exchange.ts";
import type { Address } from "../../src/model/address.ts";
import type { Order } from "../../src/model/order.ts";
import type { EventOrder, OrderEvent } from "../../src/model/order-event.ts";
import type { Position } from "../../src/model/position.ts";

const PAGE = 8;

export class EventBook {
  readonly #orders = new Map<Position, EventOrder>();
  readonly #budgets = new Map<string, bigint>();
  #last = 0n as Position;

  /** Takes what is new of the owners. */
  follow(exchange: Exchange, owners: Iterable<Address>): void {
    const events = [...owners].flatMap((owner) => this.#newOf(exchange, owner));
    events.sort((one, other) => (one.id < other.id ? -1 : 1));
    for (const event of events) this.#apply(event);
    this.#last = events.at(-1)?.id ?? this.#last;
  }

  /** The live orders, their terms and what backs them must be those of the exchange. */
  check(exchange: Exchange, live: readonly Order[]): void {
    const orders = [...this.#orders.values()];
    orders.sort((one, other) => (one.cursor < other.cursor ? -1 : 1));
    const left = new Map(this.#budgets);
    const told = orders.map((order) => {
      const key = order.owner + order.selling;
      const budget = left.get(key) ?? 0n;
      const backed = order.amount < budget ? order.amount : budget;
      left.set(key, budget - backed);
      return { ...termsOf(order), backed };
    });
    const shown = live.map((order) => {
      const backed = exchange.state.backings.orderBacking(order)?.backed ?? 0n;
      return { ...termsOf(order), backed };
    });
    assert.deepEqual(told, shown);
  }

  #newOf(exchange: Exchange, owner: Address): readonly OrderEvent[] {
    const events: OrderEvent[] = [];
    for (;;) {
      const before = events.at(-1)?.id;
      const page = before === undefined ? { limit: PAGE } : { before, limit: PAGE };
      const rows = exchange.state.orderEvents.list({ owner }, page);
      for (const row of rows) {
        if (row.id <= this.#last) return events;
        events.push(row);
      }
      if (rows.length < PAGE) return events;
    }
  }

  #apply(event: OrderEvent): void {
    if (event.type === "budget") {
      const key = event.owner + event.asset;
      if (event.budget === undefined) this.#budgets.delete(key);
      else this.#budgets.set(key, event.budget);
    } else if (event.isLive) this.#orders.set(event.order.cursor, event.order);
    else this.#orders.delete(event.order.cursor);
  }
}

function termsOf({ id, owner, selling, buying, price, amount, expires, cursor }: EventOrder) {
  return { id, owner, selling, buying, price, amount, expires, cursor };
}
