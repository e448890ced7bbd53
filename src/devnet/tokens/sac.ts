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
import type { Frame } from "../ledger/frame.ts";
import { type HostValue, stringWire } from "../ledger/sc-val.ts";
import { assetName } from "./sac-address.ts";
import { readAllowance, spendAllowance, writeAllowance } from "./sac-allowance.ts";
import { Balances } from "./sac-balance.ts";
import { adminOf, assetOf, DECIMALS, symbolOf, withAdmin } from "./sac-instance.ts";
import { TokenError, tokenFailure } from "./token-error.ts";

const { address } = codec;
const parties = { from: address, spender: address };
const held = { from: address, amount: codec.i128 };
const credit = { to: address, amount: codec.i128 };

/** The token is the host's own: no specification says what its functions return. */
function call<T>(parameters: Codecs<T>, run: (token: Sac, call: T) => Value): Method<Frame> {
  return method(parameters, undefined, (host: Frame, given: T) => run(new Sac(host), given));
}

function act<T>(parameters: Codecs<T>, run: (token: Sac, call: T) => void): Method<Frame> {
  return action(parameters, (host: Frame, given: T) => run(new Sac(host), given));
}

const METHODS: Methods<Frame> = {
  balance: call({ id: address }, ({ balances }, { id }) => i128(balances.balance(id))),
  authorized: call({ id: address }, ({ balances }, { id }) => bool(balances.isAuthorized(id))),
  allowance: call(parties, ({ host }, given) => i128(readAllowance(host, given))),
  decimals: call({}, () => u32(DECIMALS)),
  name: call({}, ({ asset }) => string(assetName(asset))),
  symbol: call({}, ({ asset }) => string(symbolOf(asset))),
  admin: call({}, (token) => addressValue(token.admin())),
  approve: act({ ...parties, amount: codec.i128, liveUntil: codec.u32 }, (token, given) => {
    const { from, spender, amount, liveUntil } = given;
    token.requireNonNegative(amount);
    token.host.requireAuth(from);
    writeAllowance(token.host, { from, spender }, { amount, liveUntil });
    token.emit("approve", [from, spender], vec([i128(amount), u32(liveUntil)]));
  }),
  transfer: act({ from: address, ...credit }, (token, { from, to, amount }) => {
    token.requireNonNegative(amount);
    token.host.requireAuth(from);
    token.move(from, to, amount);
  }),
  transfer_from: act({ spender: address, from: address, ...credit }, (token, given) => {
    const { spender, from, to, amount } = given;
    token.requireNonNegative(amount);
    token.host.requireAuth(spender);
    spendAllowance(token.host, { from, spender }, amount);
    token.move(from, to, amount);
  }),
  burn: act(held, (token, { from, amount }) => token.burn(from, amount)),
  burn_from: act({ spender: address, ...held }, (token, { spender, from, amount }) =>
    token.burn(from, amount, spender),
  ),
  mint: act(credit, (token, { to, amount }) => {
    token.requireNonNegative(amount);
    token.requireNotIssuer(to);
    token.host.requireAuth(token.admin());
    token.balances.receive(to, amount);
    token.emit("mint", [to], i128(amount));
  }),
  clawback: act(held, (token, { from, amount }) => {
    token.requireNonNegative(amount);
    token.balances.requireClawback(from);
    token.host.requireAuth(token.admin());
    token.balances.spendUnauthorized(from, amount);
    token.emit("clawback", [from], i128(amount));
  }),
  set_authorized: act({ id: address, authorized: codec.bool }, (token, { id, authorized }) => {
    token.host.requireAuth(token.admin());
    token.balances.setAuthorized(id, authorized);
    token.emit("set_authorized", [id], bool(authorized));
  }),
  set_admin: act({ next: address }, (token, { next }) => {
    const before = token.admin();
    token.host.requireAuth(before);
    token.host.putEntry(withAdmin(token.host.selfInstance, next));
    token.emit("set_admin", [before], addressValue(next));
  }),
  trust: act({ id: address }, ({ balances }, { id }) => balances.trust(id)),
};

export function runSac(host: Frame, fn: string, args: readonly Value[]): Value {
  return runMethod(METHODS, host, fn, args);
}

/** One token in one call, and what several of its functions share. */
class Sac {
  readonly host: Frame;
  readonly asset: ClassicAsset;
  readonly balances: Balances;

  constructor(host: Frame) {
    this.host = host;
    this.asset = assetOf(host.selfInstance);
    this.balances = new Balances(host, this.asset);
  }

  admin(): Address {
    const admin = adminOf(this.host.selfInstance);
    if (admin === undefined) this.#unsupported("operation invalid on native asset");
    return admin;
  }

  move(from: Address, to: Address, amount: bigint): void {
    this.balances.spend(from, amount);
    this.balances.receive(to, amount);
    const { kind, parties } = movement(this.asset, from, to);
    this.emit(kind, parties, i128(amount));
  }

  /** By allowance where there is a spender. */
  burn(from: Address, amount: bigint, spender?: Address): void {
    this.requireNonNegative(amount);
    if (this.asset.kind === "native") this.#unsupported("operation invalid on native asset");
    this.requireNotIssuer(from);
    this.host.requireAuth(spender ?? from);
    if (spender !== undefined) spendAllowance(this.host, { from, spender }, amount);
    this.balances.spend(from, amount);
    this.emit("burn", [from], i128(amount));
  }

  emit(kind: string, parties: readonly Address[], data: Value): void {
    this.host.emitEvent(tokenTopics(this.asset, kind, parties), data);
  }

  requireNotIssuer(of: Address): void {
    if (this.asset.kind === "issued" && of === this.asset.issuer) {
      this.#unsupported("operation invalid on issuer");
    }
  }

  requireNonNegative(amount: bigint): void {
    if (amount >= 0n) return;
    const text = "negative amount is not allowed";
    throw tokenFailure(this.host.self, TokenError.negativeAmount, text, [i128(amount)]);
  }

  #unsupported(text: string): never {
    throw tokenFailure(this.host.self, TokenError.operationNotSupported, text);
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
