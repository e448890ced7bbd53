// The best route of an asset path by trying every list of orders for every hop: slow and plain,
// with an own reading of the contract's settlement (contract.md), for small worlds.
import type { Address } from "../../src/model/address.ts";
import type { OrderId } from "../../src/model/order.ts";
import type { QuoteDirection } from "../../src/router-worker/quote.ts";
import type { OrderState, WorldState } from "../vectors/settlement-case.ts";

const UNIT = 10n ** 18n;

export type ExhaustiveDemand = {
  readonly direction: QuoteDirection;
  readonly amount: bigint;
  readonly ordersMax: number;
  /**
   * Tries the orders of a list in one sequence for each that can come last, instead of in all: any
   * list that settles fills all of its orders whole but the last one, so nothing is missed.
   */
  readonly endingsOnly?: boolean;
};

export type ExhaustiveRoute = {
  readonly sold: bigint;
  readonly bought: bigint;
  readonly orders: readonly (readonly OrderId[])[];
};

/** An order with what its maker has when the call begins. */
type Offer = OrderState & {
  readonly budget: bigint;
  /** Undefined: no bound. */
  readonly room: bigint | undefined;
};

type Fill = { readonly offer: Offer; readonly got: bigint; readonly paid: bigint };

/** `path`: the assets, the one sold first. Undefined: no list settles. */
export function exhaustiveRoute(
  state: WorldState,
  path: readonly Address[],
  demand: ExhaustiveDemand,
): ExhaustiveRoute | undefined {
  const hops = path.slice(1).map((buying, at) => offersOf(state, path[at], buying));
  let best: ExhaustiveRoute | undefined;
  const extend = (lists: readonly (readonly Offer[])[], places: number): void => {
    const hop = hops[lists.length];
    if (hop === undefined) {
      const route = settle(lists, demand);
      if (route !== undefined && isBetter(route, best, demand.direction)) best = route;
      return;
    }
    const most = places - (hops.length - 1 - lists.length);
    const choices = demand.endingsOnly === true ? endingsOf(hop, most) : listsOf(hop, most);
    for (const list of choices) extend([...lists, list], places - list.length);
  };
  extend([], demand.ordersMax);
  return best;
}

/** How many lists `exhaustiveRoute` would settle, about. */
export function exhaustiveCost(
  state: WorldState,
  path: readonly Address[],
  ordersMax: number,
): number {
  return path.slice(1).reduce((cost, buying, at) => {
    const count = offersOf(state, path[at], buying).length;
    let [lists, total] = [1, 0];
    for (let place = 0; place < Math.min(count, ordersMax); place += 1) {
      lists *= count - place;
      total += lists;
    }
    return cost * total;
  }, 1);
}

function isBetter(
  route: ExhaustiveRoute,
  best: ExhaustiveRoute | undefined,
  direction: QuoteDirection,
): boolean {
  if (best === undefined) return true;
  return direction === "strict_send" ? route.bought > best.bought : route.sold < best.sold;
}

/** What may be listed: live, more than dust, and its maker has something and can be paid. */
function offersOf(
  state: WorldState,
  selling: Address | undefined,
  buying: Address,
): readonly Offer[] {
  return state.orders.flatMap((order) => {
    if (order.selling !== buying || order.buying !== selling) return [];
    if (order.expires !== 0n && order.expires <= state.now + 10) return [];
    if ((order.amount * order.price) / UNIT === 0n) return [];
    const held = holderOf(state, order.owner, order.selling);
    const paid = holderOf(state, order.owner, order.buying);
    const granted = state.allowances.find(
      ({ owner, asset }) => owner === order.owner && asset === order.selling,
    );
    if (held === undefined || paid === undefined || granted === undefined) return [];
    if (granted.liveUntil < state.ledger) return [];
    const balance = held.balance - held.sellingLiabilities;
    const budget = balance < granted.amount ? balance : granted.amount;
    const room = paid.limit === null ? undefined : paid.limit - paid.balance;
    return budget > 0n ? [{ ...order, budget, room }] : [];
  });
}

function holderOf(state: WorldState, owner: Address, asset: Address) {
  return state.holders.find(
    (holder) =>
      holder.holder === owner && holder.asset === asset && holder.exists && holder.authorized,
  );
}

/** Every order of every choice of one to `most` offers. */
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

/** Every choice of one to `most` offers, once for each of them that comes last. */
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

/** The swap call on these lists; undefined where it fails or a maker cannot back a fill. */
function settle(
  lists: readonly (readonly Offer[])[],
  { direction, amount }: ExhaustiveDemand,
): ExhaustiveRoute | undefined {
  let bought = amount;
  if (direction === "strict_send") {
    for (const list of lists) {
      const fills = fill(list, bought, "strict_send");
      if (fills === undefined || fills.length === 0) return undefined;
      const left = bought - sum(fills, "paid");
      const worst = fills.reduce(
        (most, { offer }) => (offer.price > most ? offer.price : most),
        0n,
      );
      if ((left * UNIT) / worst > 0n) return undefined;
      bought = sum(fills, "got");
    }
  }
  let wanted = bought;
  const plans: (readonly Fill[])[] = [];
  for (const list of lists.toReversed()) {
    const fills = fill(list, wanted, "strict_receive");
    if (fills === undefined || sum(fills, "got") < wanted) return undefined;
    plans.unshift(fills);
    wanted = sum(fills, "paid");
  }
  if (direction === "strict_send" && wanted > amount) return undefined;
  if (!plans.every((fills, at) => canBePaid(fills, plans[at - 1] ?? []))) return undefined;
  return { sold: wanted, bought, orders: plans.map((fills) => fills.map(({ offer }) => offer.id)) };
}

function fill(
  list: readonly Offer[],
  amount: bigint,
  direction: QuoteDirection,
): readonly Fill[] | undefined {
  const fills: Fill[] = [];
  let left = amount;
  for (const offer of list) {
    if (left === 0n) break;
    const whole = costOf(offer, offer.amount);
    let got = left < offer.amount ? left : offer.amount;
    if (direction === "strict_send") {
      got = left >= whole ? offer.amount : (left * UNIT) / offer.price;
      if (got === 0n) continue;
    }
    const paid = costOf(offer, got);
    const delivered = sum(
      fills.filter((other) => other.offer.owner === offer.owner),
      "got",
    );
    if (delivered + got > offer.budget) return undefined;
    fills.push({ offer, got, paid });
    left -= direction === "strict_send" ? paid : got;
  }
  return fills;
}

/** A maker's room is what it has, and what it delivered of the asset at the hop before. */
function canBePaid(fills: readonly Fill[], before: readonly Fill[]): boolean {
  return fills.every(({ offer }) => {
    const isOfMaker = (other: Fill) => other.offer.owner === offer.owner;
    if (offer.room === undefined) return true;
    return (
      sum(fills.filter(isOfMaker), "paid") <= offer.room + sum(before.filter(isOfMaker), "got")
    );
  });
}

function costOf({ price }: Offer, got: bigint): bigint {
  return (got * price + UNIT - 1n) / UNIT;
}

function sum(fills: readonly Fill[], field: "got" | "paid"): bigint {
  return fills.reduce((total, fill) => total + fill[field], 0n);
}
