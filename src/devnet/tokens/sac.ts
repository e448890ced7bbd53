// The Stellar Asset Contract: a classic asset as a token (CAP-46-6; events as of CAP-67).
import type { Address } from "../../model/address.ts";
import * as codec from "../contract/codec.ts";
import {
  action,
  type Codecs,
  type Method,
  type Methods,
  method,
  runMethod,
} from "../contract/codec.ts";
import {
  addressValue,
  bool,
  i128,
  string,
  symbol,
  u32,
  type Value,
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

const { address } = codec;
const parties = { from: address, spender: address };
const held = { from: address, amount: codec.i128 };
const transfer = { from: address, to: address, amount: codec.i128 };

/** The token is the host's own: no specification says what its functions return. */
function call<T>(parameters: Codecs<T>, run: (token: Sac, call: T) => Value): Method<SacHost> {
  return method(parameters, undefined, (host: SacHost, given: T) => run(new Sac(host), given));
}

function act<T>(parameters: Codecs<T>, run: (token: Sac, call: T) => void): Method<SacHost> {
  return action(parameters, (host: SacHost, given: T) => run(new Sac(host), given));
}

const METHODS: Methods<SacHost> = {
  balance: call({ id: address }, ({ balances }, { id }) => i128(balances.balance(id))),
  authorized: call({ id: address }, ({ balances }, { id }) => bool(balances.isAuthorized(id))),
  allowance: call(parties, (token, given) => i128(token.allowance(given))),
  decimals: call({}, () => u32(DECIMALS)),
  name: call({}, (token) => string(token.name)),
  symbol: call({}, (token) => string(token.symbol)),
  admin: call({}, (token) => addressValue(token.admin())),
  approve: act({ ...parties, amount: codec.i128, liveUntil: codec.u32 }, (token, given) =>
    token.approve(given),
  ),
  transfer: act(transfer, (token, given) => token.transfer(given)),
  transfer_from: act({ spender: address, ...transfer }, (token, given) =>
    token.transferFrom(given),
  ),
  burn: act(held, (token, given) => token.burn(given)),
  burn_from: act({ spender: address, ...held }, (token, given) => token.burnFrom(given)),
  mint: act({ to: address, amount: codec.i128 }, (token, given) => token.mint(given)),
  clawback: act(held, (token, given) => token.clawback(given)),
  set_authorized: act({ id: address, authorized: codec.bool }, (token, given) =>
    token.setAuthorized(given.id, given.authorized),
  ),
  set_admin: act({ next: address }, (token, { next }) => token.setAdmin(next)),
  trust: act({ id: address }, ({ balances }, { id }) => balances.trust(id)),
};

export function runSac(host: SacHost, fn: string, args: readonly Value[]): Value {
  return runMethod(METHODS, host, fn, args);
}

type Parties = { readonly from: Address; readonly spender: Address };
type Held = { readonly from: Address; readonly amount: bigint };
type Credit = { readonly to: Address; readonly amount: bigint };

class Sac {
  readonly balances: Balances;
  readonly #host: SacHost;
  readonly #asset: ClassicAsset;

  constructor(host: SacHost) {
    this.#host = host;
    this.#asset = assetOf(host.selfInstance);
    this.balances = new Balances(host, this.#asset);
  }

  allowance(of: Parties): bigint {
    return readAllowance(this.#host, of);
  }

  approve(given: Parties & { readonly amount: bigint; readonly liveUntil: number }): void {
    const { from, spender, amount, liveUntil } = given;
    this.#requireNonNegative(amount);
    this.#host.requireAuth(from);
    writeAllowance(this.#host, { from, spender }, { amount, liveUntil });
    this.#emit("approve", [from, spender], vec([i128(amount), u32(liveUntil)]));
  }

  transfer({ from, to, amount }: Held & Credit): void {
    this.#requireNonNegative(amount);
    this.#host.requireAuth(from);
    this.#move(from, to, amount);
  }

  transferFrom({ spender, from, to, amount }: Parties & Credit): void {
    this.#requireNonNegative(amount);
    this.#host.requireAuth(spender);
    spendAllowance(this.#host, { from, spender }, amount);
    this.#move(from, to, amount);
  }

  burn({ from, amount }: Held): void {
    this.#requireBurnable(from, amount);
    this.#host.requireAuth(from);
    this.balances.spend(from, amount);
    this.#emit("burn", [from], i128(amount));
  }

  burnFrom({ spender, from, amount }: Parties & Held): void {
    this.#requireBurnable(from, amount);
    this.#host.requireAuth(spender);
    spendAllowance(this.#host, { from, spender }, amount);
    this.balances.spend(from, amount);
    this.#emit("burn", [from], i128(amount));
  }

  mint({ to, amount }: Credit): void {
    this.#requireNonNegative(amount);
    this.#requireNotIssuer(to);
    this.#host.requireAuth(this.admin());
    this.balances.receive(to, amount);
    this.#emit("mint", [to], i128(amount));
  }

  clawback({ from, amount }: Held): void {
    this.#requireNonNegative(amount);
    this.balances.requireClawback(from);
    this.#host.requireAuth(this.admin());
    this.balances.spendUnauthorized(from, amount);
    this.#emit("clawback", [from], i128(amount));
  }

  setAuthorized(of: Address, authorized: boolean): void {
    this.#host.requireAuth(this.admin());
    this.balances.setAuthorized(of, authorized);
    this.#emit("set_authorized", [of], bool(authorized));
  }

  setAdmin(next: Address): void {
    const before = this.admin();
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
