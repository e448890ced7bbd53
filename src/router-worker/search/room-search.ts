// The best listing of a route on which a maker has too little room for what it is paid, unless it
// delivers enough of that asset at the hop before: orders may be listed there for the room alone,
// dear ones too. Rare, so no hot path: tries the listings of a few orders of each hop one by one.
// Numbers choose; the caller settles what is found.
import { HOPS_MAX } from "../quote.ts";
import { type HopDirection, type HopOrders, SELL } from "./hop-problem.ts";
import { type HopListing, type RoomFlow, RoomListings } from "./room-listings.ts";

export type RoomDemand = {
  readonly direction: HopDirection;
  readonly hopCount: number;
  readonly amount: number;
  readonly ordersMax: number;
  /** Steps of some 50 ns. */
  readonly workMax: number;
  /** What is known already: only what beats it is of use. SELL: 0, BUY: Infinity: nothing is. */
  readonly value: number;
  /** Whether a listing (the entries of each hop, in execution order) settles. */
  readonly settles: (lists: readonly (readonly number[])[]) => boolean;
};

export class RoomSearch {
  /** What comes out (SELL) or goes in (BUY) with the best listing found. */
  value = 0;
  /** False where the search was cut short. */
  complete = true;

  readonly #listings: readonly RoomListings[] = Array.from(
    { length: HOPS_MAX },
    () => new RoomListings(),
  );
  readonly #lists: (readonly number[])[] = [];
  #demand!: RoomDemand;

  /** Steps taken. */
  get work(): number {
    return this.#listings.reduce((sum, { work }) => sum + work, 0);
  }

  /** Hops in execution order, with no room but what makers have. */
  solve(hops: readonly HopOrders[], demand: RoomDemand): void {
    this.#demand = demand;
    this.value = demand.value;
    this.complete = true;
    for (let at = 0; at < demand.hopCount; at += 1) {
      this.#listings[at]!.take(hops, at, demand);
      if (this.#listings[at]!.isCut) this.complete = false;
    }
    this.#solveFrom(0, { amount: demand.amount, makers: new Map() }, demand.ordersMax);
  }

  #solveFrom(step: number, flow: RoomFlow, places: number): void {
    const { direction, hopCount, workMax } = this.#demand;
    const at = direction === SELL ? step : hopCount - 1 - step;
    const stepsAfter = hopCount - 1 - step;
    const listings = this.#listings[at]!;
    if (stepsAfter === 0) {
      listings.each(flow, places, workMax - this.work, this.value, (found) => this.#end(at, found));
      if (this.work > workMax) this.complete = false;
      return;
    }
    const found: HopListing[] = [];
    const worst = direction === SELL ? 0 : Number.POSITIVE_INFINITY;
    listings.each(flow, places - stepsAfter, workMax - this.work, worst, (one) => {
      found.push(one);
      return worst;
    });
    if (this.work > workMax) this.complete = false;
    for (const listing of bestFirst(found, direction)) {
      if (this.work > workMax) {
        this.complete = false;
        return;
      }
      this.#lists[at] = listing.entries;
      const next = { amount: listing.value, makers: listing.makers };
      this.#solveFrom(step + 1, next, places - listing.entries.length);
    }
  }

  /** Takes the listing of the last step; returns what is to be beaten from now on. */
  #end(at: number, { value, entries }: HopListing): number {
    this.#lists[at] = entries;
    if (this.#demand.settles(this.#lists.slice(0, this.#demand.hopCount))) this.value = value;
    return this.value;
  }
}

/**
 * The best of those that take as many orders and mean the same to the other hop's makers, then the
 * others: the other hop may be unable to use up the best ones.
 */
function bestFirst(found: readonly HopListing[], direction: HopDirection): readonly HopListing[] {
  const sign = direction === SELL ? -1 : 1;
  const sorted = found.toSorted((one, other) => sign * (one.value - other.value));
  const seen = new Set<string>();
  const known = new Set<string>();
  const [first, rest]: [HopListing[], HopListing[]] = [[], []];
  for (const listing of sorted) {
    const makers = [...listing.makers].toSorted(([one], [other]) => one - other);
    const key = `${listing.entries.length} ${makers.join(" ")}`;
    const whole = `${listing.value} ${key}`;
    if (known.has(whole)) continue;
    known.add(whole);
    (seen.has(key) ? rest : first).push(listing);
    seen.add(key);
  }
  return [...first, ...rest];
}
