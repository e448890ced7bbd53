// The best route of an asset path by trying every list of orders for every hop: slow and plain,
// for small worlds.
import type { Address } from "../../src/model/address.ts";
import type { TokenWorld } from "./call-bytes.ts";
import {
  type Demand,
  isBetter,
  type Offer,
  offersOf,
  type SettledRoute,
  settleLists,
} from "./plain-settlement.ts";

export type ExhaustiveDemand = Demand & {
  readonly ordersMax: number;
  /**
   * Tries each set of orders once for each order that can come last, not in every sequence. Nothing is
   * missed: a list that settles fills all of its orders whole but the last one.
   */
  readonly endingsOnly?: boolean;
};

/** `path`: the assets, the one sold first. Undefined: no list settles. */
export function exhaustiveRoute(
  state: TokenWorld,
  path: readonly Address[],
  demand: ExhaustiveDemand,
): SettledRoute | undefined {
  const hops = hopsOf(state, path);
  let best: SettledRoute | undefined;
  const extend = (lists: readonly (readonly Offer[])[], slots: number): void => {
    const hop = hops[lists.length];
    if (hop === undefined) {
      const route = settleLists(state, lists, demand);
      if (route !== undefined && isBetter(route, best, demand.direction)) best = route;
      return;
    }
    const most = slots - (hops.length - 1 - lists.length);
    const choices = demand.endingsOnly === true ? endingsOf(hop, most) : listsOf(hop, most);
    for (const list of choices) extend([...lists, list], slots - list.length);
  };
  extend([], demand.ordersMax);
  return best;
}

/** About how many combinations of lists `exhaustiveRoute` settles. */
export function exhaustiveCost(
  state: TokenWorld,
  path: readonly Address[],
  ordersMax: number,
): number {
  return hopsOf(state, path).reduce((cost, { length: count }) => {
    let [lists, total] = [1, 0];
    for (let place = 0; place < Math.min(count, ordersMax); place += 1) {
      lists *= count - place;
      total += lists;
    }
    return cost * total;
  }, 1);
}

function hopsOf(state: TokenWorld, path: readonly Address[]): readonly (readonly Offer[])[] {
  return path.slice(1).map((buying, at) => offersOf(state, path[at] ?? buying, buying));
}

/** Every sequence of one to `most` offers. */
function* listsOf(
  offers: readonly Offer[],
  most: number,
  begun: readonly Offer[] = [],
): Generator<readonly Offer[]> {
  if (begun.length > 0 && begun.length <= most) yield begun;
  if (begun.length >= most) return;
  for (const offer of offers) {
    if (!begun.includes(offer)) yield* listsOf(offers, most, [...begun, offer]);
  }
}

/** Every set of one to `most` offers, once for each of them that comes last. */
function* endingsOf(
  offers: readonly Offer[],
  most: number,
  from = 0,
  begun: readonly Offer[] = [],
): Generator<readonly Offer[]> {
  if (most < 1) return;
  for (const last of offers) if (!begun.includes(last)) yield [...begun, last];
  if (begun.length === most - 1) return;
  for (const [at, offer] of offers.entries()) {
    if (at >= from) yield* endingsOf(offers, most, at + 1, [...begun, offer]);
  }
}
