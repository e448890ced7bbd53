import type { Address } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import { costUp, invertPriceDown, invertPriceUp, isDust } from "../../model/settlement.ts";
import { Backings } from "./backing.ts";
import { Direction, type TradeCall, TradeKind } from "./call.ts";
import { ErrorCode } from "./error-code.ts";
import { checked, fail } from "./fail.ts";
import type { ExchangeHost } from "./host.ts";
import { Listing, requireExpiration, requirePrice, type Terms } from "./listing.ts";
import { isLive, planFills } from "./match.ts";
import { forward, reportSkips, settle } from "./settle.ts";
import { approve } from "./token.ts";
import { i128, u128, type Value, VOID, vec } from "./value.ts";

/** The id of an owner's order with this nonce. */
export type DeriveOrderId = (owner: Address, nonce: bigint) => OrderId;

/** Crosses the listed orders; a Limit's rest becomes an order. Returns [sold, bought, id or void]. */
export function trade(host: ExchangeHost, call: TradeCall, deriveId: DeriveOrderId): Value {
  host.requireAuth(call.trader);
  const { frozen, config } = host.instance.get();
  if (frozen) fail(host, ErrorCode.frozen);
  if (call.selling === call.buying) fail(host, ErrorCode.invalidMatch);
  if (call.amount <= 0n) fail(host, ErrorCode.invalidAmount);
  requirePrice(host, call.price);
  const listing = new Listing(host, config);
  if (call.kind === TradeKind.limit) {
    requireExpiration(host, call.expires);
    listing.requireMarket(restTerms(host, call, call.amount));
  }
  if (call.approve !== undefined) approve(host, call.trader, call.approve);
  const { direction, selling, buying, amount, orders } = call;
  const priceMax = direction === Direction.sell ? invertPriceDown(call.price) : call.price;
  const demand = { direction, selling, buying, amount, priceMax, orders };
  const plan = planFills(host, demand, new Backings(host));
  const settled = settle(host, plan, { taker: call.trader, strict: false });
  if (settled.bought > 0n) forward(host, buying, call.trader, settled.bought);
  const left = amount - (direction === Direction.sell ? settled.sold : settled.bought);
  if (call.kind === TradeKind.fillOrKill && left > 0n) fail(host, ErrorCode.notFilled);
  reportSkips(host, settled.skipped);
  const placed =
    call.kind === TradeKind.limit ? placeRest(host, call, { left, deriveId, listing }) : undefined;
  return vec([
    i128(settled.sold),
    i128(settled.bought),
    placed === undefined ? VOID : u128(placed),
  ]);
}

/** The order that `left` of the call would be: every order is kept as a sell order. */
function restTerms(host: ExchangeHost, call: TradeCall, left: bigint): Terms {
  const { trader: owner, selling, buying } = call;
  if (call.direction === Direction.sell) {
    return { owner, selling, buying, amount: left, price: call.price };
  }
  const amount = checked(host, costUp(left, call.price));
  return { owner, selling, buying, amount, price: invertPriceUp(call.price) };
}

type Rest = {
  readonly left: bigint;
  readonly deriveId: DeriveOrderId;
  readonly listing: Listing;
};

function placeRest(
  host: ExchangeHost,
  call: TradeCall,
  { left, deriveId, listing }: Rest,
): OrderId | undefined {
  const terms = restTerms(host, call, left);
  if (isDust(terms.amount, terms.price)) return undefined;
  listing.requireBacking(terms);
  const id = deriveId(call.trader, call.nonce);
  const taken = host.orders.get(id);
  if (taken !== undefined && isLive(host, taken)) fail(host, ErrorCode.orderExists);
  const entry = { ...terms, expires: call.expires };
  host.orders.set(id, entry);
  host.emit({ kind: "new", id, ...entry });
  return id;
}
