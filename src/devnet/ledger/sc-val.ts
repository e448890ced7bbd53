// Contract values as the XDR schemas of the SDK take and give them.
import {
  type PublicKeyWire,
  type ScAddressWire,
  type ScErrorWire,
  ScVal,
  type ScValWire,
  XdrString,
} from "@stellar/stellar-sdk/xdr";
import {
  type Address,
  accountAddress,
  addressBytes,
  contractAddress,
  isContract,
} from "../../model/address.ts";
import {
  bool,
  i128,
  map,
  string,
  symbol,
  u32,
  u64,
  u128,
  type Value,
  VOID,
  vec,
} from "../contract/value.ts";
import { remembered } from "./remembered.ts";
import { encode } from "./xdr-encoder.ts";
import type { XdrText } from "./xdr-writer.ts";

/** Decoding a strkey costs microseconds; the caches hold what the ledger's entries name. */
const ADDRESSES_MAX = 1_000_000;
/** Guess: more symbols than any model uses. */
const SYMBOLS_MAX = 4096;

/** Throws a TypeError where `of` is a contract. */
export const publicKeyWire = remembered(ADDRESSES_MAX, (of: Address): PublicKeyWire => {
  if (isContract(of)) throw new TypeError(`not an account: ${of}`);
  return { type: 0, ed25519: addressBytes(of) };
});

export const addressWire = remembered(
  ADDRESSES_MAX,
  (of: Address): ScAddressWire =>
    isContract(of)
      ? { type: 1, contractId: addressBytes(of) }
      : { type: 0, accountId: publicKeyWire(of) },
);

/** The 32 bytes of a contract's id. Throws a TypeError where `of` is an account. */
export function contractBytes(of: Address): Uint8Array {
  const wire = addressWire(of);
  if (wire.type !== 1) throw new TypeError(`not a contract: ${of}`);
  return wire.contractId;
}

export const xdrString = remembered(SYMBOLS_MAX, (text: string) => new XdrString(text));

export const VOID_WIRE: ScValWire = { type: 1 };

export function symbolWire(text: string): ScValWire {
  return { type: 15, sym: xdrString(text) };
}

export function stringWire(text: string): ScValWire {
  return { type: 14, str: xdrString(text) };
}

export function bytesWire(bytes: Uint8Array): ScValWire {
  return { type: 13, bytes };
}

export function errorWire(error: ScErrorWire): ScValWire {
  return { type: 2, error };
}

export function u64Wire(value: bigint): ScValWire {
  return { type: 5, u64: value };
}

export function i64Wire(value: bigint): ScValWire {
  return { type: 6, i64: value };
}

export function vecWire(items: readonly ScValWire[]): ScValWire {
  return { type: 16, vec: [...items] };
}

export function mapWire(fields: readonly (readonly [ScValWire, ScValWire])[]): ScValWire {
  return { type: 17, map: fields.map(([key, val]) => ({ key, val })) };
}

const LOW_64 = (1n << 64n) - 1n;

export function valueWire(value: Value): ScValWire {
  switch (value.type) {
    case "void":
      return VOID_WIRE;
    case "bool":
      return { type: 0, b: value.value };
    case "u32":
      return { type: 3, u32: value.value };
    case "u64":
      return { type: 5, u64: value.value };
    case "u128":
      return { type: 9, u128: { hi: value.value >> 64n, lo: value.value & LOW_64 } };
    case "i128":
      return { type: 10, i128: { hi: value.value >> 64n, lo: value.value & LOW_64 } };
    case "symbol":
      return symbolWire(value.value);
    case "string":
      // What clients send is not kept.
      return { type: 14, str: new XdrString(value.value) };
    case "address":
      return { type: 18, address: addressWire(value.value) };
    case "vec":
      return { type: 16, vec: value.value.map(valueWire) };
    case "map":
      return {
        type: 17,
        map: value.value.map(([key, val]) => ({ key: symbolWire(key), val: valueWire(val) })),
      };
    case "other":
      return value.value;
  }
}

/** What a model passes, or what the host itself adds to it: strings, bytes, errors. */
export type HostValue = Value | ScValWire;

export function hostValueWire(value: HostValue): ScValWire {
  return typeof value.type === "number" ? (value as ScValWire) : valueWire(value as Value);
}

export function hostValueXdr(value: HostValue): XdrText {
  return encode(ScVal, hostValueWire(value));
}

/** A symbol's characters (Soroban); other bytes would not come back out of a JavaScript string. */
const SYMBOL = /^[A-Za-z0-9_]{0,32}$/;

export function valueFromWire(wire: ScValWire): Value {
  if (wire.type === 0) return bool(wire.b);
  if (wire.type === 1) return VOID;
  if (wire.type === 3) return u32(wire.u32);
  if (wire.type === 5) return u64(wire.u64);
  if (wire.type === 9) return u128((wire.u128.hi << 64n) | wire.u128.lo);
  if (wire.type === 10) return i128((wire.i128.hi << 64n) | wire.i128.lo);
  if (wire.type === 14) {
    const text = wire.str.toString();
    if (Buffer.from(text).equals(wire.str.bytes)) return string(text);
  }
  if (wire.type === 15) {
    const text = wire.sym.toString();
    if (SYMBOL.test(text)) return symbol(text);
  }
  if (wire.type === 16 && wire.vec !== null) return vec(wire.vec.map(valueFromWire));
  if (wire.type === 17 && wire.map !== null) {
    const fields = wire.map.map(fieldFromWire);
    if (isStruct(fields)) return map(fields);
  }
  if (wire.type === 18 && (wire.address.type === 0 || wire.address.type === 1)) {
    return { type: "address", value: addressFromWire(wire.address) };
  }
  return { type: "other", value: wire };
}

type Field = readonly [string | undefined, Value];

/** The key is undefined where it is no symbol. */
function fieldFromWire(field: { readonly key: ScValWire; readonly val: ScValWire }): Field {
  const key = valueFromWire(field.key);
  return [key.type === "symbol" ? key.value : undefined, valueFromWire(field.val)];
}

/** Soroban takes a map as a struct's only with its keys in order. */
function isStruct(fields: readonly Field[]): fields is readonly (readonly [string, Value])[] {
  return fields.every(([key], at) => {
    const before = at === 0 ? "" : fields[at - 1]?.[0];
    return key !== undefined && before !== undefined && (at === 0 || before < key);
  });
}

export function addressFromWire(wire: ScAddressWire): Address {
  if (wire.type === 0) return accountAddress(wire.accountId.ed25519);
  if (wire.type === 1) return contractAddress(wire.contractId);
  throw new TypeError(`an address of type ${wire.type}`);
}
