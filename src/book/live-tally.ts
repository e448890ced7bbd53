// Hot path at start: counts over all live orders while the book loads them: orders by owner and asset, and the
// markets, by the store's numbers, so that no text is read for an order. Each owner and asset, and each two assets, get
// a place in a list as they are first seen.
import type { Address } from "../model/address.ts";
import type { LiveRow } from "../store/live-rows.ts";

type AddressOf = (number: number) => Address;
/** Two numbers of the store, and how many orders name them. */
type Count = { readonly one: number; readonly other: number; orders: number };
type SideCount = {
  readonly selling: Address;
  readonly buying: Address;
  readonly orders: number;
};

/** How many live orders of an owner sell or buy an asset. */
export type OrderCount = {
  readonly owner: Address;
  readonly asset: Address;
  readonly orders: number;
};

/** Where an order stands in the lists of a tally. */
export type TallyPlaces = {
  /** The owner with the asset sold, and with the one received. */
  readonly sold: number;
  readonly received: number;
  readonly side: number;
};

export class LiveTally implements TallyPlaces {
  readonly #references = new PlaceList();
  readonly #sides = new PlaceList();
  // The places of the order counted last.
  sold = 0;
  received = 0;
  side = 0;

  add({ owner, selling, buying }: LiveRow): void {
    const references = this.#references.of(owner);
    this.sold = this.#references.count(references, owner, selling);
    this.received = this.#references.count(references, owner, buying);
    this.side = this.#sides.count(this.#sides.of(selling), selling, buying);
  }

  /** Each owner and asset once. */
  references(addressOf: AddressOf): OrderCount[] {
    return this.#references.list.map(({ one, other, orders }) => {
      return { owner: addressOf(one), asset: addressOf(other), orders };
    });
  }

  /** Each two assets once, as their orders sell and buy them. */
  sides(addressOf: AddressOf): SideCount[] {
    return this.#sides.list.map(({ one, other, orders }) => {
      return { selling: addressOf(one), buying: addressOf(other), orders };
    });
  }
}

class PlaceList {
  readonly list: Count[] = [];
  readonly #places = new Map<number, Map<number, number>>();

  /** The places of one number with others. */
  of(one: number): Map<number, number> {
    const present = this.#places.get(one);
    if (present !== undefined) return present;
    const places = new Map<number, number>();
    this.#places.set(one, places);
    return places;
  }

  /** The place of two numbers, of which there is one order more. */
  count(places: Map<number, number>, one: number, other: number): number {
    const present = places.get(other);
    if (present === undefined) {
      places.set(other, this.list.length);
      return this.list.push({ one, other, orders: 1 }) - 1;
    }
    this.list[present]!.orders += 1;
    return present;
  }
}
