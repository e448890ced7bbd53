// A trade of one pair (contract.md, "The order in which a call's rules are checked").
import type { Address } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import { costUp, invertPriceDown, invertPriceUp, outputDown } from "../../model/settlement.ts";
import { Backings } from "./backing.ts";
import { Direction, type TradeCall, TradeKind } from "./call.ts";
import { checked, ErrorCode, fail } from "./error-code.ts";
import type { ExchangeHost } from "./host.ts";
import {
  isTooSmall,
  Listing,
  requireExpiration,
  requireMeans,
  requirePrice,
  type Terms,
} from "./listing.ts";
import { isLive, type Plan, planFills, worstPriceOf } from "./match.ts";
import {
  reportSkips,
  requireHolding,
  requireReceiving,
  type Settlement,
  settle,
} from "./settle.ts";
import { approve, tryPay } from "./token.ts";
import { i128, u128, type Value, VOID, vec } from "./value.ts";

export type DeriveOrderId = (owner: Address, nonce: bigint) => OrderId;

/** Crosses the listed orders; a Limit's rest becomes an order. Returns [sold, bought, id or void]. */
export function trade(host: ExchangeHost, call: TradeCall, deriveId: DeriveOrderId): Value {
  host.requireAuth(call.trader);
  const { frozen, config } = host.instance.get();
  if (frozen) fail(host, ErrorCode.frozen);
  if (call.amount <= 0n) fail(host, ErrorCode.invalidAmount);
  requirePrice(host, call.price);
  if (call.selling === call.buying) fail(host, ErrorCode.invalidMatch);
  if (call.approve !== undefined) approve(host, call.trader, call.approve);
  if (call.kind === TradeKind.limit) {
    requireExpiration(host, call.expires);
    const terms = (): Terms => orderTerms(host, call, call.amount);
    new Listing(host, config).requireMarket(call.selling, call.buying, terms);
  }
  const { direction, selling, buying, amount, orders } = call;
  const priceMax = direction === Direction.sell ? invertPriceDown(call.price) : call.price;
  const demand = { direction, selling, buying, amount, priceMax, orders };
  const plan = planFills(host, demand, new Backings(host));
  const planned = { sold: plan.sold, bought: plan.bought, worstPrice: worstPriceOf(plan) };
  const kills = call.kind === TradeKind.fillOrKill;
  if (kills && !isInFull(call, planned)) fail(host, ErrorCode.notFilled);
  const settled = settleFor(host, plan, call.trader);
  const inFull = isInFull(call, settled);
  if (kills && !inFull) fail(host, ErrorCode.notFilled);
  const rests = call.kind === TradeKind.limit && !inFull;
  const id = rests ? placeRest(host, call, settled, deriveId) : undefined;
  return vec([i128(settled.sold), i128(settled.bought), id === undefined ? VOID : u128(id)]);
}

/** Fails with 708 and 712 where what is bought cannot be forwarded or held. */
function settleFor(host: ExchangeHost, plan: Plan, trader: Address): Settlement {
  const { buying } = plan;
  if (plan.fills.length > 0) {
    requireReceiving(host, buying, trader);
    requireHolding(host, buying);
  }
  const settled = settle(host, plan, { taker: trader, strict: false });
  if (settled.bought > 0n) {
    const forwarding = { token: buying, from: host.self, to: trader, amount: settled.bought };
    if (!tryPay(host, forwarding).ok) fail(host, ErrorCode.cannotReceive);
  }
  reportSkips(host, settled.skipped);
  return settled;
}

type Executed = Pick<Settlement, "sold" | "bought" | "worstPrice">;

/** A sale is in full too where what is left buys nothing at the highest price that was filled. */
function isInFull({ direction, amount }: TradeCall, executed: Executed): boolean {
  const { sold, bought, worstPrice } = executed;
  if (worstPrice === 0n) return false;
  if (direction === Direction.buy) return bought >= amount;
  return sold >= amount || outputDown(amount - sold, worstPrice) === 0n;
}

/** The order that `left` of the call would be: every order is kept as a sell order. */
function orderTerms(host: ExchangeHost, call: TradeCall, left: bigint): Terms {
  const { trader: owner, selling, buying } = call;
  if (call.direction === Direction.sell) {
    return { owner, selling, buying, amount: left, price: call.price };
  }
  const amount = checked(host, costUp(left, call.price));
  return { owner, selling, buying, amount, price: invertPriceUp(call.price) };
}

/** Undefined where the rest is dust that a trade with fills drops. */
function placeRest(
  host: ExchangeHost,
  call: TradeCall,
  { sold, bought }: Executed,
  deriveId: DeriveOrderId,
): OrderId | undefined {
  const left = call.amount - (call.direction === Direction.sell ? sold : bought);
  const terms = orderTerms(host, call, left);
  if (isTooSmall(host, terms)) {
    return bought > 0n ? undefined : fail(host, ErrorCode.orderSizeTooSmall);
  }
  const id = deriveId(call.trader, call.nonce);
  const taken = host.orders.get(id);
  if (taken !== undefined && isLive(host, taken)) fail(host, ErrorCode.orderExists);
  requireMeans(host, terms);
  requireReceiving(host, terms.buying, terms.owner);
  const entry = { ...terms, expires: call.expires };
  host.orders.set(id, entry);
  host.emit({ kind: "new", id, ...entry });
  return id;
}
