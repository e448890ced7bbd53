// The exchange's view of a token: typed calls of the token interface.
import type { Address } from "../../model/address.ts";
import { asBool, asI128, asU32 } from "./arguments.ts";
import type { Approval } from "./call.ts";
import type { CallHost, CallOutcome } from "./host.ts";
import { addressValue, i128, u32, type Value } from "./value.ts";

/** What `token` says that `holder` has: 0 where it holds none or the token cannot say. */
export function balanceOf(host: CallHost, token: Address, holder: Address): bigint {
  const outcome = host.tryCall(token, "balance", [addressValue(holder)]);
  return outcome.ok ? asI128(outcome.value) : 0n;
}

/** Of `token`; 7, as Stellar's own tokens have, where it cannot say. */
export function decimalsOf(host: CallHost, token: Address): number {
  const outcome = host.tryCall(token, "decimals", []);
  return outcome.ok ? asU32(outcome.value) : 7;
}

/** What the running contract may still take from `owner`. */
export function allowanceOf(host: CallHost, token: Address, owner: Address): bigint {
  const args = [addressValue(owner), addressValue(host.self)];
  return asI128(host.call(token, "allowance", args));
}

/**
 * Whether `holder` has what it needs to be credited: a trustline, authorized. Tokens without
 * `authorized` (they are no Stellar Asset Contracts) are taken to credit anyone. Writes nothing.
 */
export function canReceive(host: CallHost, token: Address, holder: Address): boolean {
  const outcome = host.tryCall(token, "authorized", [addressValue(holder)]);
  if (outcome.ok) return asBool(outcome.value);
  return outcome.error.kind !== "contract";
}

/** Grants the running contract an allowance. `owner` must have authorized the call. */
export function approve(host: CallHost, owner: Address, approval: Approval): void {
  host.call(approval.asset, "approve", [
    addressValue(owner),
    addressValue(host.self),
    i128(approval.amount),
    u32(approval.liveUntil),
  ]);
}

export type Transfer = {
  readonly token: Address;
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
};

/** Moves tokens, by allowance unless they are the running contract's own. */
export function pay(host: CallHost, transfer: Transfer): void {
  host.call(transfer.token, transferFunction(host, transfer), transferArguments(host, transfer));
}

/** As `pay`; a failure undoes the transfer alone. */
export function tryPay(host: CallHost, transfer: Transfer): CallOutcome {
  return host.tryCall(
    transfer.token,
    transferFunction(host, transfer),
    transferArguments(host, transfer),
  );
}

function transferFunction(host: CallHost, transfer: Transfer): "transfer" | "transfer_from" {
  return transfer.from === host.self ? "transfer" : "transfer_from";
}

function transferArguments(host: CallHost, transfer: Transfer): readonly Value[] {
  const { from, to, amount } = transfer;
  const moved = [addressValue(from), addressValue(to), i128(amount)];
  return from === host.self ? moved : [addressValue(host.self), ...moved];
}
