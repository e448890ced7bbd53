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
import type { TokenHost } from "../ledger/frame.ts";
import { addressFromWire, symbolWire, valueWire } from "../ledger/sc-val.ts";
import { allowanceKey } from "./sac-allowance.ts";
import { balanceKey } from "./sac-balance.ts";

/** The token's own error codes, as such example tokens number them. */
const PlainTokenError = { NegativeAmount: 8, Allowance: 9, Balance: 10, Overflow: 12 } as const;

const DECIMALS = 7;

type Parties = { readonly from: Address; readonly spender: Address };
type Mint = { readonly to: Address; readonly amount: bigint };
type Transfer = Mint & { readonly from: Address };
type Approval = Parties & { readonly amount: bigint; readonly expirationLedger: number };

const { address } = codec;
const transfer = { from: address, to: address, amount: codec.i128 };

const METHODS: Methods<TokenHost> = {
  balance: method({ id: address }, codec.i128.type, (host, { id }) =>
    i128(new PlainToken(host).balance(id)),
  ),
  allowance: method({ from: address, spender: address }, codec.i128.type, (host, parties) =>
    i128(new PlainToken(host).allowance(parties)),
  ),
  decimals: method({}, codec.u32.type, () => u32(DECIMALS)),
  name: method({}, Spec.string, () => string("Plain token")),
  symbol: method({}, Spec.string, () => string("PLAIN")),
  approve: action(
    { from: address, spender: address, amount: codec.i128, expirationLedger: codec.u32 },
    (host, approval) => new PlainToken(host).approve(approval),
  ),
  transfer: action(transfer, (host, given) => new PlainToken(host).transfer(given)),
  transfer_from: action({ spender: address, ...transfer }, (host, given) =>
    new PlainToken(host).transferFrom(given),
  ),
  mint: action({ to: address, amount: codec.i128 }, (host, given) =>
    new PlainToken(host).mint(given),
  ),
};

export function runPlainToken(host: TokenHost, fn: string, args: readonly Value[]): Value {
  return runMethod(METHODS, host, fn, args);
}

export const plainTokenModule = specModule([...specOf(METHODS), errors("Error", PlainTokenError)]);

class PlainToken {
  readonly #host: TokenHost;

  constructor(host: TokenHost) {
    this.#host = host;
  }

  balance(of: Address): bigint {
    const value = this.#host.data(balanceKey(of), "persistent");
    return value?.type === "i128" ? value.value : 0n;
  }

  allowance(parties: Parties): bigint {
    const value = this.#host.data(allowanceKey(parties), "temporary");
    if (value?.type !== "map") return 0n;
    const [amount, expiration] = value.value.map(([, field]) => field);
    if (amount?.type !== "i128" || expiration?.type !== "u32") return 0n;
    return expiration.value < this.#host.ledger ? 0n : amount.value;
  }

  approve({ from, spender, amount, expirationLedger }: Approval): void {
    this.#host.requireAuth(from);
    this.#requireNonNegative(amount);
    if (amount > 0n && expirationLedger < this.#host.ledger) this.#fail(PlainTokenError.Allowance);
    this.#putAllowance({ from, spender }, amount, expirationLedger);
    this.#emit("approve", [from, spender], vec([i128(amount), u32(expirationLedger)]));
  }

  transfer({ from, to, amount }: Transfer): void {
    this.#host.requireAuth(from);
    this.#move(from, to, amount);
  }

  transferFrom({ spender, from, to, amount }: Transfer & Parties): void {
    const parties = { spender, from };
    this.#host.requireAuth(spender);
    this.#requireNonNegative(amount);
    const allowance = this.allowance(parties);
    if (allowance < amount) this.#fail(PlainTokenError.Allowance);
    if (amount > 0n) {
      const value = this.#host.data(allowanceKey(parties), "temporary");
      const expiration = value?.type === "map" ? value.value[1]?.[1] : undefined;
      if (expiration?.type !== "u32") throw new TypeError("an allowance without its end");
      this.#putAllowance(parties, allowance - amount, expiration.value);
    }
    this.#move(from, to, amount);
  }

  mint({ to, amount }: Mint): void {
    this.#requireNonNegative(amount);
    this.#host.requireAuth(this.#admin());
    this.#credit(to, amount);
    this.#emit("mint", [to], i128(amount));
  }

  #move(from: Address, to: Address, amount: bigint): void {
    this.#requireNonNegative(amount);
    const held = this.balance(from);
    if (held < amount) this.#fail(PlainTokenError.Balance);
    this.#putBalance(from, held - amount);
    this.#credit(to, amount);
    this.#emit("transfer", [from, to], i128(amount));
  }

  #credit(to: Address, amount: bigint): void {
    const next = this.balance(to) + amount;
    if (next > I128_MAX) this.#fail(PlainTokenError.Overflow);
    this.#putBalance(to, next);
  }

  #putBalance(of: Address, amount: bigint): void {
    this.#host.putData(balanceKey(of), "persistent", i128(amount));
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
    if (amount < 0n) this.#fail(PlainTokenError.NegativeAmount);
  }

  #fail(code: number): never {
    throw new CallFailure({ kind: "contract", contract: this.#host.self, code });
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
