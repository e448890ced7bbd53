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
  readonly makers: ReadonlyMap<number, MakerFills>;
};

type MakerFills = FillAmounts & Pick<ListedOrder, "headroom">;

export type Settled = FillAmounts & {
  /** How many of each hop's orders are filled: the rest of the list is not needed. */
  readonly filled: readonly number[];
  /** What each hop is paid by the plan forward (selling), or has to give (buying). */
  readonly flows: readonly bigint[];
};

/**
 * Sells `amount` along the hops: forward for what comes out, then backward from it, which is what
 * executes; or buys exactly `amount`: backward alone. Undefined where the call would fail or an order be
 * skipped.
 */
export function settle(
  hops: readonly (readonly ListedOrder[])[],
  amount: bigint,
  sells: boolean,
): Settled | undefined {
  let flow = amount;
  const flows: bigint[] = [];
  for (let hop = 0; sells && hop < hops.length; hop += 1) {
    flows.push(flow);
    const plan = planHop(hops[hop]!, flow, true);
    if (plan === undefined) return undefined;
    flow = plan.bought;
  }
  const bought = flow;
  const plans: Plan[] = [];
  for (const orders of hops.toReversed()) {
    const plan = planHop(orders, flow, false);
    if (plan === undefined) return undefined;
    if (!sells) flows.unshift(flow);
    flow = plan.sold;
    plans.unshift(plan);
  }
  if (sells && flow > amount) return undefined;
  if (!plans.every((plan, hop) => canBePaid(plan, plans[hop - 1]))) return undefined;
  return { sold: flow, bought, filled: plans.map(({ filled }) => filled), flows };
}

/** What a maker delivered at the hop before releases headroom for what it is paid at this one. */
function canBePaid({ makers }: Plan, before: Plan | undefined): boolean {
  for (const [maker, { sold, headroom }] of makers) {
    if (headroom === undefined || sold <= headroom) continue;
    if (sold > headroom + (before?.makers.get(maker)?.bought ?? 0n)) return false;
  }
  return true;
}

/** Sells all of `amount` to the orders, or buys exactly as much; undefined where they do not do. */
export function planHop(
  orders: readonly ListedOrder[],
  amount: bigint,
  sells: boolean,
): Plan | undefined {
  const makers = new Map<number, MakerFills>();
  let [left, sold, bought, filled, priceMax] = [amount, 0n, 0n, 0, 0n];
  for (const { maker, amount: most, budget, headroom, price } of orders) {
    if (left === 0n) break;
    const fill = sells ? fillSelling(left, most, price) : fillBuying(left, most, price);
    if (fill === undefined) continue;
    const before = makers.get(maker);
    const own = {
      sold: before === undefined ? fill.sold : before.sold + fill.sold,
      bought: before === undefined ? fill.bought : before.bought + fill.bought,
      headroom,
    };
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
