// The Stellar Asset Contract: a classic asset as a token (CAP-46-6; events as of CAP-67).
import type { Address } from "../../model/address.ts";
import { Arguments, missingFunction } from "../contract/arguments.ts";
import {
  addressValue,
  bool,
  i128,
  string,
  symbol,
  u32,
  type Value,
  VOID,
  vec,
} from "../contract/value.ts";
import type { ClassicAsset } from "../ledger/asset.ts";
import type { InstanceEntry } from "../ledger/entry.ts";
import type { TokenHost } from "../ledger/frame.ts";
import { type HostValue, stringWire } from "../ledger/sc-val.ts";
import { assetName } from "./sac-address.ts";
import { readAllowance, spendAllowance, writeAllowance } from "./sac-allowance.ts";
import { Balances } from "./sac-balance.ts";
import { adminOf, assetOf, DECIMALS, symbolOf, withAdmin } from "./sac-instance.ts";
import { TokenError, tokenFailure } from "./token-error.ts";

/** The host of a Stellar Asset Contract can rewrite its instance, for set_admin. */
export interface SacHost extends TokenHost {
  putInstance(entry: InstanceEntry): void;
}

export function runSac(host: SacHost, fn: string, args: readonly Value[]): Value {
  const token = new Sac(host);
  switch (fn) {
    case "balance":
      return i128(token.balances.balance(new Arguments(args, 1).address(0)));
    case "authorized":
      return bool(token.balances.isAuthorized(new Arguments(args, 1).address(0)));
    case "allowance": {
      const given = new Arguments(args, 2);
      return i128(readAllowance(host, { from: given.address(0), spender: given.address(1) }));
    }
    case "decimals":
      return u32(DECIMALS);
    case "name":
      return string(token.name);
    case "symbol":
      return string(token.symbol);
    case "approve":
      token.approve(new Arguments(args, 4));
      return VOID;
    case "transfer":
      token.transfer(new Arguments(args, 3));
      return VOID;
    case "transfer_from":
      token.transferFrom(new Arguments(args, 4));
      return VOID;
    case "burn":
      token.burn(new Arguments(args, 2));
      return VOID;
    case "burn_from":
      token.burnFrom(new Arguments(args, 3));
      return VOID;
    case "mint":
      token.mint(new Arguments(args, 2));
      return VOID;
    case "clawback":
      token.clawback(new Arguments(args, 2));
      return VOID;
    case "set_authorized":
      token.setAuthorized(new Arguments(args, 2));
      return VOID;
    case "set_admin":
      token.setAdmin(new Arguments(args, 1));
      return VOID;
    case "trust":
      token.balances.trust(new Arguments(args, 1).address(0));
      return VOID;
    case "admin":
      return addressValue(token.admin());
    default:
      return missingFunction(fn);
  }
}

class Sac {
  readonly balances: Balances;
  readonly #host: SacHost;
  readonly #asset: ClassicAsset;

  constructor(host: SacHost) {
    this.#host = host;
    this.#asset = assetOf(host.selfInstance);
    this.balances = new Balances(host, this.#asset);
  }

  approve(args: Arguments): void {
    const [from, spender] = [args.address(0), args.address(1)];
    const [amount, liveUntil] = [args.amount(2), args.u32(3)];
    this.#requireNonNegative(amount);
    this.#host.requireAuth(from);
    writeAllowance(this.#host, { from, spender }, { amount, liveUntil });
    this.#emit("approve", [from, spender], vec([i128(amount), u32(liveUntil)]));
  }

  transfer(args: Arguments): void {
    const [from, to, amount] = [args.address(0), args.address(1), args.amount(2)];
    this.#requireNonNegative(amount);
    this.#host.requireAuth(from);
    this.#move(from, to, amount);
  }

  transferFrom(args: Arguments): void {
    const [spender, from, to] = [args.address(0), args.address(1), args.address(2)];
    const amount = args.amount(3);
    this.#requireNonNegative(amount);
    this.#host.requireAuth(spender);
    spendAllowance(this.#host, { from, spender }, amount);
    this.#move(from, to, amount);
  }

  burn(args: Arguments): void {
    const [from, amount] = [args.address(0), args.amount(1)];
    this.#requireBurnable(from, amount);
    this.#host.requireAuth(from);
    this.balances.spend(from, amount);
    this.#emit("burn", [from], i128(amount));
  }

  burnFrom(args: Arguments): void {
    const [spender, from, amount] = [args.address(0), args.address(1), args.amount(2)];
    this.#requireBurnable(from, amount);
    this.#host.requireAuth(spender);
    spendAllowance(this.#host, { from, spender }, amount);
    this.balances.spend(from, amount);
    this.#emit("burn", [from], i128(amount));
  }

  mint(args: Arguments): void {
    const [to, amount] = [args.address(0), args.amount(1)];
    this.#requireNonNegative(amount);
    this.#requireNotIssuer(to);
    this.#host.requireAuth(this.admin());
    this.balances.receive(to, amount);
    this.#emit("mint", [to], i128(amount));
  }

  clawback(args: Arguments): void {
    const [from, amount] = [args.address(0), args.amount(1)];
    this.#requireNonNegative(amount);
    this.balances.requireClawback(from);
    this.#host.requireAuth(this.admin());
    this.balances.spendUnauthorized(from, amount);
    this.#emit("clawback", [from], i128(amount));
  }

  setAuthorized(args: Arguments): void {
    const [of, authorized] = [args.address(0), args.bool(1)];
    this.#host.requireAuth(this.admin());
    this.balances.setAuthorized(of, authorized);
    this.#emit("set_authorized", [of], bool(authorized));
  }

  setAdmin(args: Arguments): void {
    const [before, next] = [this.admin(), args.address(0)];
    this.#host.requireAuth(before);
    this.#host.putInstance(withAdmin(this.#host.selfInstance, next));
    this.#emit("set_admin", [before], addressValue(next));
  }

  get name(): string {
    return assetName(this.#asset);
  }

  get symbol(): string {
    return symbolOf(this.#asset);
  }

  admin(): Address {
    const admin = adminOf(this.#host.selfInstance);
    if (admin === undefined) this.#unsupported("operation invalid on native asset");
    return admin;
  }

  #move(from: Address, to: Address, amount: bigint): void {
    this.balances.spend(from, amount);
    this.balances.receive(to, amount);
    const { kind, parties } = movement(this.#asset, from, to);
    this.#emit(kind, parties, i128(amount));
  }

  #emit(kind: string, parties: readonly Address[], data: Value): void {
    this.#host.emitEvent(tokenTopics(this.#asset, kind, parties), data);
  }

  #requireBurnable(from: Address, amount: bigint): void {
    this.#requireNonNegative(amount);
    if (this.#asset.kind === "native") this.#unsupported("operation invalid on native asset");
    this.#requireNotIssuer(from);
  }

  #requireNotIssuer(of: Address): void {
    if (this.#asset.kind === "issued" && of === this.#asset.issuer) {
      this.#unsupported("operation invalid on issuer");
    }
  }

  #requireNonNegative(amount: bigint): void {
    if (amount < 0n) {
      throw tokenFailure(
        this.#host.self,
        TokenError.negativeAmount,
        "negative amount is not allowed",
        [i128(amount)],
      );
    }
  }

  #unsupported(text: string): never {
    throw tokenFailure(this.#host.self, TokenError.operationNotSupported, text);
  }
}

export type Movement = {
  readonly kind: "transfer" | "mint" | "burn";
  readonly parties: readonly Address[];
};

/** A transfer that the issuer sends is a mint, one it gets a burn; to oneself always a transfer. */
export function movement(asset: ClassicAsset, from: Address, to: Address): Movement {
  const issuer = asset.kind === "issued" ? asset.issuer : undefined;
  if (from !== to && from === issuer) return { kind: "mint", parties: [to] };
  if (from !== to && to === issuer) return { kind: "burn", parties: [from] };
  return { kind: "transfer", parties: [from, to] };
}

/** Topics of a token event; classic operations write the same ones (CAP-67). */
export function tokenTopics(
  asset: ClassicAsset,
  kind: string,
  parties: readonly Address[],
): HostValue[] {
  return [symbol(kind), ...parties.map(addressValue), stringWire(assetName(asset))];
}
