// Carries out a plan (contract.md, Settle): makers deliver to the contract, the taker pays makers.
import { type Address, compareAddresses } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import { greater, isDust } from "../../model/settlement.ts";
import { ErrorCode, fail } from "./error-code.ts";
import type { ExchangeHost, OrderEntry } from "./host.ts";
import type { Plan, PlannedFill } from "./match.ts";
import { canReceive, pay, tryPay } from "./token.ts";

export type Settlement = {
  readonly sold: bigint;
  /** Collected by the contract and still with it. */
  readonly bought: bigint;
  /** Highest price of an order that was filled; 0: none was. */
  readonly worstPrice: bigint;
  /** Listed orders that were not settled: the plan's first, then those not collected. */
  readonly skipped: readonly OrderId[];
};

/** `strict`: a maker who cannot deliver fails the call rather than being skipped. */
export type SettleOptions = { readonly taker: Address; readonly strict: boolean };

/**
 * Throws a token's own error where a payment fails. Emits one `trade` a fill; reporting the skips
 * is the caller's.
 */
export function settle(host: ExchangeHost, plan: Plan, options: SettleOptions): Settlement {
  const skipped = [...plan.skipped];
  let [sold, bought, worstPrice] = [0n, 0n, 0n];
  for (const fills of fillsByMaker(plan)) {
    const [first] = fills;
    if (first === undefined) continue;
    const maker = first.order.owner;
    const got = fills.reduce((sum, fill) => sum + fill.bought, 0n);
    const paid = fills.reduce((sum, fill) => sum + fill.sold, 0n);
    const delivery = { token: plan.buying, from: maker, to: host.self, amount: got };
    if (options.strict) {
      pay(host, delivery);
    } else if (!tryPay(host, delivery).ok) {
      skipped.push(...fills.map(({ id }) => id));
      continue;
    }
    pay(host, { token: plan.selling, from: options.taker, to: maker, amount: paid });
    for (const fill of fills) {
      recordFill(host, fill, options.taker);
      worstPrice = greater(worstPrice, fill.order.price);
    }
    sold += paid;
    bought += got;
  }
  return { sold, bought, worstPrice, skipped };
}

/** Fails with 712 where the contract cannot hold `token`: its issuer has not authorized it. */
export function requireHolding(host: ExchangeHost, token: Address): void {
  if (!canReceive(host, token, host.self)) fail(host, ErrorCode.intermediaryCannotReceive);
}

/** Fails with 708 where `holder` cannot be credited `token`. */
export function requireReceiving(host: ExchangeHost, token: Address, holder: Address): void {
  if (!canReceive(host, token, holder)) fail(host, ErrorCode.cannotReceive);
}

/** Hands out what the contract collected. Throws the token's own error. */
export function forward(host: ExchangeHost, token: Address, to: Address, amount: bigint): void {
  pay(host, { token, from: host.self, to, amount });
}

export function reportSkips(host: ExchangeHost, skipped: readonly OrderId[]): void {
  for (const id of skipped) host.emit({ kind: "skip", id });
}

/** The order after `bought` of it was delivered: what is left, 0 where it is gone. */
export function reduceOrder(
  host: ExchangeHost,
  { id, order, bought }: { readonly id: OrderId; readonly order: OrderEntry; bought: bigint },
): bigint {
  const rest = order.amount - bought;
  if (isDust(rest, order.price)) {
    host.orders.delete(id);
    return 0n;
  }
  host.orders.set(id, { ...order, amount: rest });
  return rest;
}

/**
 * Looks at the order again: one that an earlier hop of the same swap took part of may no longer
 * hold what was planned, which fails the call with 709.
 */
function recordFill(host: ExchangeHost, fill: PlannedFill, taker: Address): void {
  const order = host.orders.get(fill.id);
  if (order === undefined || order.amount < fill.bought) fail(host, ErrorCode.notFilled);
  const left = reduceOrder(host, { ...fill, order });
  host.emit({
    kind: "trade",
    selling: fill.order.buying,
    buying: fill.order.selling,
    order: fill.id,
    taker,
    maker: fill.order.owner,
    sold: fill.sold,
    bought: fill.bought,
    left,
  });
}

/** Makers in the order of their addresses, each one's fills in list order. */
function fillsByMaker(plan: Plan): readonly (readonly PlannedFill[])[] {
  const groups = new Map<Address, PlannedFill[]>();
  for (const fill of plan.fills) {
    const group = groups.get(fill.order.owner);
    if (group === undefined) groups.set(fill.order.owner, [fill]);
    else group.push(fill);
  }
  return [...groups]
    .sort(([one], [other]) => compareAddresses(one, other))
    .map(([, fills]) => fills);
}
