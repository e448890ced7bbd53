// Swaps over several hops (contract.md, swap). The plan that executes is always the backward one:
// every hop buys exactly what the next one pays, so that nothing stays in the contract.
import type { Address } from "../../model/address.ts";
import { greater, outputDown } from "../../model/settlement.ts";
import { Backings } from "./backing.ts";
import { Direction, type SwapCall, type SwapHop } from "./call.ts";
import { ErrorCode } from "./error-code.ts";
import { fail } from "./fail.ts";
import type { ExchangeHost } from "./host.ts";
import { type Plan, planFills } from "./match.ts";
import { forward, reportSkips, settle } from "./settle.ts";
import { approve } from "./token.ts";
import { i128, type Value, vec } from "./value.ts";

type Hop = SwapHop & { readonly selling: Address };

/** Returns [sold, bought]. */
export function swap(host: ExchangeHost, call: SwapCall): Value {
  host.requireAuth(call.trader);
  if (host.instance.get().frozen) fail(host, ErrorCode.frozen);
  if (call.sellingAmount <= 0n || call.buyingAmount <= 0n) fail(host, ErrorCode.invalidAmount);
  const hops = readHops(host, call);
  const last = hops.at(-1) ?? fail(host, ErrorCode.invalidMatch);
  if (call.approve !== undefined) approve(host, call.trader, call.approve);
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

/** A path that comes back to an asset is refused: its hops could not be planned on their own. */
function readHops(host: ExchangeHost, call: SwapCall): readonly Hop[] {
  const seen = new Set([call.selling]);
  let { selling } = call;
  return call.path.map((hop) => {
    if (seen.has(hop.asset)) fail(host, ErrorCode.invalidMatch);
    seen.add(hop.asset);
    const step = { ...hop, selling };
    selling = hop.asset;
    return step;
  });
}

/** What selling `amount` over the hops gives; a hop may leave over only what buys nothing. */
function planForward(host: ExchangeHost, hops: readonly Hop[], amount: bigint): bigint {
  const backings = new Backings(host);
  return hops.reduce((input, hop) => {
    const plan = planHop(host, hop, { direction: Direction.sell, amount: input, backings });
    const worst = plan.fills.reduce((most, { order }) => greater(most, order.price), 0n);
    if (worst === 0n || outputDown(plan.left, worst) > 0n) fail(host, ErrorCode.notFilled);
    return plan.bought;
  }, amount);
}

/** Plans in execution order; each one buys what the next one sells, the last one `amount`. */
function planBackward(host: ExchangeHost, hops: readonly Hop[], amount: bigint): readonly Plan[] {
  const backings = new Backings(host);
  const plans: Plan[] = [];
  let wanted = amount;
  for (const hop of hops.toReversed()) {
    const plan = planHop(host, hop, { direction: Direction.buy, amount: wanted, backings });
    if (plan.left > 0n) fail(host, ErrorCode.notFilled);
    plans.unshift(plan);
    wanted = plan.sold;
  }
  return plans;
}

type HopDemand = {
  readonly direction: Direction;
  readonly amount: bigint;
  readonly backings: Backings;
};

function planHop(host: ExchangeHost, hop: Hop, { direction, amount, backings }: HopDemand): Plan {
  const { selling, asset: buying, orders } = hop;
  return planFills(host, { direction, selling, buying, amount, orders }, backings);
}
