// A book to compare with: a Map of orders a side, sorted for each look.
import type { BookChange } from "../src/book/book-change.ts";
import type { Backing } from "../src/model/backing.ts";
import type { Order, OrderId } from "../src/model/order.ts";

export class MapBook {
  readonly #orders = new Map<OrderId, Order>();
  readonly #sides = new Map<string, Map<OrderId, Order>>();
  readonly #backings = new Map<string, Backing>();

  apply(changes: readonly BookChange[]): void {
    for (const change of changes) {
      if (change.kind === "put") this.#put(change.order);
      else if (change.kind === "remove") this.#remove(change.id);
      else if (change.kind === "backing") {
        this.#backings.set(`${change.backing.owner}/${change.backing.asset}`, change.backing);
      } else if (change.kind === "forget") {
        this.#backings.delete(`${change.owner}/${change.asset}`);
      }
    }
  }

  /** Best price first, oldest first among equals. */
  best(side: string, count: number): Order[] {
    const orders = [...(this.#sides.get(side)?.values() ?? [])];
    orders.sort((a, b) => {
      if (a.price !== b.price) return a.price < b.price ? -1 : 1;
      return a.cursor < b.cursor ? -1 : 1;
    });
    return orders.slice(0, count);
  }

  #put(order: Order): void {
    this.#orders.set(order.id, order);
    const key = sideKey(order);
    const side = this.#sides.get(key);
    if (side === undefined) this.#sides.set(key, new Map([[order.id, order]]));
    else side.set(order.id, order);
  }

  #remove(id: OrderId): void {
    const order = this.#orders.get(id);
    if (order === undefined) throw new Error(`no order ${id}`);
    this.#orders.delete(id);
    this.#sides.get(sideKey(order))?.delete(id);
  }
}

export function sideKey({ selling, buying }: Pick<Order, "selling" | "buying">): string {
  return `${selling}/${buying}`;
}
