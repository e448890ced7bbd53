// Contract values as the devnet's contract models pass them: a plain mirror of the few ScVal arms
// the exchange, its tokens and its callers use. The ledger turns them into XDR where it must.
import type { ScValWire } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";

export type Value =
  | { readonly type: "void" }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "u32"; readonly value: number }
  | { readonly type: "u64" | "u128" | "i128"; readonly value: bigint }
  | { readonly type: "symbol" | "string"; readonly value: string }
  | { readonly type: "address"; readonly value: Address }
  | { readonly type: "vec"; readonly value: readonly Value[] }
  /** Symbol keys, in sorted order: how Soroban writes a struct. */
  | { readonly type: "map"; readonly value: readonly (readonly [string, Value])[] }
  /** Of a kind that no contract here takes: it passes through unread. */
  | { readonly type: "other"; readonly value: ScValWire };

export type ValueType = Value["type"];

export const VOID: Value = { type: "void" };

export function bool(value: boolean): Value {
  return { type: "bool", value };
}

export function u32(value: number): Value {
  return { type: "u32", value };
}

export function u64(value: bigint): Value {
  return { type: "u64", value };
}

export function u128(value: bigint): Value {
  return { type: "u128", value };
}

export function i128(value: bigint): Value {
  return { type: "i128", value };
}

export function string(value: string): Value {
  return { type: "string", value };
}

export function symbol(value: string): Value {
  return { type: "symbol", value };
}

export function addressValue(value: Address): Value {
  return { type: "address", value };
}

export function vec(value: readonly Value[]): Value {
  return { type: "vec", value };
}

/** `fields` must come in the sorted order of their names. */
export function map(value: readonly (readonly [string, Value])[]): Value {
  return { type: "map", value };
}
