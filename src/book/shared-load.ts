// Fills a copy of the shared book with all live orders at start, several times as fast as one put
// after the other: addresses are known by the text that names them, and each side is sorted once
// instead of finding a place for each order. Main thread, before the book's first step.
import type { Address } from "../model/address.ts";
import type { Order } from "../model/order.ts";
import { internAddress } from "./shared-addresses.ts";
import type { BookCopy } from "./shared-copy.ts";
import type { AddressTable } from "./shared-layout.ts";
import type { Pool } from "./shared-pool.ts";
import { fillSide } from "./shared-sides.ts";
import { insertRecord } from "./shared-writer.ts";

export class BookLoader {
  readonly #copy: BookCopy;
  readonly #owners = new Map<Address, number>();
  readonly #assets = new Map<Address, number>();
  /** Slots by what their orders sell and what they buy (indexes). */
  readonly #sides = new Map<number, Map<number, number[]>>();

  constructor(copy: BookCopy) {
    this.#copy = copy;
  }

  /** The ids must differ from each other: the book has nothing else yet. */
  load(orders: Iterable<Order>): void {
    const { view } = this.#copy;
    for (const order of orders) {
      const indexes = {
        owner: this.#indexOf(this.#owners, view.owners, this.#copy.owners, order.owner),
        selling: this.#indexOf(this.#assets, view.assets, this.#copy.assets, order.selling),
        buying: this.#indexOf(this.#assets, view.assets, this.#copy.assets, order.buying),
      };
      this.#slotsOf(indexes.selling, indexes.buying).push(insertRecord(this.#copy, order, indexes));
    }
  }

  /** Files the orders under their sides. Nothing can be loaded after it. */
  finish(): void {
    for (const [selling, sides] of this.#sides) {
      for (const [buying, slots] of sides) fillSide(this.#copy, selling, buying, slots);
    }
    this.#sides.clear();
  }

  #indexOf(known: Map<Address, number>, table: AddressTable, pool: Pool, address: Address): number {
    const present = known.get(address);
    if (present !== undefined) return present;
    const index = internAddress(this.#copy.view, table, pool, address);
    known.set(address, index);
    return index;
  }

  #slotsOf(selling: number, buying: number): number[] {
    const sides = this.#sides.get(selling) ?? new Map<number, number[]>();
    const present = sides.get(buying);
    if (present !== undefined) return present;
    const slots: number[] = [];
    this.#sides.set(selling, sides.set(buying, slots));
    return slots;
  }
}
