// Hot path: settlement as in settle.ts, in plain numbers: exact where no sum reaches 2^51. Some 50 ns an order.
import {
  BACKING_BUDGET_F64,
  BACKING_HEADROOM_F64,
  BACKING_STRIDE_F64,
  type BookView,
  ORDER_AMOUNT_F64,
  ORDER_OWNER,
  ORDER_PRICE_F64,
  ORDER_RECEIVED_BACKING,
  ORDER_SOLD_BACKING,
  ORDER_STRIDE_F64,
  ORDER_STRIDE_U32,
} from "../../book/shared-layout.ts";
import { priceAt } from "./hop-columns.ts";
import { costOf, EXACT_MAX, outputOf, realPrice } from "./rounding.ts";
import type { Settled } from "./settle.ts";

type Fill = {
  readonly slot: number;
  readonly maker: number;
  readonly sold: number;
  readonly bought: number;
};

type Plan = { readonly sold: number; readonly bought: number; readonly fills: readonly Fill[] };

/** Whether plain numbers hold all that the orders in these slots, by hop, can add up to. */
export function isPlain(
  { orderF64 }: BookView,
  hops: readonly (readonly number[])[],
  amount: bigint,
): boolean {
  return (
    amount < EXACT_MAX &&
    hops.every((slots) => {
      let [got, paid] = [0, slots.length];
      for (const slot of slots) {
        const own = orderF64[slot * ORDER_STRIDE_F64 + ORDER_AMOUNT_F64]!;
        got += own;
        paid += own * priceOf(orderF64, slot);
      }
      return got < EXACT_MAX && paid < EXACT_MAX;
    })
  );
}

/** As `settleSelling` or `settleBuying` with all of their makers' backing and headroom; where `isPlain`. */
export function settlePlainly(
  view: BookView,
  hops: readonly (readonly number[])[],
  amount: number,
  sells: boolean,
): Settled | undefined {
  const flows: number[] = [];
  let flow = amount;
  for (let hop = 0; sells && hop < hops.length; hop += 1) {
    flows.push(flow);
    const plan = planHop(view, hops[hop]!, flow, true);
    if (plan === undefined) return undefined;
    flow = plan.bought;
  }
  const bought = flow;
  const plans: Plan[] = [];
  for (let hop = hops.length - 1; hop >= 0; hop -= 1) {
    const plan = planHop(view, hops[hop]!, flow, false);
    if (plan === undefined) return undefined;
    if (!sells) flows.unshift(flow);
    flow = plan.sold;
    plans.unshift(plan);
  }
  if (sells && flow > amount) return undefined;
  if (!plans.every(({ fills }, hop) => canBePaid(view, fills, plans[hop - 1]?.fills ?? []))) {
    return undefined;
  }
  return {
    ...{ sold: BigInt(flow), bought: BigInt(bought), flows: flows.map(BigInt) },
    filled: plans.map(({ fills }) => fills.length),
  };
}

function planHop(
  view: BookView,
  slots: readonly number[],
  amount: number,
  sells: boolean,
): Plan | undefined {
  const { orderF64, orderU32, orderU64: words } = view;
  const fills: Fill[] = [];
  let [left, sold, bought] = [amount, 0, 0];
  for (const slot of slots) {
    if (left === 0) break;
    const own = orderF64[slot * ORDER_STRIDE_F64 + ORDER_AMOUNT_F64]!;
    const price = priceOf(orderF64, slot);
    const at = priceAt(slot);
    const whole = sells ? costOf(own, price, words, at) : own;
    const isWhole = left >= whole;
    const gets = isWhole ? own : sells ? outputOf(left, price, words, at) : left;
    if (gets === 0) continue;
    const pays = isWhole && sells ? whole : costOf(gets, price, words, at);
    const maker = orderU32[slot * ORDER_STRIDE_U32 + ORDER_OWNER]!;
    fills.push({ slot, maker, sold: pays, bought: gets });
    const backing = orderU32[slot * ORDER_STRIDE_U32 + ORDER_SOLD_BACKING]!;
    const budget = view.backingF64[backing * BACKING_STRIDE_F64 + BACKING_BUDGET_F64]!;
    if (sumOf(fills, maker, "bought") > budget) return undefined;
    left -= sells ? pays : gets;
    sold += pays;
    bought += gets;
  }
  // Selling, a rest may stay that buys nothing at the highest price filled.
  const buysNothing = ({ slot }: Fill) =>
    outputOf(left, priceOf(orderF64, slot), words, priceAt(slot)) === 0;
  if (left > 0 && !(sells && fills.some(buysNothing))) return undefined;
  return { sold, bought, fills };
}

/** What a maker delivered at the hop before releases headroom for what it is paid at this one. */
function canBePaid(view: BookView, fills: readonly Fill[], before: readonly Fill[]): boolean {
  return fills.every(({ slot, maker }) => {
    const backing = view.orderU32[slot * ORDER_STRIDE_U32 + ORDER_RECEIVED_BACKING]!;
    const headroom = view.backingF64[backing * BACKING_STRIDE_F64 + BACKING_HEADROOM_F64]!;
    return sumOf(fills, maker, "sold") <= headroom + sumOf(before, maker, "bought");
  });
}

function sumOf(fills: readonly Fill[], maker: number, of: "sold" | "bought"): number {
  let sum = 0;
  for (const fill of fills) if (fill.maker === maker) sum += fill[of];
  return sum;
}

function priceOf(orderF64: Float64Array, slot: number): number {
  return realPrice(orderF64[slot * ORDER_STRIDE_F64 + ORDER_PRICE_F64]!);
}
