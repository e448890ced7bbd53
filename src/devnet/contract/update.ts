import { isDust } from "../../model/settlement.ts";
import type { OrderUpdate, UpdateCall } from "./call.ts";
import { ErrorCode } from "./error-code.ts";
import { fail } from "./fail.ts";
import type { ExchangeHost } from "./host.ts";
import { requireBacking, requireExpiration, requireListing, requirePrice } from "./listing.ts";
import { approve } from "./token.ts";
import { u128, type Value, vec } from "./value.ts";

/** Changes, revives or removes the trader's orders, in list order. Returns their ids. */
export function update(host: ExchangeHost, call: UpdateCall): Value {
  host.requireAuth(call.trader);
  for (const approval of call.approvals) approve(host, call.trader, approval);
  for (const change of call.updates) updateOrder(host, call, change);
  return vec(call.updates.map(({ id }) => u128(id)));
}

function updateOrder(host: ExchangeHost, call: UpdateCall, change: OrderUpdate): void {
  const { id, amount, price, expires } = change;
  const order = host.orders.get(id) ?? fail(host, ErrorCode.orderNotFound);
  if (order.owner !== call.trader) fail(host, ErrorCode.notAuthorized);
  if (amount === 0n) {
    host.orders.delete(id);
    host.emit({ kind: "mod", id, price: order.price, amount, expires: order.expires });
    return;
  }
  if (host.instance.get().frozen) fail(host, ErrorCode.frozen);
  if (amount < 0n) fail(host, ErrorCode.invalidAmount);
  requirePrice(host, price);
  requireExpiration(host, expires);
  const changed = { ...order, amount, price, expires };
  // A trade drops a rest that is dust; an update that would leave dust is refused.
  if (isDust(amount, price)) fail(host, ErrorCode.orderSizeTooSmall);
  requireListing(host, changed);
  requireBacking(host, changed);
  host.orders.set(id, changed);
  host.emit({ kind: "mod", id, price, amount, expires });
}
