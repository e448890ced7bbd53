// The shared book without any regard to speed: the oracle of its tests, and what its bench is compared with.

import type { BookChange } from "../../src/book/book-change.ts";
import type { Address } from "../../src/model/address.ts";
import type { Backing } from "../../src/model/backing.ts";
import type { Order, OrderId } from "../../src/model/order.ts";

export class NaiveBook {
  readonly orders = new Map<OrderId, Order>();
  readonly backings = new Map<string, Backing>();

  apply(changes: readonly BookChange[]): void {
    for (const change of changes) {
      switch (change.kind) {
        case "put":
          this.orders.set(change.order.id, change.order);
          break;
        case "remove":
          if (!this.orders.delete(change.id)) throw new Error(`no order ${change.id}`);
          break;
        case "backing":
          this.backings.set(`${change.backing.owner} ${change.backing.asset}`, change.backing);
          break;
        case "forget":
          if (!this.backings.delete(`${change.owner} ${change.asset}`)) throw new Error("unknown");
          break;
        case "eventsMax":
          break;
      }
    }
  }

  /** Best price first, oldest first among equals. */
  side(selling: Address, buying: Address): Order[] {
    return [...this.orders.values()]
      .filter((order) => order.selling === selling && order.buying === buying)
      .sort(
        (a, b) => compare(a.price, b.price) || compare(a.cursor, b.cursor) || compare(a.id, b.id),
      );
  }

  /** [taker sells, taker buys] of every side with orders, in no particular order. */
  sides(): [Address, Address][] {
    const keys = new Set([...this.orders.values()].map((o) => `${o.buying} ${o.selling}`));
    return [...keys].map((key) => key.split(" ") as [Address, Address]);
  }

  backing(owner: Address, asset: Address): Backing | undefined {
    return this.backings.get(`${owner} ${asset}`);
  }
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
