// ScVals and addresses as XDR (see xdr-writer.ts for why by hand).
import {
  type PublicKeyWire,
  type ScAddressWire,
  ScVal,
  type ScValWire,
} from "@stellar/stellar-sdk/xdr";
import type { Value } from "../contract/value.ts";
import { addressWire, xdrString } from "./sc-val.ts";
import { encode, type XdrText, type XdrWriter } from "./xdr-writer.ts";

/** What a model passes, or what the host itself adds to it: strings, bytes, errors. */
export type HostValue = Value | ScValWire;

export function writeHostValue(to: XdrWriter, value: HostValue): void {
  if (typeof value.type === "number") writeScVal(to, value as ScValWire);
  else writeValue(to, value as Value);
}

/** ScValType. */
const Type = {
  bool: 0,
  void: 1,
  u32: 3,
  u64: 5,
  u128: 9,
  i128: 10,
  string: 14,
  symbol: 15,
  vec: 16,
  map: 17,
  address: 18,
} as const;
const LOW_64 = (1n << 64n) - 1n;

export function writeValue(to: XdrWriter, value: Value): void {
  if (value.type === "other") {
    to.bytes(ScVal.schema.encode(value.value));
    return;
  }
  to.uint32(Type[value.type]);
  switch (value.type) {
    case "void":
      break;
    case "bool":
      to.uint32(value.value ? 1 : 0);
      break;
    case "u32":
      to.uint32(value.value);
      break;
    case "u64":
      to.uint64(value.value);
      break;
    case "u128":
      to.uint64(value.value >> 64n);
      to.uint64(value.value & LOW_64);
      break;
    case "i128":
      to.int64(value.value >> 64n);
      to.uint64(value.value & LOW_64);
      break;
    case "string":
      to.opaque(Buffer.from(value.value));
      break;
    case "symbol":
      to.opaque(xdrString(value.value).bytes);
      break;
    case "address":
      writeAddress(to, addressWire(value.value));
      break;
    case "vec":
      to.uint32(1);
      to.uint32(value.value.length);
      for (const item of value.value) writeValue(to, item);
      break;
    case "map":
      to.uint32(1);
      to.uint32(value.value.length);
      for (const [key, field] of value.value) {
        to.uint32(Type.symbol);
        to.opaque(xdrString(key).bytes);
        writeValue(to, field);
      }
      break;
  }
}

const TYPE_BYTES = 4;

/** By hand what is written often, with the SDK what only clients send. */
export function writeScVal(to: XdrWriter, value: ScValWire): void {
  to.uint32(value.type);
  if (value.type === 0) to.uint32(value.b ? 1 : 0);
  else if (value.type === 1 || value.type === 20) return;
  else if (value.type === 2) writeError(to, value.error);
  else if (value.type === 3) to.uint32(value.u32);
  else if (value.type === 5) to.uint64(value.u64);
  else if (value.type === 6) to.int64(value.i64);
  else if (value.type === 9) writeParts(to, value.u128);
  else if (value.type === 10) writeSignedParts(to, value.i128);
  else if (value.type === 13) to.opaque(value.bytes);
  else if (value.type === 14) to.opaque(value.str.bytes);
  else if (value.type === 15) to.opaque(value.sym.bytes);
  else if (value.type === 16) writeVec(to, value.vec ?? []);
  else if (value.type === 17) writeMap(to, value.map ?? []);
  else if (value.type === 18) writeAddress(to, value.address);
  else to.bytes(ScVal.schema.encode(value).subarray(TYPE_BYTES));
}

export function hostValueXdr(value: HostValue): XdrText {
  return encode((to) => writeHostValue(to, value));
}

type Parts = { readonly hi: bigint; readonly lo: bigint };

function writeParts(to: XdrWriter, { hi, lo }: Parts): void {
  to.uint64(hi);
  to.uint64(lo);
}

function writeSignedParts(to: XdrWriter, { hi, lo }: Parts): void {
  to.int64(hi);
  to.uint64(lo);
}

/** ScError: of a contract a code of its own, of the host one of ScErrorCode. */
function writeError(to: XdrWriter, error: Extract<ScValWire, { type: 2 }>["error"]): void {
  to.uint32(error.type);
  to.uint32(error.type === 0 ? error.contractCode : error.code);
}

/** The list is optional in the schema, and always there in what the host writes. */
function writeVec(to: XdrWriter, items: readonly ScValWire[]): void {
  to.uint32(1);
  to.uint32(items.length);
  for (const item of items) writeScVal(to, item);
}

function writeMap(
  to: XdrWriter,
  fields: readonly { readonly key: ScValWire; readonly val: ScValWire }[],
): void {
  to.uint32(1);
  to.uint32(fields.length);
  for (const { key, val } of fields) {
    writeScVal(to, key);
    writeScVal(to, val);
  }
}

export function writePublicKey(to: XdrWriter, key: PublicKeyWire): void {
  to.uint32(0);
  to.bytes(key.ed25519);
}

export function writeAddress(to: XdrWriter, address: ScAddressWire): void {
  to.uint32(address.type);
  switch (address.type) {
    case 0:
      writePublicKey(to, address.accountId);
      break;
    case 1:
      to.bytes(address.contractId);
      break;
    case 2:
      to.uint64(address.muxedAccount.id);
      to.bytes(address.muxedAccount.ed25519);
      break;
    case 3:
      to.uint32(address.claimableBalanceId.type);
      to.bytes(address.claimableBalanceId.v0);
      break;
    case 4:
      to.bytes(address.liquidityPoolId);
      break;
  }
}
