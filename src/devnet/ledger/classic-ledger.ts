// What classic operations read and write: accounts and trustlines under their rules.
import type { Address } from "../../model/address.ts";
import {
  accountRange,
  INT64_MAX,
  reserve,
  SUBENTRIES_MAX,
  trustlineRange,
} from "../tokens/reserve.ts";
import type { ClassicAsset, IssuedAsset } from "./asset.ts";
import {
  type AccountEntry,
  hasFlag,
  type OfferEntry,
  type TrustlineEntry,
  TrustlineFlags,
} from "./entry.ts";
import { offerKey } from "./key.ts";
import { newAccount } from "./new-entry.ts";
import { accountIn, type Scope, trustlineIn } from "./state.ts";

/** Why a side of a payment cannot move the amount. */
export type MoveFault = "missing" | "unauthorized" | "range";

/** OperationResultCode. */
const TOO_MANY_SUBENTRIES = -4;

/** Ends an operation with a code that is none of its own kind. */
export class OperationFault extends Error {
  readonly code: typeof TOO_MANY_SUBENTRIES;

  constructor(code: OperationFault["code"]) {
    super(`the operation fails with code ${code}`);
    this.code = code;
  }
}

export class ClassicLedger {
  readonly scope: Scope;
  /** Stroops. */
  readonly baseReserve: bigint;

  constructor(scope: Scope, baseReserve: bigint) {
    this.scope = scope;
    this.baseReserve = baseReserve;
  }

  account(of: Address): AccountEntry | undefined {
    return accountIn(this.scope, of);
  }

  trustline(of: Address, asset: IssuedAsset): TrustlineEntry | undefined {
    return trustlineIn(this.scope, of, asset);
  }

  offer(seller: Address, id: bigint): OfferEntry | undefined {
    const entry = this.scope.get(offerKey(seller, id))?.entry;
    return entry?.kind === "offer" ? entry : undefined;
  }

  put(entry: AccountEntry | TrustlineEntry): void {
    this.scope.put(entry);
  }

  /** Changes a holder's balance; the issuer's is without bound. Undefined where it was done. */
  move(of: Address, asset: ClassicAsset, change: bigint): MoveFault | undefined {
    if (asset.kind === "issued") return this.#moveIssued(of, asset, change);
    const account = this.account(of);
    if (account === undefined) return "missing";
    const { min, max } = accountRange(account, this.baseReserve);
    const balance = account.balance + change;
    // A balance below the reserve may still grow.
    if (change < 0n ? balance < min : balance > max) return "range";
    this.put({ ...account, balance });
    return undefined;
  }

  /**
   * Ties up (or, negative, releases) an amount to sell or room to buy. False, and nothing done,
   * where the holder has not got it. An issuer has both without bound.
   */
  addLiabilities(
    of: Address,
    asset: ClassicAsset,
    added: { readonly selling?: bigint; readonly buying?: bigint },
  ): boolean {
    const holding = asset.kind === "native" ? this.account(of) : this.#trustlineOf(of, asset);
    if (holding === "unbounded") return true;
    if (holding === undefined) return false;
    const next = {
      ...holding,
      sellingLiabilities: holding.sellingLiabilities + (added.selling ?? 0n),
      buyingLiabilities: holding.buyingLiabilities + (added.buying ?? 0n),
    };
    const { min, max } =
      next.kind === "account" ? accountRange(next, this.baseReserve) : trustlineRange(next);
    const releases = (added.selling ?? 0n) + (added.buying ?? 0n) < 0n;
    if (!releases && (next.balance < min || next.balance > max)) return false;
    this.put(next);
    return true;
  }

  #trustlineOf(of: Address, asset: IssuedAsset): TrustlineEntry | "unbounded" | undefined {
    return of === asset.issuer ? "unbounded" : this.trustline(of, asset);
  }

  #moveIssued(of: Address, asset: IssuedAsset, change: bigint): MoveFault | undefined {
    if (of === asset.issuer) return undefined;
    const trustline = this.trustline(of, asset);
    if (trustline === undefined) return "missing";
    if (!hasFlag(trustline.flags, TrustlineFlags.authorized)) return "unauthorized";
    const { min, max } = trustlineRange(trustline);
    const balance = trustline.balance + change;
    if (balance < min || balance > max) return "range";
    this.put({ ...trustline, balance });
    return undefined;
  }

  /**
   * Counts `reserves` more base reserves (fewer: negative) of an entry that `owner` owns, paid by
   * itself as `subentries`, or by `sponsor`. False, and nothing done, where the payer lacks them.
   * Throws an OperationFault past the entries that an account may own.
   */
  reserveEntry(owner: Address, reserves: number, sponsor: Address | undefined): boolean {
    const account = this.account(owner);
    if (account === undefined) return false;
    if (reserves > 0 && account.subentries + reserves > SUBENTRIES_MAX) {
      throw new OperationFault(TOO_MANY_SUBENTRIES);
    }
    if (sponsor === undefined) {
      return this.#takeReserve({ ...account, subentries: account.subentries + reserves }, reserves);
    }
    const payer = this.account(sponsor);
    if (payer === undefined) return false;
    const counted = { ...payer, sponsoring: payer.sponsoring + reserves };
    if (!this.#takeReserve(counted, reserves)) return false;
    this.put({
      ...account,
      subentries: account.subentries + reserves,
      sponsored: account.sponsored + reserves,
    });
    return true;
  }

  #takeReserve(account: AccountEntry, added: number): boolean {
    const need = reserve(account, this.baseReserve) + account.sellingLiabilities;
    if (added > 0 && account.balance < need) return false;
    this.put(account);
    return true;
  }

  /** A new account, whose own two reserves `sponsor` pays where there is one. */
  createAccount(account: Address, balance: bigint, sponsor: Address | undefined): boolean {
    const created: AccountEntry = {
      ...newAccount(account, balance, this.scope.ledger),
      sponsored: sponsor === undefined ? 0 : ACCOUNT_RESERVES,
      ...(sponsor === undefined ? {} : { sponsor }),
    };
    if (sponsor !== undefined) {
      const payer = this.account(sponsor);
      if (payer === undefined) return false;
      const counted = { ...payer, sponsoring: payer.sponsoring + ACCOUNT_RESERVES };
      if (!this.#takeReserve(counted, ACCOUNT_RESERVES)) return false;
    }
    if (balance < reserve(created, this.baseReserve) || balance > INT64_MAX) return false;
    this.put(created);
    return true;
  }
}

const ACCOUNT_RESERVES = 2;
