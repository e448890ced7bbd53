// Reads Values as call arguments. A wrong type fails the call before the contract's own code runs,
// as Soroban's conversion does (kind `invalid`, no contract error code).
import type { Address } from "../../model/address.ts";
import { type OrderId, orderId } from "../../model/order.ts";
import { CallFailure } from "./host.ts";
import type { Value, ValueType } from "./value.ts";

export function invalid(message: string): never {
  throw new CallFailure({ kind: "invalid", message });
}

export function missingFunction(fn: string): never {
  throw new CallFailure({ kind: "invalid", message: `no function ${fn}`, missing: "function" });
}

export function argument(args: readonly Value[], at: number): Value {
  return args[at] ?? invalid(`argument ${at} is missing`);
}

export function asBool(value: Value): boolean {
  return value.type === "bool" ? value.value : wrongType("bool", value);
}

export function asU32(value: Value): number {
  return value.type === "u32" ? value.value : wrongType("u32", value);
}

export function asU64(value: Value): bigint {
  return value.type === "u64" ? value.value : wrongType("u64", value);
}

export function asI128(value: Value): bigint {
  return value.type === "i128" ? value.value : wrongType("i128", value);
}

export function asId(value: Value): OrderId {
  return value.type === "u128" ? orderId(value.value) : wrongType("u128", value);
}

export function asSymbol(value: Value): string {
  return value.type === "symbol" ? value.value : wrongType("symbol", value);
}

export function asAddress(value: Value): Address {
  return value.type === "address" ? value.value : wrongType("address", value);
}

export function asVec(value: Value): readonly Value[] {
  return value.type === "vec" ? value.value : wrongType("vec", value);
}

export function field(value: Value, name: string): Value {
  if (value.type !== "map") return wrongType("map", value);
  for (const [key, entry] of value.value) {
    if (key === name) return entry;
  }
  return invalid(`no field ${name}`);
}

function wrongType(wanted: ValueType, value: Value): never {
  return invalid(`${value.type} where ${wanted} is expected`);
}
