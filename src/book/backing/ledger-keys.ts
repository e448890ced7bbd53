// Keys of the ledger entries that decide an owner's backing in an asset, by the asset's kind of token.
import {
  type Address,
  accountAddress,
  addressBytes,
  contractAddress,
  isContract,
  parseAddress,
} from "../../model/address.ts";
import type { TrackedEntry } from "../../model/ledger-delta.ts";

export type Token =
  /** A Stellar Asset Contract of the native asset. */
  | { readonly kind: "native" }
  /** A Stellar Asset Contract of a classic asset. */
  | { readonly kind: "issued"; readonly code: string; readonly issuer: Address }
  /** Any other contract: what it holds can only be asked of it. */
  | { readonly kind: "other" };

/**
 * Bytes that the name (`native` or `CODE:ISSUER`) takes in the topics of the token's events: an XDR
 * ScVal of type, length and padded text. A token of another kind has no such topic.
 */
export function nameBytes(token: Token): number {
  switch (token.kind) {
    case "native":
      return textBytes("native".length);
    case "issued":
      return textBytes(token.code.length + 1 + token.issuer.length);
    case "other":
      return 0;
  }
}

function textBytes(length: number): number {
  return 8 + 4 * Math.ceil(length / 4);
}

const NATIVE: Token = { kind: "native" };
const OTHER: Token = { kind: "other" };

/**
 * The kind, from the token contract's instance entry (undefined: the ledger has none). Only a Stellar
 * Asset Contract names an asset there. Throws a TypeError on an asset of another form, which no such
 * contract has.
 */
export function tokenOf(instance: TrackedEntry | undefined): Token {
  if (instance?.kind !== "token" || instance.asset === undefined) return OTHER;
  if (instance.asset === "native") return NATIVE;
  const colon = instance.asset.indexOf(":");
  const code = instance.asset.slice(0, colon);
  const issuer = parseAddress(instance.asset.slice(colon + 1));
  if (!/^[A-Za-z0-9]{1,12}$/.test(code) || issuer === undefined) {
    throw new TypeError(`no asset of a Stellar Asset Contract: ${instance.asset}`);
  }
  return { kind: "issued", code, issuer };
}

// Keys of the ledger entries that decide what stands behind an owner (LedgerKey, base64 XDR).
// Written byte by byte: the SDK's classes cost the main thread more than all the rest of a record,
// and its start more still.

/** Discriminants of the XDR unions. */
const LedgerKeyType = { account: 0, trustline: 1, contractData: 6, configSetting: 8 } as const;
const ScValType = { symbol: 15, vec: 16, map: 17, address: 18, instanceKey: 20 } as const;
const AssetType = { alphanum4: 1, alphanum12: 2 } as const;
const Durability = { temporary: 0, persistent: 1 } as const;

/** The network's limit of what the events and the return value of a call take (CONFIG_SETTING_CONTRACT_EVENTS_V0). */
export function eventsSettingKey(): string {
  return text([uint32(LedgerKeyType.configSetting), uint32(4)]);
}

/** A token contract's instance: whether it is a Stellar Asset Contract, and of which asset. */
export function instanceKey(token: Address): string {
  return dataKey(token, [uint32(ScValType.instanceKey)], Durability.persistent);
}

export function accountKey(owner: Address): string {
  return text([uint32(LedgerKeyType.account), accountId(owner)]);
}

export function trustlineKey(
  owner: Address,
  asset: { readonly code: string; readonly issuer: Address },
): string {
  const { code, issuer } = asset;
  const isShort = code.length <= 4;
  return text([
    uint32(LedgerKeyType.trustline),
    accountId(owner),
    uint32(isShort ? AssetType.alphanum4 : AssetType.alphanum12),
    Buffer.from(code.padEnd(isShort ? 4 : 12, "\0"), "latin1"),
    accountId(issuer),
  ]);
}

/** The balance a contract holds of a Stellar Asset Contract's asset. */
export function balanceKey(token: Address, owner: Address): string {
  const key = vec([symbol("Balance"), addressValue(owner)]);
  return dataKey(token, [key], Durability.persistent);
}

/** What `owner` lets `spender` take of a Stellar Asset Contract's asset. */
export function allowanceKey(token: Address, owner: Address, spender: Address): string {
  const parties = map([
    [symbol("from"), addressValue(owner)],
    [symbol("spender"), addressValue(spender)],
  ]);
  return dataKey(token, [vec([symbol("Allowance"), parties])], Durability.temporary);
}

function dataKey(contract: Address, key: readonly Buffer[], durability: number): string {
  return text([
    uint32(LedgerKeyType.contractData),
    scAddress(contract),
    ...key,
    uint32(durability),
  ]);
}

function text(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString("base64");
}

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function vec(items: readonly Buffer[]): Buffer {
  return Buffer.concat([uint32(ScValType.vec), PRESENT, uint32(items.length), ...items]);
}

function map(entries: readonly (readonly [key: Buffer, value: Buffer])[]): Buffer {
  return Buffer.concat([uint32(ScValType.map), PRESENT, uint32(entries.length), ...entries.flat()]);
}

/** Of a length that needs padding to 4 bytes, or not. */
function symbol(name: string): Buffer {
  const padded = Buffer.alloc(Math.ceil(name.length / 4) * 4);
  padded.write(name, "latin1");
  return Buffer.concat([uint32(ScValType.symbol), uint32(name.length), padded]);
}

function addressValue(of: Address): Buffer {
  return Buffer.concat([uint32(ScValType.address), scAddress(of)]);
}

/** ScAddress: an account's holds its public key, whose type is 0 as well. */
function scAddress(of: Address): Buffer {
  return isContract(of)
    ? Buffer.concat([uint32(1), addressBytes(of)])
    : Buffer.concat([uint32(0), accountId(of)]);
}

/** AccountID: a public key of type 0, ed25519. */
function accountId(of: Address): Buffer {
  return Buffer.concat([uint32(0), addressBytes(of)]);
}

/** The option of a vec's or a map's content. */
const PRESENT = uint32(1);

// Ledger keys that differ in one address alone: one is built, and the bytes of the address are put in
// place for all others.

/** Thirty-two bytes that occur nowhere else in a key. */
const PLACE = Uint8Array.from({ length: 32 }, (_, at) => (at * 37 + 201) & 0xff);
const ACCOUNT = accountAddress(PLACE);
const CONTRACT = contractAddress(PLACE);

type Template = { readonly bytes: Buffer; readonly at: number };

/** Keys of a kind, by the address in them. `build` gives a key in base64 XDR. */
class KeyTemplate {
  readonly #build: (owner: Address) => string;
  #account: Template | undefined;
  #contract: Template | undefined;

  constructor(build: (owner: Address) => string) {
    this.#build = build;
  }

  keyOf(owner: Address): string {
    const { bytes, at } = this.#templateFor(owner);
    bytes.set(addressBytes(owner), at);
    return bytes.toString("base64");
  }

  /** Accounts and contracts are written in different lengths. */
  #templateFor(owner: Address): Template {
    if (isContract(owner)) {
      this.#contract ??= template(this.#build(CONTRACT));
      return this.#contract;
    }
    this.#account ??= template(this.#build(ACCOUNT));
    return this.#account;
  }
}

function template(key: string): Template {
  const bytes = Buffer.from(key, "base64");
  const at = bytes.indexOf(PLACE);
  if (at < 0 || bytes.indexOf(PLACE, at + 1) >= 0) {
    throw new TypeError(`not a key with one address of an owner: ${key}`);
  }
  return { bytes, at };
}

// Which ledger entries decide what stands behind an owner in a token.

export type RecordKeys = {
  /** The owner's account, trustline or contract balance; absent for an issuer's own token. */
  readonly holding?: string;
  readonly allowance: string;
  /** The issuer's account, whose flags decide for a contract without a balance entry. */
  readonly issuer?: string;
};

/** What is the same for all owners of a token: bounded by the tokens traded. */
type TokenKeys = {
  readonly instance: string;
  readonly balances: KeyTemplate;
  readonly allowances: KeyTemplate;
};

/** Builds keys (base64 XDR), with those of tokens kept. */
export class RecordKeyBuilder {
  readonly #spender: Address;
  readonly #tokens = new Map<Address, TokenKeys>();
  readonly #trustlines = new Map<string, KeyTemplate>();
  readonly #accounts = new KeyTemplate(accountKey);

  /** `spender`: whose allowances count. */
  constructor(spender: Address) {
    this.#spender = spender;
  }

  instance(asset: Address): string {
    return this.#keysOf(asset).instance;
  }

  /** Undefined where the token is a custom one (no SAC). */
  record(owner: Address, asset: Address, token: Token): RecordKeys | undefined {
    if (token.kind === "other") return undefined;
    const { allowances, balances } = this.#keysOf(asset);
    const allowance = allowances.keyOf(owner);
    if (isContract(owner)) {
      const holding = balances.keyOf(owner);
      return token.kind === "native"
        ? { holding, allowance }
        : { holding, allowance, issuer: this.#accounts.keyOf(token.issuer) };
    }
    if (token.kind === "native") return { holding: this.#accounts.keyOf(owner), allowance };
    if (token.issuer === owner) return { allowance };
    return { holding: this.#trustlinesOf(token).keyOf(owner), allowance };
  }

  #keysOf(asset: Address): TokenKeys {
    const present = this.#tokens.get(asset);
    if (present !== undefined) return present;
    const keys = {
      instance: instanceKey(asset),
      balances: new KeyTemplate((owner) => balanceKey(asset, owner)),
      allowances: new KeyTemplate((owner) => allowanceKey(asset, owner, this.#spender)),
    };
    this.#tokens.set(asset, keys);
    return keys;
  }

  #trustlinesOf(asset: { readonly code: string; readonly issuer: Address }): KeyTemplate {
    const name = `${asset.code}:${asset.issuer}`;
    const present = this.#trustlines.get(name);
    if (present !== undefined) return present;
    const template = new KeyTemplate((owner) => trustlineKey(owner, asset));
    this.#trustlines.set(name, template);
    return template;
  }
}
