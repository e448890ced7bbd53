// Balances of a Stellar Asset Contract: of accounts in their account or trustline entries, of
// contracts in the token's own data.
import { type Address, isContract } from "../../model/address.ts";
import { I128_MAX } from "../../model/settlement.ts";
import { addressValue, bool, i128, map, symbol, type Value, vec } from "../contract/value.ts";
import type { ClassicAsset } from "../ledger/asset.ts";
import { AccountFlags, hasFlag, type TrustlineEntry, TrustlineFlags } from "../ledger/entry.ts";
import type { Frame } from "../ledger/frame.ts";
import { newAccount, newTrustline } from "../ledger/new-entry.ts";
import { type HostValue, i64Wire } from "../ledger/sc-val.ts";
import {
  accountRange,
  type BalanceRange,
  INT64_MAX,
  SUBENTRIES_MAX,
  trustlineRange,
} from "./reserve.ts";
import { hostFault, TokenError, tokenFailure } from "./token-error.ts";

/** Ledgers: a contract's balance lives 30 days, extended where less than 29 are left. */
const DAY = 17_280;
const BALANCE_TTL = 30 * DAY;
const BALANCE_TTL_THRESHOLD = BALANCE_TTL - DAY;

export type ContractBalance = {
  readonly amount: bigint;
  readonly authorized: boolean;
  readonly clawback: boolean;
};

export class Balances {
  readonly #host: Frame;
  readonly #asset: ClassicAsset;

  constructor(host: Frame, asset: ClassicAsset) {
    this.#host = host;
    this.#asset = asset;
  }

  /** The whole balance, reserve and liabilities included; an issuer's is the largest possible. */
  balance(of: Address): bigint {
    if (isContract(of)) {
      const held = this.#contractBalance(of);
      if (held !== undefined) this.#extend(of);
      return held?.amount ?? 0n;
    }
    const asset = this.#asset;
    if (asset.kind === "native") {
      const account = this.#account(of);
      return this.#within(account.balance, accountRange(account, this.#host.baseReserve));
    }
    if (of === asset.issuer) return INT64_MAX;
    const trustline = this.#trustline(of);
    return this.#within(trustline.balance, trustlineRange(trustline));
  }

  isAuthorized(of: Address): boolean {
    if (isContract(of)) {
      const held = this.#contractBalance(of);
      return held?.authorized ?? !this.#issuerHas(AccountFlags.required);
    }
    const asset = this.#asset;
    if (asset.kind === "native" || of === asset.issuer) return true;
    return hasFlag(this.#trustline(of).flags, TrustlineFlags.authorized);
  }

  receive(to: Address, amount: bigint): void {
    this.#requireAuthorized(to);
    if (!isContract(to)) {
      this.#moveClassic(to, amount, "received amount is too large for an i64");
      return;
    }
    const held = this.#contractBalance(to) ?? {
      amount: 0n,
      authorized: true,
      clawback: this.#issuerHas(AccountFlags.clawbackEnabled),
    };
    const next = held.amount + amount;
    if (next > I128_MAX) this.#fail(TokenError.overflow, "balance overflow in receive_balance");
    this.#putContractBalance(to, { ...held, amount: next });
  }

  spend(from: Address, amount: bigint): void {
    this.#requireAuthorized(from);
    this.spendUnauthorized(from, amount);
  }

  /** As a clawback does. */
  spendUnauthorized(from: Address, amount: bigint): void {
    if (!isContract(from)) {
      this.#moveClassic(from, -amount, "spent amount is too large for an i64");
      return;
    }
    const held = this.#contractBalance(from);
    if (held === undefined) {
      if (amount === 0n) return;
      this.#fail(TokenError.balance, "zero balance is not sufficient to spend", [i128(amount)]);
    }
    if (held.amount < amount) {
      this.#fail(TokenError.balance, "balance is not sufficient to spend", [
        balanceValue(held),
        i128(amount),
      ]);
    }
    this.#putContractBalance(from, { ...held, amount: held.amount - amount });
  }

  setAuthorized(of: Address, authorized: boolean): void {
    if (!authorized && !this.#issuerHas(AccountFlags.revocable)) {
      this.#fail(TokenError.operationNotSupported, "issuer does not have AUTH_REVOCABLE set");
    }
    if (isContract(of)) {
      const held = this.#contractBalance(of) ?? {
        amount: 0n,
        clawback: this.#issuerHas(AccountFlags.clawbackEnabled),
      };
      this.#putContractBalance(of, { ...held, authorized });
      return;
    }
    const asset = this.#asset;
    if (asset.kind === "native") {
      this.#fail(TokenError.operationNotSupported, "expected trustline asset");
    } else if (of === asset.issuer) {
      this.#fail(TokenError.operationNotSupported, "issuer doesn't have a trustline");
    }
    const trustline = this.#trustline(of);
    if (hasFlag(trustline.flags, TrustlineFlags.authorized) === authorized) return;
    const kept = trustline.flags & TrustlineFlags.clawbackEnabled;
    const flag = authorized ? TrustlineFlags.authorized : TrustlineFlags.maintainLiabilities;
    this.#host.putEntry({ ...trustline, flags: kept | flag });
  }

  requireClawback(from: Address): void {
    if (isContract(from)) {
      const held = this.#contractBalance(from);
      if (held === undefined) this.#fail(TokenError.balance, "no balance to clawback");
      if (!held.clawback) this.#fail(TokenError.balance, "balance isn't clawbackable");
      return;
    }
    const asset = this.#asset;
    if (asset.kind === "native") {
      this.#fail(TokenError.operationNotSupported, "cannot clawback native asset");
    }
    if (from === asset.issuer) {
      this.#fail(TokenError.operationNotSupported, "cannot clawback from issuer");
    }
    if (!hasFlag(this.#trustline(from).flags, TrustlineFlags.clawbackEnabled)) {
      this.#fail(TokenError.balance, "trustline isn't clawbackable");
    }
  }

  #requireAuthorized(of: Address): void {
    if (!this.isAuthorized(of)) {
      this.#fail(TokenError.balanceDeauthorized, "balance is deauthorized");
    }
  }

  #moveClassic(of: Address, change: bigint, tooLarge: string): void {
    if (change > INT64_MAX || change < -INT64_MAX) this.#fail(TokenError.overflow, tooLarge);
    const asset = this.#asset;
    if (asset.kind === "native") {
      if (change > 0n && this.#host.account(of) === undefined) {
        this.#createAccount(of, change);
        return;
      }
      const account = this.#account(of);
      const range = accountRange(account, this.#host.baseReserve);
      const balance = this.#moved(account.balance, change, range);
      this.#host.putEntry({ ...account, balance });
    } else if (of !== asset.issuer) {
      const trustline = this.#trustline(of);
      const balance = this.#moved(trustline.balance, change, trustlineRange(trustline));
      this.#host.putEntry({ ...trustline, balance });
    }
  }

  /** Since protocol 26 a transfer of lumens that covers an account's reserve makes one (CAP-73). */
  #createAccount(account: Address, balance: bigint): void {
    const created = newAccount(account, balance, this.#host.ledger);
    const { min } = accountRange(created, this.#host.baseReserve);
    if (balance < min) {
      this.#fail(
        TokenError.insufficientAccountReserve,
        "transfer amount is below minimum balance for new account",
        [i64Wire(balance), i64Wire(min)],
      );
    }
    this.#host.putEntry(created);
  }

  /** Opens an unlimited trustline for an account that has none, which must authorize it. */
  trust(of: Address): void {
    const asset = this.#asset;
    if (isContract(of) || asset.kind === "native" || of === asset.issuer) return;
    if (this.#host.trustline(of, asset) !== undefined) return;
    this.#host.requireAuth(of);
    const account = this.#account(of);
    if (account.subentries >= SUBENTRIES_MAX) {
      this.#fail(TokenError.tooManyAccountSubentries, "too many subentries for a trustline");
    }
    const counted = { ...account, subentries: account.subentries + 1 };
    if (account.balance < accountRange(counted, this.#host.baseReserve).min) {
      this.#fail(TokenError.insufficientAccountReserve, "not enough balance for a trustline");
    }
    this.#host.putEntry(counted);
    this.#host.putEntry(newTrustline(of, asset, this.#issuerFlags()));
  }

  #moved(balance: bigint, change: bigint, range: BalanceRange): bigint {
    const next = balance + change;
    if (next > INT64_MAX) this.#fail(TokenError.balance, "resulting balance overflow");
    if (next < range.min || next > range.max) {
      this.#fail(TokenError.balance, "resulting balance is not within the allowed range", [
        i64Wire(range.min),
        i64Wire(next),
        i64Wire(range.max),
      ]);
    }
    return next;
  }

  /** What a raised base reserve or a lowered limit can leave is a fault of the host to it. */
  #within(balance: bigint, range: BalanceRange): bigint {
    const holder = this.#asset.kind === "native" ? "account" : "trustline";
    if (balance < range.min) throw hostFault(`${holder} has balance < minimum`);
    if (balance > range.max) throw hostFault(`${holder} has balance > maximum`);
    return balance;
  }

  #account(of: Address) {
    const account = this.#host.account(of);
    if (account === undefined) {
      this.#fail(TokenError.accountMissing, "account entry is missing", [addressValue(of)]);
    }
    return account;
  }

  #trustline(of: Address): TrustlineEntry {
    const asset = this.#asset;
    const trustline = asset.kind === "issued" ? this.#host.trustline(of, asset) : undefined;
    if (trustline === undefined) {
      this.#fail(TokenError.trustlineMissing, "trustline entry is missing for account", [
        addressValue(of),
      ]);
    }
    return trustline;
  }

  #issuerHas(flag: number): boolean {
    const asset = this.#asset;
    if (asset.kind === "native") return false;
    return hasFlag(this.#issuerFlags(), flag);
  }

  #issuerFlags(): number {
    const asset = this.#asset;
    return asset.kind === "native" ? 0 : (this.#host.account(asset.issuer)?.flags ?? 0);
  }

  #contractBalance(of: Address): ContractBalance | undefined {
    const value = this.#host.data(balanceKey(of), "persistent");
    if (value?.type !== "map") return undefined;
    const [amount, authorized, clawback] = value.value.map(([, field]) => field);
    if (amount?.type !== "i128" || authorized?.type !== "bool" || clawback?.type !== "bool") {
      throw new TypeError("a token balance of another form");
    }
    return { amount: amount.value, authorized: authorized.value, clawback: clawback.value };
  }

  #putContractBalance(of: Address, balance: ContractBalance): void {
    this.#host.putData(balanceKey(of), "persistent", balanceValue(balance));
    this.#extend(of);
  }

  #extend(of: Address): void {
    this.#host.extend(balanceKey(of), "persistent", BALANCE_TTL_THRESHOLD, BALANCE_TTL);
  }

  #fail(code: TokenError, text: string, args?: readonly HostValue[]): never {
    throw tokenFailure(this.#host.self, code, text, args);
  }
}

export function balanceKey(of: Address): Value {
  return vec([symbol("Balance"), addressValue(of)]);
}

export function balanceValue(balance: ContractBalance): Value {
  return map([
    ["amount", i128(balance.amount)],
    ["authorized", bool(balance.authorized)],
    ["clawback", bool(balance.clawback)],
  ]);
}
