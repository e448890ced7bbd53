// Views: read-only functions of the exchange, which need no authorization.
import { type Address, canonicalPair } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import { configValue } from "./event.ts";
import type { ExchangeHost } from "./host.ts";
import { marketValue } from "./market.ts";
import { addressValue, bool, i128, map, u64, u128, type Value, VOID } from "./value.ts";

export function configView(host: ExchangeHost): Value {
  return configValue(host.instance.get().config);
}

export function frozenView(host: ExchangeHost): Value {
  return bool(host.instance.get().frozen);
}

/** Void where there is no market of the two. */
export function marketView(host: ExchangeHost, selling: Address, buying: Address): Value {
  const pair = canonicalPair(selling, buying);
  const market = host.markets.get(pair);
  return market === undefined ? VOID : marketValue(pair, market);
}

/** Void where there is no such order, or it has expired. */
export function orderView(host: ExchangeHost, id: OrderId): Value {
  const order = host.orders.get(id);
  if (order === undefined) return VOID;
  const { owner, selling, buying, amount, price, expires } = order;
  if (expires !== 0n && expires <= BigInt(host.now)) return VOID;
  return map([
    ["amount", i128(amount)],
    ["buying", addressValue(buying)],
    ["expires", u64(expires)],
    ["id", u128(id)],
    ["owner", addressValue(owner)],
    ["price", i128(price)],
    ["selling", addressValue(selling)],
  ]);
}
