// Reading the contract's values: each function gives undefined where the value is of another kind,
// so that a decoder can name what was garbled instead of throwing.
import type { ScAddress, ScVal } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../model/address.ts";
import { accountOf, contractOf } from "./address-cache.ts";

/** Undefined for muxed accounts, claimable balances and pools, which the exchange never names. */
export function addressOf(from: ScAddress): Address | undefined {
  if (from.type === "scAddressTypeAccount") return accountOf(from.accountId.ed25519.value);
  if (from.type === "scAddressTypeContract") return contractOf(from.contractId.value);
  return undefined;
}

export function readAddress(value: ScVal | undefined): Address | undefined {
  return value?.type === "scvAddress" ? addressOf(value.address) : undefined;
}

export function readI128(value: ScVal | undefined): bigint | undefined {
  if (value?.type !== "scvI128") return undefined;
  return (value.i128.hi << 64n) | value.i128.lo;
}

export function readU128(value: ScVal | undefined): bigint | undefined {
  if (value?.type !== "scvU128") return undefined;
  return (value.u128.hi << 64n) | value.u128.lo;
}

export function readU64(value: ScVal | undefined): bigint | undefined {
  return value?.type === "scvU64" ? value.u64 : undefined;
}

export function readU32(value: ScVal | undefined): number | undefined {
  return value?.type === "scvU32" ? value.u32 : undefined;
}

export function readBool(value: ScVal | undefined): boolean | undefined {
  return value?.type === "scvBool" ? value.b : undefined;
}

export function readSymbol(value: ScVal | undefined): string | undefined {
  return value?.type === "scvSymbol" ? value.sym.toString() : undefined;
}

/** Of a Symbol or a String: contracts use both for names. */
export function readText(value: ScVal | undefined): string | undefined {
  if (value?.type === "scvString") return value.str.toString();
  return readSymbol(value);
}

export function readVec(value: ScVal | undefined): readonly ScVal[] | undefined {
  return value?.type === "scvVec" ? (value.vec ?? []) : undefined;
}

/** A map's value under a Symbol key. */
export function readField(value: ScVal | undefined, name: string): ScVal | undefined {
  if (value?.type !== "scvMap") return undefined;
  return value.map?.find((entry) => readSymbol(entry.key) === name)?.val;
}
