// What kind of token an asset is: it decides where its balances are kept.
import { type Address, parseAddress } from "../../model/address.ts";
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
