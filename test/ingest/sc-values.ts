// Contract values for tests, short to write.
import { Address as StellarAddress } from "@stellar/stellar-sdk/base";
import { Int128Parts, ScMapEntry, ScVal, Uint128Parts } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../src/model/address.ts";

const U64 = (1n << 64n) - 1n;

export const scSymbol = (text: string): ScVal => ScVal.scvSymbol(text);
export const scString = (text: string): ScVal => ScVal.scvString(text);
export const scVoid = (): ScVal => ScVal.scvVoid();
export const scBool = (value: boolean): ScVal => ScVal.scvBool(value);
export const scU32 = (value: number): ScVal => ScVal.scvU32(value);
export const scU64 = (value: bigint): ScVal => ScVal.scvU64(value);
export const scI128 = (value: bigint): ScVal =>
  ScVal.scvI128(new Int128Parts({ hi: value >> 64n, lo: value & U64 }));
export const scU128 = (value: bigint): ScVal =>
  ScVal.scvU128(new Uint128Parts({ hi: value >> 64n, lo: value & U64 }));
export const scAddress = (of: Address): ScVal => new StellarAddress(of).toScVal();
export const scVec = (...items: ScVal[]): ScVal => ScVal.scvVec(items);
export const scMap = (fields: Readonly<Record<string, ScVal>>): ScVal =>
  ScVal.scvMap(
    Object.entries(fields).map(([key, val]) => new ScMapEntry({ key: scSymbol(key), val })),
  );
