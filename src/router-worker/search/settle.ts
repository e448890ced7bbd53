// A route's selections settled in integers, exactly as the contract plans and executes it
// (contract.md, Settlement): what a quote promises comes from here and from nowhere else.
import {
  type BookView,
  ORDER_OWNER,
  ORDER_RECEIVED_BACKING,
  ORDER_SOLD_BACKING,
  ORDER_STRIDE_U32,
} from "../../book/shared-layout.ts";
import {
  backingBudget,
  backingHeadroom,
  orderAmount,
  orderPrice,
} from "../../book/shared-reader.ts";
import { fillBuying, fillSelling, I128_MAX, outputDown } from "../../model/settlement.ts";

/** An order to be listed. */
export type ListedOrder = {
  readonly price: bigint;
  /** Base units of what the order sells. */
  readonly amount: bigint;
  /** The owner: whose backing and headroom the order draws on. */
  readonly maker: number;
  /** What the maker can deliver at the start of the call. */
  readonly budget: bigint;
  /** What the maker can be paid at the start of the call; undefined: without bound. */
  readonly headroom: bigint | undefined;
};

/** The order in a slot, with all of its maker's backing and headroom. */
export function listedOrder(view: BookView, slot: number): ListedOrder {
  const at = slot * ORDER_STRIDE_U32;
  return {
    price: orderPrice(view, slot),
    amount: orderAmount(view, slot),
    maker: view.orderU32[at + ORDER_OWNER]!,
    budget: backingBudget(view, view.orderU32[at + ORDER_SOLD_BACKING]!),
    headroom: backingHeadroom(view, view.orderU32[at + ORDER_RECEIVED_BACKING]!),
  };
}

type Plan = {
  readonly paid: bigint;
  /** How many orders it takes: the first ones of the list. */
  readonly filled: number;
  /** By maker. */
  readonly deliveries: ReadonlyMap<number, bigint>;
  readonly payments: ReadonlyMap<number, bigint>;
};

export type Settled = {
  readonly sold: bigint;
  readonly bought: bigint;
  /** How many of each hop's orders are filled: the rest of the list is not needed. */
  readonly filled: readonly number[];
  /** What each hop is paid by the plan forward (selling), or has to give (buying). */
  readonly flows: readonly bigint[];
};

/**
 * Sells `amount` along the hops: forward for what comes out, then backward from it, which is what
 * executes. Undefined where the call would fail or an order be skipped.
 */
export function settleSelling(
  hops: readonly (readonly ListedOrder[])[],
  amount: bigint,
): Settled | undefined {
  let output = amount;
  const flows: bigint[] = [];
  for (const orders of hops) {
    flows.push(output);
    const got = planSelling(orders, output);
    if (got === undefined) return undefined;
    output = got;
  }
  const settled = settleBuying(hops, output);
  return settled === undefined || settled.sold > amount ? undefined : { ...settled, flows };
}

/** Buys exactly `amount` along the hops. Undefined as above. */
export function settleBuying(
  hops: readonly (readonly ListedOrder[])[],
  amount: bigint,
): Settled | undefined {
  let wanted = amount;
  const plans: Plan[] = [];
  const flows: bigint[] = [];
  for (const orders of hops.toReversed()) {
    const plan = planBuying(orders, wanted);
    if (plan === undefined) return undefined;
    flows.unshift(wanted);
    wanted = plan.paid;
    plans.unshift(plan);
  }
  for (const [at, plan] of plans.entries()) {
    if (!canBePaid(hops[at]!, plan, plans[at - 1])) return undefined;
  }
  return { sold: wanted, bought: amount, filled: plans.map(({ filled }) => filled), flows };
}

/** What a maker delivered at the hop before releases headroom for what it is paid at this one. */
function canBePaid(orders: readonly ListedOrder[], plan: Plan, before: Plan | undefined): boolean {
  return orders.every(({ maker, headroom }) => {
    if (headroom === undefined) return true;
    const delivered = before?.deliveries.get(maker) ?? 0n;
    return (plan.payments.get(maker) ?? 0n) <= headroom + delivered;
  });
}

/** What selling all of `amount` to the orders gets, or undefined. */
export function planSelling(orders: readonly ListedOrder[], amount: bigint): bigint | undefined {
  const deliveries = new Map<number, bigint>();
  let left = amount;
  let got = 0n;
  let priceMax = 0n;
  for (const order of orders) {
    if (left === 0n) break;
    const fill = fillSelling(left, order.amount, order.price);
    if (fill === undefined) continue;
    const delivered = (deliveries.get(order.maker) ?? 0n) + fill.bought;
    if (delivered > order.budget) return undefined;
    deliveries.set(order.maker, delivered);
    left -= fill.sold;
    got += fill.bought;
    if (order.price > priceMax) priceMax = order.price;
  }
  if (priceMax === 0n || got > I128_MAX || outputDown(left, priceMax) > 0n) return undefined;
  return got;
}

/** Buying exactly `amount` from the orders, or undefined. */
export function planBuying(orders: readonly ListedOrder[], amount: bigint): Plan | undefined {
  const deliveries = new Map<number, bigint>();
  const payments = new Map<number, bigint>();
  let left = amount;
  let paid = 0n;
  let filled = 0;
  for (const order of orders) {
    if (left === 0n) break;
    const fill = fillBuying(left, order.amount, order.price);
    const delivered = (deliveries.get(order.maker) ?? 0n) + fill.bought;
    if (delivered > order.budget) return undefined;
    deliveries.set(order.maker, delivered);
    payments.set(order.maker, (payments.get(order.maker) ?? 0n) + fill.sold);
    left -= fill.bought;
    paid += fill.sold;
    filled += 1;
  }
  return left > 0n || paid > I128_MAX ? undefined : { paid, filled, deliveries, payments };
}
