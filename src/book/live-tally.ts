// What a start learns of all live orders while the book takes them in: who has how many in which
// asset, and which markets there are. By the store's numbers: no text is looked at for an order.
import type { Address } from "../model/address.ts";
import type { LiveRow } from "../store/live-rows.ts";
import type { OrderCount } from "./step.ts";

type Counts = Map<number, Map<number, number>>;
type SideCount = {
  readonly selling: Address;
  readonly buying: Address;
  readonly orders: number;
};

export class LiveTally {
  readonly #owners: Counts = new Map();
  readonly #sides: Counts = new Map();

  add({ owner, selling, buying }: LiveRow): void {
    const assets = countsOf(this.#owners, owner);
    addOne(assets, selling);
    addOne(assets, buying);
    addOne(countsOf(this.#sides, selling), buying);
  }

  /** Each owner and asset once. */
  *references(addressOf: (number: number) => Address): Generator<OrderCount> {
    for (const [number, assets] of this.#owners) {
      const owner = addressOf(number);
      for (const [asset, orders] of assets) yield { owner, asset: addressOf(asset), orders };
    }
  }

  /** Each two assets once, as their orders sell and buy them. */
  *sides(addressOf: (number: number) => Address): Generator<SideCount> {
    for (const [number, others] of this.#sides) {
      const selling = addressOf(number);
      for (const [buying, orders] of others) yield { selling, buying: addressOf(buying), orders };
    }
  }
}

function countsOf(counts: Counts, number: number): Map<number, number> {
  const present = counts.get(number);
  if (present !== undefined) return present;
  const made = new Map<number, number>();
  counts.set(number, made);
  return made;
}

function addOne(counts: Map<number, number>, number: number): void {
  counts.set(number, (counts.get(number) ?? 0) + 1);
}
