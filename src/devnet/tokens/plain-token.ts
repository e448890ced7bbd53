// A token that is no Stellar Asset Contract: balances and allowances in a storage of its own, so
// that they can only be read by calling `balance` and `allowance`; events without an asset topic.
import type { Address } from "../../model/address.ts";
import { I128_MAX } from "../../model/settlement.ts";
import { Arguments, missingFunction } from "../contract/arguments.ts";
import { CallFailure } from "../contract/host.ts";
import {
  addressValue,
  i128,
  map,
  string,
  symbol,
  u32,
  type Value,
  VOID,
  vec,
} from "../contract/value.ts";
import type { InstanceEntry } from "../ledger/entry.ts";
import type { TokenHost } from "../ledger/frame.ts";
import { addressFromWire, symbolWire, valueWire } from "../ledger/sc-val.ts";

/** The token's own error codes, as such example tokens number them. */
export const PlainTokenError = {
  negativeAmount: 8,
  allowance: 9,
  balance: 10,
  overflow: 12,
} as const;

const DECIMALS = 7;

export function runPlainToken(host: TokenHost, fn: string, args: readonly Value[]): Value {
  const token = new PlainToken(host);
  switch (fn) {
    case "balance":
      return i128(token.balance(new Arguments(args, 1).address(0)));
    case "allowance": {
      const given = new Arguments(args, 2);
      return i128(token.allowance({ from: given.address(0), spender: given.address(1) }));
    }
    case "decimals":
      return u32(DECIMALS);
    case "name":
      return string("Plain token");
    case "symbol":
      return string("PLAIN");
    case "approve":
      token.approve(new Arguments(args, 4));
      return VOID;
    case "transfer":
      token.transfer(new Arguments(args, 3));
      return VOID;
    case "transfer_from":
      token.transferFrom(new Arguments(args, 4));
      return VOID;
    case "mint":
      token.mint(new Arguments(args, 2));
      return VOID;
    default:
      return missingFunction(fn);
  }
}

type Parties = { readonly from: Address; readonly spender: Address };

class PlainToken {
  readonly #host: TokenHost;

  constructor(host: TokenHost) {
    this.#host = host;
  }

  balance(of: Address): bigint {
    const value = this.#host.data(plainBalanceKey(of), "persistent");
    return value?.type === "i128" ? value.value : 0n;
  }

  allowance(parties: Parties): bigint {
    const value = this.#host.data(allowanceKey(parties), "temporary");
    if (value?.type !== "map") return 0n;
    const [amount, expiration] = value.value.map(([, field]) => field);
    if (amount?.type !== "i128" || expiration?.type !== "u32") return 0n;
    return expiration.value < this.#host.ledger ? 0n : amount.value;
  }

  approve(args: Arguments): void {
    const parties = { from: args.address(0), spender: args.address(1) };
    const [amount, expiration] = [args.amount(2), args.u32(3)];
    this.#host.requireAuth(parties.from);
    this.#requireNonNegative(amount);
    if (amount > 0n && expiration < this.#host.ledger) this.#fail(PlainTokenError.allowance);
    this.#putAllowance(parties, amount, expiration);
    this.#emit("approve", [parties.from, parties.spender], vec([i128(amount), u32(expiration)]));
  }

  transfer(args: Arguments): void {
    const [from, to, amount] = [args.address(0), args.address(1), args.amount(2)];
    this.#host.requireAuth(from);
    this.#move(from, to, amount);
  }

  transferFrom(args: Arguments): void {
    const parties = { spender: args.address(0), from: args.address(1) };
    const [to, amount] = [args.address(2), args.amount(3)];
    this.#host.requireAuth(parties.spender);
    this.#requireNonNegative(amount);
    const allowance = this.allowance(parties);
    if (allowance < amount) this.#fail(PlainTokenError.allowance);
    if (amount > 0n) {
      const value = this.#host.data(allowanceKey(parties), "temporary");
      const expiration = value?.type === "map" ? value.value[1]?.[1] : undefined;
      if (expiration?.type !== "u32") throw new TypeError("an allowance without its end");
      this.#putAllowance(parties, allowance - amount, expiration.value);
    }
    this.#move(parties.from, to, amount);
  }

  mint(args: Arguments): void {
    const [to, amount] = [args.address(0), args.amount(1)];
    this.#requireNonNegative(amount);
    this.#host.requireAuth(this.#admin());
    this.#credit(to, amount);
    this.#emit("mint", [to], i128(amount));
  }

  #move(from: Address, to: Address, amount: bigint): void {
    this.#requireNonNegative(amount);
    const held = this.balance(from);
    if (held < amount) this.#fail(PlainTokenError.balance);
    this.#putBalance(from, held - amount);
    this.#credit(to, amount);
    this.#emit("transfer", [from, to], i128(amount));
  }

  #credit(to: Address, amount: bigint): void {
    const next = this.balance(to) + amount;
    if (next > I128_MAX) this.#fail(PlainTokenError.overflow);
    this.#putBalance(to, next);
  }

  #putBalance(of: Address, amount: bigint): void {
    this.#host.putData(plainBalanceKey(of), "persistent", i128(amount));
  }

  #putAllowance(parties: Parties, amount: bigint, expiration: number): void {
    const key = allowanceKey(parties);
    this.#host.putData(key, "temporary", allowanceValue(amount, expiration));
    const life = expiration - this.#host.ledger;
    if (amount > 0n && life > 0) this.#host.extend(key, "temporary", life, life);
  }

  #admin(): Address {
    const admin = this.#host.selfInstance.storage[0]?.val;
    if (admin?.type !== 18) throw new TypeError("a token without its admin");
    return addressFromWire(admin.address);
  }

  #emit(kind: string, parties: readonly Address[], data: Value): void {
    this.#host.emitEvent([symbol(kind), ...parties.map(addressValue)], data);
  }

  #requireNonNegative(amount: bigint): void {
    if (amount < 0n) this.#fail(PlainTokenError.negativeAmount);
  }

  #fail(code: number): never {
    throw new CallFailure({ kind: "contract", contract: this.#host.self, code });
  }
}

/** The token's instance storage: its admin, who mints. */
export function plainTokenStorage(admin: Address): InstanceEntry["storage"] {
  return [{ key: symbolWire("Admin"), val: valueWire(addressValue(admin)) }];
}

export function plainBalanceKey(of: Address): Value {
  return vec([symbol("Balance"), addressValue(of)]);
}

function allowanceKey({ from, spender }: Parties): Value {
  return vec([
    symbol("Allowance"),
    map([
      ["from", addressValue(from)],
      ["spender", addressValue(spender)],
    ]),
  ]);
}

function allowanceValue(amount: bigint, expiration: number): Value {
  return map([
    ["amount", i128(amount)],
    ["expiration_ledger", u32(expiration)],
  ]);
}
