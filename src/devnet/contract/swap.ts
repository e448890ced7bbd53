// Swaps over several hops (contract.md, swap). The plan that executes is always the backward one:
// every hop buys exactly what the next one pays, so that nothing stays in the contract.
import type { Address } from "../../model/address.ts";
import { outputDown } from "../../model/settlement.ts";
import { Backings } from "./backing.ts";
import { Direction, type SwapCall, type SwapHop } from "./call.ts";
import { ErrorCode, fail } from "./error-code.ts";
import type { ExchangeHost } from "./host.ts";
import { type Plan, planFills, worstPriceOf } from "./match.ts";
import { forward, reportSkips, requireHolding, settle } from "./settle.ts";
import { approve } from "./token.ts";
import { i128, type Value, vec } from "./value.ts";

type Hop = SwapHop & { readonly selling: Address };

/** Returns [sold, bought]. */
export function swap(host: ExchangeHost, call: SwapCall): Value {
  host.requireAuth(call.trader);
  if (host.instance.get().frozen) fail(host, ErrorCode.frozen);
  const hops = hopsOf(call);
  const last = hops.at(-1);
  if (last === undefined || call.sellingAmount <= 0n || call.buyingAmount <= 0n) {
    return fail(host, ErrorCode.invalidMatch);
  }
  if (call.approve !== undefined) approve(host, call.trader, call.approve);
  for (const { asset } of hops) requireHolding(host, asset);
  const bought =
    call.direction === Direction.buy
      ? call.buyingAmount
      : planForward(host, hops, call.sellingAmount);
  if (bought < call.buyingAmount) fail(host, ErrorCode.notFilled);
  const plans = planBackward(host, hops, bought);
  const sold = plans[0]?.sold ?? 0n;
  if (sold > call.sellingAmount) fail(host, ErrorCode.notFilled);
  for (const [at, plan] of plans.entries()) {
    const settled = settle(host, plan, { taker: at === 0 ? call.trader : host.self, strict: true });
    reportSkips(host, settled.skipped);
  }
  forward(host, last.asset, call.trader, bought);
  const { selling, trader } = call;
  host.emit({ kind: "swap", selling, buying: last.asset, trader, sold, bought });
  return vec([i128(sold), i128(bought)]);
}

/** A path may come back to an asset. */
function hopsOf(call: SwapCall): readonly Hop[] {
  return call.path.map((hop, at) => ({
    ...hop,
    selling: call.path[at - 1]?.asset ?? call.selling,
  }));
}

/** What selling `amount` over the hops gives; a hop may leave over only what buys nothing. */
function planForward(host: ExchangeHost, hops: readonly Hop[], amount: bigint): bigint {
  return hops.reduce((input, hop) => {
    const plan = planHop(host, hop, Direction.sell, input);
    const worst = worstPriceOf(plan);
    if (worst === 0n || outputDown(plan.left, worst) > 0n) fail(host, ErrorCode.notFilled);
    return plan.bought;
  }, amount);
}

/** Plans in execution order; each one buys what the next one sells, the last one `amount`. */
function planBackward(host: ExchangeHost, hops: readonly Hop[], amount: bigint): readonly Plan[] {
  const plans: Plan[] = [];
  let wanted = amount;
  for (const hop of hops.toReversed()) {
    const plan = planHop(host, hop, Direction.buy, wanted);
    if (plan.left > 0n) fail(host, ErrorCode.notFilled);
    plans.unshift(plan);
    wanted = plan.sold;
  }
  return plans;
}

/** On what makers have before the call: plans move nothing, and share no backing with each other. */
function planHop(host: ExchangeHost, hop: Hop, direction: Direction, amount: bigint): Plan {
  const { selling, asset: buying, orders } = hop;
  return planFills(host, { direction, selling, buying, amount, orders }, new Backings(host));
}
