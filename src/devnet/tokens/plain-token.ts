// A token that is no Stellar Asset Contract: balances and allowances in a storage of its own, so
// that they can only be read by calling `balance` and `allowance`; events without an asset topic.
import type { Address } from "../../model/address.ts";
import { I128_MAX } from "../../model/settlement.ts";
import * as codec from "../contract/codec.ts";
import { action, type Methods, method, runMethod, specOf } from "../contract/codec.ts";
import { CallFailure } from "../contract/host.ts";
import { errors, Spec, specModule } from "../contract/spec.ts";
import {
  addressValue,
  i128,
  map,
  string,
  symbol,
  u32,
  type Value,
  vec,
} from "../contract/value.ts";
import type { InstanceEntry } from "../ledger/entry.ts";
import type { Frame } from "../ledger/frame.ts";
import { addressFromWire, symbolWire, valueWire } from "../ledger/sc-val.ts";
import { allowanceKey } from "./sac-allowance.ts";
import { balanceKey } from "./sac-balance.ts";

/** The token's own error codes, as such example tokens number them. */
const PlainTokenError = { NegativeAmount: 8, Allowance: 9, Balance: 10, Overflow: 12 } as const;

const DECIMALS = 7;

type Parties = { readonly from: Address; readonly spender: Address };

const { address } = codec;
const parties = { from: address, spender: address };
const credit = { to: address, amount: codec.i128 };
const approval = { ...parties, amount: codec.i128, expirationLedger: codec.u32 };

function act<T>(
  parameters: codec.Codecs<T>,
  run: (token: PlainToken, call: T) => void,
): codec.Method<Frame> {
  return action(parameters, (host: Frame, given: T) => run(new PlainToken(host), given));
}

const METHODS: Methods<Frame> = {
  balance: method({ id: address }, codec.i128.type, (host, { id }) =>
    i128(new PlainToken(host).balance(id)),
  ),
  allowance: method(parties, codec.i128.type, (host, of) =>
    i128(new PlainToken(host).allowance(of).amount),
  ),
  decimals: method({}, codec.u32.type, () => u32(DECIMALS)),
  name: method({}, Spec.string, () => string("Plain token")),
  symbol: method({}, Spec.string, () => string("PLAIN")),
  approve: act(approval, (token, { from, spender, amount, expirationLedger }) => {
    token.host.requireAuth(from);
    token.requireNonNegative(amount);
    if (amount > 0n && expirationLedger < token.host.ledger) token.fail(PlainTokenError.Allowance);
    token.putAllowance({ from, spender }, amount, expirationLedger);
    token.emit("approve", [from, spender], vec([i128(amount), u32(expirationLedger)]));
  }),
  transfer: act({ from: address, ...credit }, (token, { from, to, amount }) => {
    token.host.requireAuth(from);
    token.move(from, to, amount);
  }),
  transfer_from: act({ spender: address, from: address, ...credit }, (token, given) => {
    const { spender, from, to, amount } = given;
    token.host.requireAuth(spender);
    token.requireNonNegative(amount);
    const allowance = token.allowance({ from, spender });
    if (allowance.amount < amount) token.fail(PlainTokenError.Allowance);
    if (amount > 0n) {
      token.putAllowance({ from, spender }, allowance.amount - amount, allowance.expiration);
    }
    token.move(from, to, amount);
  }),
  mint: act(credit, (token, { to, amount }) => {
    token.requireNonNegative(amount);
    token.host.requireAuth(token.admin());
    token.credit(to, amount);
    token.emit("mint", [to], i128(amount));
  }),
};

export function runPlainToken(host: Frame, fn: string, args: readonly Value[]): Value {
  return runMethod(METHODS, host, fn, args);
}

export const plainTokenModule = specModule([...specOf(METHODS), errors("Error", PlainTokenError)]);

/** The token in one call, and what several of its functions share. */
class PlainToken {
  readonly host: Frame;

  constructor(host: Frame) {
    this.host = host;
  }

  balance(of: Address): bigint {
    const value = this.host.data(balanceKey(of), "persistent");
    return value?.type === "i128" ? value.value : 0n;
  }

  /** 0 where there is none, or none any more. */
  allowance(of: Parties): { readonly amount: bigint; readonly expiration: number } {
    const value = this.host.data(allowanceKey(of), "temporary");
    const [amount, expiration] = value?.type === "map" ? value.value.map(([, item]) => item) : [];
    if (amount?.type !== "i128" || expiration?.type !== "u32") return { amount: 0n, expiration: 0 };
    const isOver = expiration.value < this.host.ledger;
    return { amount: isOver ? 0n : amount.value, expiration: expiration.value };
  }

  putAllowance(of: Parties, amount: bigint, expiration: number): void {
    const key = allowanceKey(of);
    this.host.putData(key, "temporary", allowanceValue(amount, expiration));
    const life = expiration - this.host.ledger;
    if (amount > 0n && life > 0) this.host.extend(key, "temporary", life, life);
  }

  move(from: Address, to: Address, amount: bigint): void {
    this.requireNonNegative(amount);
    const held = this.balance(from);
    if (held < amount) this.fail(PlainTokenError.Balance);
    this.#putBalance(from, held - amount);
    this.credit(to, amount);
    this.emit("transfer", [from, to], i128(amount));
  }

  credit(to: Address, amount: bigint): void {
    const next = this.balance(to) + amount;
    if (next > I128_MAX) this.fail(PlainTokenError.Overflow);
    this.#putBalance(to, next);
  }

  #putBalance(of: Address, amount: bigint): void {
    this.host.putData(balanceKey(of), "persistent", i128(amount));
  }

  admin(): Address {
    const admin = this.host.selfInstance.storage[0]?.val;
    if (admin?.type !== 18) throw new TypeError("a token without its admin");
    return addressFromWire(admin.address);
  }

  emit(kind: string, of: readonly Address[], data: Value): void {
    this.host.emitEvent([symbol(kind), ...of.map(addressValue)], data);
  }

  requireNonNegative(amount: bigint): void {
    if (amount < 0n) this.fail(PlainTokenError.NegativeAmount);
  }

  fail(code: number): never {
    throw new CallFailure({ kind: "contract", contract: this.host.self, code });
  }
}

/** The token's instance storage: its admin, who mints. */
export function plainTokenStorage(admin: Address): InstanceEntry["storage"] {
  return [{ key: symbolWire("Admin"), val: valueWire(addressValue(admin)) }];
}

function allowanceValue(amount: bigint, expiration: number): Value {
  return map([
    ["amount", i128(amount)],
    ["expiration_ledger", u32(expiration)],
  ]);
}
