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
import {
  type FillAmounts,
  fillBuying,
  fillSelling,
  I128_MAX,
  outputDown,
} from "../../model/settlement.ts";

const NO_FILL: FillAmounts = { sold: 0n, bought: 0n };

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

type Plan = FillAmounts & {
  /** How many orders are filled: buying, the first ones of the list. */
  readonly filled: number;
  /** By maker: what all of its orders are paid and deliver. */
  readonly makers: ReadonlyMap<number, FillAmounts>;
};

export type Settled = FillAmounts & {
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
    const plan = planHop(orders, output, true);
    if (plan === undefined) return undefined;
    output = plan.bought;
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
  for (const orders of hops.toReversed()) {
    const plan = planHop(orders, wanted, false);
    if (plan === undefined) return undefined;
    wanted = plan.sold;
    plans.unshift(plan);
  }
  if (!plans.every((plan, at) => canBePaid(hops[at]!, plan, plans[at - 1]))) return undefined;
  return {
    ...{ sold: wanted, bought: amount },
    filled: plans.map(({ filled }) => filled),
    flows: plans.map(({ bought }) => bought),
  };
}

/** What a maker delivered at the hop before releases headroom for what it is paid at this one. */
function canBePaid(orders: readonly ListedOrder[], plan: Plan, before: Plan | undefined): boolean {
  return orders.every(({ maker, headroom }) => {
    if (headroom === undefined) return true;
    const delivered = before?.makers.get(maker)?.bought ?? 0n;
    return (plan.makers.get(maker)?.sold ?? 0n) <= headroom + delivered;
  });
}

/** Sells all of `amount` to the orders, or buys exactly as much; undefined where they do not do. */
export function planHop(
  orders: readonly ListedOrder[],
  amount: bigint,
  sells: boolean,
): Plan | undefined {
  const makers = new Map<number, FillAmounts>();
  let [left, sold, bought, filled, priceMax] = [amount, 0n, 0n, 0, 0n];
  for (const { maker, budget, price, amount: most } of orders) {
    if (left === 0n) break;
    const fill = (sells ? fillSelling : fillBuying)(left, most, price);
    if (fill === undefined) continue;
    const before = makers.get(maker) ?? NO_FILL;
    const own = { sold: before.sold + fill.sold, bought: before.bought + fill.bought };
    if (own.bought > budget) return undefined;
    makers.set(maker, own);
    left -= sells ? fill.sold : fill.bought;
    sold += fill.sold;
    bought += fill.bought;
    filled += 1;
    if (price > priceMax) priceMax = price;
  }
  // Selling, a rest may stay that buys nothing at the highest price filled.
  const isUsedUp = left === 0n || (sells && filled > 0 && outputDown(left, priceMax) === 0n);
  if (!isUsedUp || sold > I128_MAX || bought > I128_MAX) return undefined;
  return { sold, bought, filled, makers };
}
