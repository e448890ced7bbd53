// Carries out a plan (contract.md, Settle): makers deliver to the contract, the taker pays makers.
import { type Address, compareAddresses } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import { isDust } from "../../model/settlement.ts";
import { ErrorCode } from "./error-code.ts";
import { fail } from "./fail.ts";
import type { ExchangeHost } from "./host.ts";
import type { Plan, PlannedFill } from "./match.ts";
import { pay, tryPay } from "./token.ts";

export type Settlement = {
  readonly sold: bigint;
  /** Collected by the contract and still with it. */
  readonly bought: bigint;
  /** Listed orders that were not settled: the plan's first, then those not collected. */
  readonly skipped: readonly OrderId[];
};

/** `strict`: a maker who cannot deliver fails the call rather than being skipped. */
export type SettleOptions = { readonly taker: Address; readonly strict: boolean };

/**
 * Throws CannotHold where the contract may not hold what is bought, and a token's own error where
 * a payment fails. Emits one `trade` a fill; reporting the skips is the caller's.
 */
export function settle(host: ExchangeHost, plan: Plan, options: SettleOptions): Settlement {
  if (plan.fills.length > 0) requireHolding(host, plan.buying);
  const skipped = [...plan.skipped];
  let [sold, bought] = [0n, 0n];
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
    for (const fill of fills) recordFill(host, fill, options.taker);
    sold += paid;
    bought += got;
  }
  return { sold, bought, skipped };
}

/**
 * Fails with 712 where the issuer has not authorized the contract to hold `token`. A transfer of
 * nothing to itself finds out, and leaves a balance entry behind where there was none.
 */
export function requireHolding(host: ExchangeHost, token: Address): void {
  const probe = { token, from: host.self, to: host.self, amount: 0n };
  if (!tryPay(host, probe).ok) fail(host, ErrorCode.intermediaryCannotReceive);
}

/** Hands out what the contract collected; fails with 708 where `to` cannot be credited. */
export function forward(host: ExchangeHost, token: Address, to: Address, amount: bigint): void {
  const handed = tryPay(host, { token, from: host.self, to, amount });
  if (!handed.ok) fail(host, ErrorCode.cannotReceive);
}

export function reportSkips(host: ExchangeHost, skipped: readonly OrderId[]): void {
  for (const id of skipped) host.emit({ kind: "skip", id });
}

/** The order after `got` of it was delivered: what is left, 0 where it is gone. */
export function reduceOrder(host: ExchangeHost, fill: PlannedFill): bigint {
  const rest = fill.order.amount - fill.bought;
  if (isDust(rest, fill.order.price)) {
    host.orders.delete(fill.id);
    return 0n;
  }
  host.orders.set(fill.id, { ...fill.order, amount: rest });
  return rest;
}

function recordFill(host: ExchangeHost, fill: PlannedFill, taker: Address): void {
  const left = reduceOrder(host, fill);
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
