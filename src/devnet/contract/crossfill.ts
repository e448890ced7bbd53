import { costUp, type FillAmounts, invertPriceDown, lesser } from "../../model/settlement.ts";
import { Backings, readBacking } from "./backing.ts";
import { type CrossfillCall, Direction } from "./call.ts";
import { ErrorCode, fail } from "./error-code.ts";
import type { ExchangeHost } from "./host.ts";
import { isLive, planFills } from "./match.ts";
import {
  forward,
  reduceOrder,
  reportSkips,
  requireHolding,
  requireReceiving,
  settle,
} from "./settle.ts";
import { i128, type Value, vec } from "./value.ts";

/**
 * Fills a resting order against others that cross it; the caller keeps what its owner did not ask
 * for. Returns [paid by the owner, delivered by the makers, kept by the caller].
 */
export function crossfill(host: ExchangeHost, call: CrossfillCall): Value {
  host.requireAuth(call.trader);
  if (host.instance.get().frozen) fail(host, ErrorCode.frozen);
  const order = host.orders.get(call.takerOrder);
  if (order === undefined || !isLive(host, order)) return fail(host, ErrorCode.orderNotFound);
  requireHolding(host, order.buying);
  const backing = readBacking(host, order);
  if (backing === 0n) {
    reportSkips(host, [call.takerOrder]);
    return crossfillResult(0n, 0n, 0n);
  }
  requireReceiving(host, order.buying, call.trader);
  const demand = {
    direction: Direction.sell,
    selling: order.selling,
    buying: order.buying,
    amount: lesser(backing, order.amount),
    priceMax: invertPriceDown(order.price),
    orders: call.orders,
    accepts: (fill: FillAmounts) => fill.bought >= costUp(fill.sold, order.price),
  };
  const plan = planFills(host, demand, new Backings(host));
  const settled = settle(host, plan, { taker: order.owner, strict: false });
  reportSkips(host, settled.skipped);
  if (settled.sold === 0n) return crossfillResult(0n, 0n, 0n);
  const owed = costUp(settled.sold, order.price);
  forward(host, order.buying, order.owner, owed);
  forward(host, order.buying, call.trader, settled.bought - owed);
  const left = reduceOrder(host, { id: call.takerOrder, order, bought: settled.sold });
  host.emit({
    kind: "trade",
    selling: order.buying,
    buying: order.selling,
    order: call.takerOrder,
    taker: call.trader,
    maker: order.owner,
    sold: owed,
    bought: settled.sold,
    left,
  });
  return crossfillResult(settled.sold, settled.bought, settled.bought - owed);
}

function crossfillResult(paid: bigint, delivered: bigint, kept: bigint): Value {
  return vec([i128(paid), i128(delivered), i128(kept)]);
}
