import type { OrderId } from "../../model/order.ts";
import { isDust } from "../../model/settlement.ts";
import type { OrderUpdate, UpdateCall } from "./call.ts";
import { ErrorCode } from "./error-code.ts";
import { fail } from "./fail.ts";
import type { ExchangeHost, OrderEntry } from "./host.ts";
import { Listing, requireExpiration, requirePrice } from "./listing.ts";
import { approve } from "./token.ts";
import { u128, type Value, vec } from "./value.ts";

/** Changes, revives or removes the trader's orders, in list order. Returns their ids. */
export function update(host: ExchangeHost, call: UpdateCall): Value {
  host.requireAuth(call.trader);
  for (const approval of call.approvals) approve(host, call.trader, approval);
  const { frozen, config } = host.instance.get();
  const listing = new Listing(host, config);
  for (const change of call.updates) {
    const { id, order, changed } = readChange(host, call, change);
    if (changed === undefined) {
      host.orders.delete(id);
      host.emit({ kind: "mod", id, price: order.price, amount: 0n, expires: order.expires });
      continue;
    }
    if (frozen) fail(host, ErrorCode.frozen);
    requireTerms(host, changed);
    listing.requireMarket(changed);
    listing.requireBacking(changed);
    host.orders.set(id, changed);
    const { price, amount, expires } = changed;
    host.emit({ kind: "mod", id, price, amount, expires });
  }
  return vec(call.updates.map(({ id }) => u128(id)));
}

type Change = {
  readonly id: OrderId;
  readonly order: OrderEntry;
  /** Absent: it is to be removed. */
  readonly changed?: OrderEntry;
};

function readChange(host: ExchangeHost, call: UpdateCall, change: OrderUpdate): Change {
  const { id, amount, price, expires } = change;
  const order = host.orders.get(id) ?? fail(host, ErrorCode.orderNotFound);
  if (order.owner !== call.trader) fail(host, ErrorCode.notAuthorized);
  if (amount === 0n) return { id, order };
  return { id, order, changed: { ...order, amount, price, expires } };
}

function requireTerms(host: ExchangeHost, { amount, price, expires }: OrderEntry): void {
  if (amount < 0n) fail(host, ErrorCode.invalidAmount);
  requirePrice(host, price);
  requireExpiration(host, expires);
  // A trade drops a rest that is dust; an update that would leave dust is refused.
  if (isDust(amount, price)) fail(host, ErrorCode.orderSizeTooSmall);
}
