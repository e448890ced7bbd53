import { type Address, compareAddresses } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import type { OrderUpdate, UpdateCall } from "./call.ts";
import { checked, ErrorCode, fail } from "./error-code.ts";
import type { ExchangeHost, OrderEntry } from "./host.ts";
import { isTooSmall, Listing, requireExpiration, requireMeans, requirePrice } from "./listing.ts";
import { requireReceiving } from "./settle.ts";
import { approve } from "./token.ts";
import { u128, type Value, vec } from "./value.ts";

/**
 * Changes, revives or removes the trader's orders, each once, in list order; unknown ids are passed
 * over. The owner's means are asked for once an asset, for all of it. Returns the ids.
 */
export function update(host: ExchangeHost, call: UpdateCall): Value {
  host.requireAuth(call.trader);
  for (const approval of call.approvals) approve(host, call.trader, approval);
  const { frozen, config } = host.instance.get();
  const listing = new Listing(host, config);
  const amounts = new Map<Address, bigint>();
  const ids = new Set<OrderId>();
  const seen = new Set<OrderId>();
  for (const change of call.updates) {
    const { id } = change;
    const order = seen.has(id) ? undefined : host.orders.get(id);
    seen.add(id);
    if (order === undefined) continue;
    if (order.owner !== call.trader) fail(host, ErrorCode.notAuthorized);
    ids.add(id);
    if (change.amount === 0n) {
      remove(host, id, order);
      continue;
    }
    if (frozen) fail(host, ErrorCode.frozen);
    const changed = changeOrder(host, order, change, listing);
    const { selling, amount } = changed;
    amounts.set(selling, checked(host, (amounts.get(selling) ?? 0n) + amount));
  }
  const sums = [...amounts].sort(([one], [other]) => compareAddresses(one, other));
  for (const [selling, amount] of sums) requireMeans(host, { owner: call.trader, selling, amount });
  return vec([...ids].map(u128));
}

function remove(host: ExchangeHost, id: OrderId, { price, expires }: OrderEntry): void {
  host.orders.delete(id);
  host.emit({ kind: "mod", id, price, amount: 0n, expires });
}

function changeOrder(
  host: ExchangeHost,
  order: OrderEntry,
  { id, amount, price, expires }: OrderUpdate,
  listing: Listing,
): OrderEntry {
  if (amount < 0n) fail(host, ErrorCode.invalidAmount);
  requirePrice(host, price);
  requireExpiration(host, expires);
  const changed = { ...order, amount, price, expires };
  if (isTooSmall(host, changed)) fail(host, ErrorCode.orderSizeTooSmall);
  listing.requireMarket(order.selling, order.buying, () => changed);
  requireReceiving(host, order.buying, order.owner);
  host.orders.set(id, changed);
  host.emit({ kind: "mod", id, price, amount, expires });
  return changed;
}
