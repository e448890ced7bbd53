// The contract's settlement of a route in integers, written from contract.md independently of the engine,
// as plainly as can be: the oracle for what the router answers.
import type { Address } from "../../src/model/address.ts";
import type { OrderId } from "../../src/model/order.ts";
import type { QuoteDirection } from "../../src/router-worker/quote.ts";
import type { OrderState, WorldState } from "../vectors/settlement-case.ts";
import { CALL_BYTES_MAX, callBytes, type TokenWorld } from "./call-bytes.ts";

const UNIT = 10n ** 18n;

export type Demand = { readonly direction: QuoteDirection; readonly amount: bigint };

export type SettledRoute = {
  readonly sold: bigint;
  readonly bought: bigint;
  readonly orders: readonly (readonly OrderId[])[];
};

/** An order with what its maker has when the call begins. */
export type Offer = OrderState & {
  readonly budget: bigint;
  /** What its maker can still receive; undefined: no bound. */
  readonly headroom: bigint | undefined;
};

export type Fill = { readonly offer: Offer; readonly got: bigint; readonly paid: bigint };

/** The holders and allowances of a world by owner and asset. */
type Holdings = {
  readonly holders: ReadonlyMap<string, WorldState["holders"][number]>;
  readonly allowances: ReadonlyMap<string, WorldState["allowances"][number]>;
};

const holdingsOf = new WeakMap<WorldState, Holdings>();

/** The orders that may be listed: live, no dust, of makers who have something to deliver and can be paid. */
export function offersOf(state: WorldState, selling: Address, buying: Address): readonly Offer[] {
  const { holders, allowances } = holdings(state);
  return state.orders.flatMap((order) => {
    if (order.selling !== buying || order.buying !== selling) return [];
    if (order.expires !== 0n && order.expires <= state.now + 10) return [];
    if ((order.amount * order.price) / UNIT === 0n) return [];
    const held = holders.get(order.owner + order.selling);
    const paid = holders.get(order.owner + order.buying);
    const granted = allowances.get(order.owner + order.selling);
    if (held === undefined || paid === undefined || granted === undefined) return [];
    if (granted.liveUntil < state.ledger) return [];
    const balance = held.balance - held.sellingLiabilities;
    const budget = balance < granted.amount ? balance : granted.amount;
    const headroom = paid.limit === null ? undefined : paid.limit - paid.balance;
    return budget > 0n ? [{ ...order, budget, headroom }] : [];
  });
}

function holdings(state: WorldState): Holdings {
  const known = holdingsOf.get(state);
  if (known !== undefined) return known;
  const able = state.holders.filter(({ exists, authorized }) => exists && authorized);
  const made = {
    holders: new Map(able.map((one) => [one.holder + one.asset, one])),
    allowances: new Map(state.allowances.map((one) => [one.owner + one.asset, one])),
  };
  holdingsOf.set(state, made);
  return made;
}

/**
 * The swap call on these lists, one a hop. Undefined where it fails, where a maker cannot back or be
 * paid for a fill, and where the network does not carry its events.
 */
export function settleLists(
  state: TokenWorld,
  lists: readonly (readonly Offer[])[],
  { direction, amount }: Demand,
): SettledRoute | undefined {
  const bought = direction === "strict_send" ? flows(lists, amount)?.at(-1) : amount;
  if (bought === undefined) return undefined;
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
  const { callBytesMax = CALL_BYTES_MAX } = state;
  if (callBytes(state, plans.map(calledHop)) > callBytesMax) return undefined;
  return { sold: wanted, bought, orders: plans.map((fills) => fills.map(({ offer }) => offer.id)) };
}

/** Whether the one is the better answer; a tie is not. */
export function isBetter(
  route: SettledRoute,
  best: SettledRoute | undefined,
  direction: QuoteDirection,
): boolean {
  if (best === undefined) return true;
  return direction === "strict_send" ? route.bought > best.bought : route.sold < best.sold;
}

/** A sale planned forward: the amount, then what each hop gets. Undefined where a hop cannot use it up. */
export function flows(
  lists: readonly (readonly Offer[])[],
  amount: bigint,
): readonly bigint[] | undefined {
  const amounts = [amount];
  for (const list of lists) {
    const given = amounts.at(-1) ?? 0n;
    const fills = fill(list, given, "strict_send");
    if (fills === undefined || fills.length === 0) return undefined;
    const left = given - sum(fills, "paid");
    const highest = fills.reduce(
      (most, { offer }) => (offer.price > most ? offer.price : most),
      0n,
    );
    if ((left * UNIT) / highest > 0n) return undefined;
    amounts.push(sum(fills, "got"));
  }
  return amounts;
}

/** Undefined: a maker cannot back a fill, so that the order would be skipped. */
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

/** Whether every maker can be paid: within its headroom and what it delivered of the asset at the hop before. */
function canBePaid(fills: readonly Fill[], before: readonly Fill[]): boolean {
  return fills.every(({ offer }) => {
    const isOfMaker = (other: Fill) => other.offer.owner === offer.owner;
    if (offer.headroom === undefined) return true;
    return (
      sum(fills.filter(isOfMaker), "paid") <= offer.headroom + sum(before.filter(isOfMaker), "got")
    );
  });
}

function calledHop(fills: readonly Fill[]) {
  const { offer } = fills[0] as Fill;
  const makers = fills.map(({ offer: { owner } }) => owner);
  return { selling: offer.buying, buying: offer.selling, makers };
}

function costOf({ price }: Offer, got: bigint): bigint {
  return (got * price + UNIT - 1n) / UNIT;
}

function sum(fills: readonly Fill[], field: "got" | "paid"): bigint {
  return fills.reduce((total, fill) => total + fill[field], 0n);
}
