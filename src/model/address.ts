// Addresses as the API writes them (strkey: G... account, C... contract) and in the order the
// contract compares them (XDR bytes of the ScAddress, not the strings).
import { BASE32, encodeStrkey, isStrkey, StrkeyVersion, strkeyPayload } from "./strkey.ts";

declare const addressBrand: unique symbol;
/** A checked strkey of an account (G...) or a contract (C...). */
export type Address = string & { readonly [addressBrand]: true };

/** The two assets of a market in the contract's canonical order. */
export type Pair = { readonly base: Address; readonly quote: Address };

/** The address, or undefined where `text` is no valid G... or C... strkey (checksum included). */
export function parseAddress(text: string): Address | undefined {
  const version = text.startsWith("G") ? StrkeyVersion.account : StrkeyVersion.contract;
  return isStrkey(version, text) ? (text as Address) : undefined;
}

/** As `parseAddress`, for contract addresses (C...) alone. */
export function parseContractAddress(text: string): Address | undefined {
  return isStrkey(StrkeyVersion.contract, text) ? (text as Address) : undefined;
}

/** For addresses that our own code or a decoder made. Throws a TypeError on anything else. */
export function address(text: string): Address {
  const parsed = parseAddress(text);
  if (parsed === undefined) throw new TypeError(`not an account or contract address: ${text}`);
  return parsed;
}

export function isContract(of: Address): boolean {
  return of.startsWith("C");
}

/** The 32 bytes inside the strkey: an account's public key or a contract's hash. */
export function addressBytes(of: Address): Uint8Array {
  return strkeyPayload(of);
}

export function accountAddress(publicKey: Uint8Array): Address {
  return encodeStrkey(StrkeyVersion.account, publicKey) as Address;
}

export function contractAddress(hash: Uint8Array): Address {
  return encodeStrkey(StrkeyVersion.contract, hash) as Address;
}

/**
 * Negative, 0 or positive as the XDR bytes of `a`'s ScAddress sort before, with or after `b`'s.
 * Accounts (ScAddress type 0) come before contracts (type 1).
 */
export function compareAddresses(a: Address, b: Address): number {
  if (a === b) return 0;
  if (a[0] !== b[0]) return isContract(a) ? 1 : -1;
  for (let at = 1; at < a.length; at += 1) {
    if (a[at] !== b[at]) {
      return BASE32.indexOf(a.charAt(at)) - BASE32.indexOf(b.charAt(at));
    }
  }
  return 0;
}

/** The canonical pair of two assets. */
export function canonicalPair(one: Address, other: Address): Pair {
  return compareAddresses(one, other) <= 0
    ? { base: one, quote: other }
    : { base: other, quote: one };
}

/** The market key of the API: `base/quote` in canonical order. */
export function marketKey(pair: Pair): string {
  return `${pair.base}/${pair.quote}`;
}
