// A Stellar Asset Contract of the in-memory host, with holders as the settlement vectors have them.
// The order of its checks is that of the real one (ledger.md, Stellar Asset Contract): who fails
// for two reasons at once gets the same code here.

import {
  argument,
  asAddress,
  asI128,
  asU32,
  invalid,
} from "../../../src/devnet/contract/arguments.ts";
import { CallFailure } from "../../../src/devnet/contract/host.ts";
import { bool, i128, u32, type Value, VOID } from "../../../src/devnet/contract/value.ts";
import { TokenError } from "../../../src/devnet/tokens/token-error.ts";
import { type Address, isContract } from "../../../src/model/address.ts";
import type { MemoryContract, MemoryFrame, MemoryWorld } from "./memory-host.ts";

/** Base units. */
export type Holding = {
  readonly balance: bigint;
  readonly authorized: boolean;
  /** Most it may hold; absent: no limit. */
  readonly limit?: bigint;
  readonly sellingLiabilities: bigint;
};

export type Allowance = { readonly amount: bigint; readonly liveUntil: number };

/** A token's state. A contract without a holding gets one with its first receipt. */
export class MemoryToken {
  readonly holdings = new Map<Address, Holding>();
  /** By owner and spender, written one after the other. */
  readonly allowances = new Map<string, Allowance>();

  readonly model: MemoryContract = (frame, fn, args) => {
    switch (fn) {
      case "decimals":
        return u32(7);
      case "balance":
        return i128(this.#readBalance(frame, asAddress(argument(args, 0))));
      case "authorized":
        return bool(this.#isAuthorized(frame, asAddress(argument(args, 0))));
      case "allowance":
        return i128(this.#readAllowance(frame.world, readSpending(args)));
      case "approve":
        return this.#approve(frame, args);
      case "transfer":
        return this.#transfer(frame, args);
      case "transfer_from":
        return this.#transferFrom(frame, args);
      default:
        return invalid(`no function ${fn}`);
    }
  };

  #approve(frame: MemoryFrame, args: readonly Value[]): Value {
    const spending = readSpending(args);
    const amount = asI128(argument(args, 2));
    const liveUntil = asU32(argument(args, 3));
    if (amount < 0n) fail(frame, TokenError.negativeAmount);
    frame.requireAuth(spending.owner);
    const isPast = amount > 0n && liveUntil < frame.ledger;
    if (isPast || liveUntil > frame.ledger + TTL_MAX) fail(frame, TokenError.allowance);
    const key = allowanceKey(spending);
    if (amount > 0n || this.allowances.has(key)) {
      frame.world.write(this.allowances, key, { amount, liveUntil });
    }
    return VOID;
  }

  #transfer(frame: MemoryFrame, args: readonly Value[]): Value {
    const from = asAddress(argument(args, 0));
    const amount = asI128(argument(args, 2));
    if (amount < 0n) fail(frame, TokenError.negativeAmount);
    frame.requireAuth(from);
    this.#move(frame, from, { to: asAddress(argument(args, 1)), amount });
    return VOID;
  }

  #transferFrom(frame: MemoryFrame, args: readonly Value[]): Value {
    const spender = asAddress(argument(args, 0));
    const owner = asAddress(argument(args, 1));
    const amount = asI128(argument(args, 3));
    if (amount < 0n) fail(frame, TokenError.negativeAmount);
    frame.requireAuth(spender);
    this.#spendAllowance(frame, { owner, spender }, amount);
    this.#move(frame, owner, { to: asAddress(argument(args, 2)), amount });
    return VOID;
  }

  #spendAllowance(frame: MemoryFrame, spending: Spending, amount: bigint): void {
    const allowance = this.#readAllowance(frame.world, spending);
    if (allowance < amount) fail(frame, TokenError.allowance);
    if (amount === 0n) return;
    const key = allowanceKey(spending);
    const liveUntil = this.allowances.get(key)?.liveUntil ?? 0;
    frame.world.write(this.allowances, key, { amount: allowance - amount, liveUntil });
  }

  #move(frame: MemoryFrame, from: Address, { to, amount }: { to: Address; amount: bigint }): void {
    if (!this.#isAuthorized(frame, from)) fail(frame, TokenError.balanceDeauthorized);
    const source = this.holdings.get(from);
    if (spendable(source) < amount) fail(frame, TokenError.balance);
    if (source !== undefined) {
      const balance = source.balance - amount;
      frame.world.write(this.holdings, from, { ...source, balance });
    }
    if (!this.#isAuthorized(frame, to)) fail(frame, TokenError.balanceDeauthorized);
    const target = this.holdings.get(to) ?? NEW_HOLDING;
    const balance = target.balance + amount;
    if (target.limit !== undefined && balance > target.limit) fail(frame, TokenError.balance);
    frame.world.write(this.holdings, to, { ...target, balance });
  }

  #isAuthorized(frame: MemoryFrame, holder: Address): boolean {
    const holding = this.holdings.get(holder);
    if (holding !== undefined) return holding.authorized;
    if (!isContract(holder)) fail(frame, TokenError.trustlineMissing);
    return true;
  }

  #readBalance(frame: MemoryFrame, holder: Address): bigint {
    const holding = this.holdings.get(holder);
    if (holding === undefined && !isContract(holder)) fail(frame, TokenError.trustlineMissing);
    // The whole balance: what may be spent of it only the transfer looks at.
    if (spendable(holding) < 0n) {
      throw new CallFailure({ kind: "fault", message: "balance < minimum" });
    }
    return holding?.balance ?? 0n;
  }

  #readAllowance(world: MemoryWorld, spending: Spending): bigint {
    const allowance = this.allowances.get(allowanceKey(spending));
    if (allowance === undefined || allowance.liveUntil < world.ledger) return 0n;
    return allowance.amount;
  }
}

/** Ledgers an entry lives at most (protocol setting). */
const TTL_MAX = 3_110_399;

const NEW_HOLDING: Holding = { balance: 0n, authorized: true, sellingLiabilities: 0n };

type Spending = { readonly owner: Address; readonly spender: Address };

function readSpending(args: readonly Value[]): Spending {
  return { owner: asAddress(argument(args, 0)), spender: asAddress(argument(args, 1)) };
}

export function allowanceKey({ owner, spender }: Spending): string {
  return `${owner}${spender}`;
}

function spendable(holding: Holding | undefined): bigint {
  if (holding === undefined) return 0n;
  return holding.balance - holding.sellingLiabilities;
}

function fail(frame: MemoryFrame, code: TokenError): never {
  throw new CallFailure({ kind: "contract", contract: frame.self, code });
}
