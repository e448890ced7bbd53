// Values and events of contracts as the decoders read them.
// Each reading function gives undefined where the value is of another kind, so that a decoder can
// name what was garbled instead of throwing.
import type { Address } from "../model/address.ts";

export type ScValue =
  /** Undefined for muxed accounts, claimable balances and pools, which the exchange never names. */
  | { readonly kind: "address"; readonly address: Address | undefined }
  | { readonly kind: "i128" | "u128" | "u64"; readonly value: bigint }
  | { readonly kind: "u32"; readonly value: number }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "symbol" | "string"; readonly text: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "vec"; readonly items: readonly ScValue[] }
  | { readonly kind: "map"; readonly entries: readonly ScMapItem[] }
  | { readonly kind: "error"; readonly error: ScFault }
  /** What a contract is made of; `storage` where it is a Stellar Asset Contract. */
  | { readonly kind: "instance"; readonly storage: readonly ScMapItem[] | undefined }
  /** The key of a contract's instance. */
  | { readonly kind: "instanceKey" }
  | { readonly kind: "void" }
  | { readonly kind: "other" };

export type ScMapItem = { readonly key: ScValue; readonly val: ScValue };

/** What a call failed with, as far as it makes a difference. */
export type ScFault =
  | { readonly kind: "contract"; readonly code: number }
  | { readonly kind: "auth" }
  /** The host's budget, or an entry that the footprint does not hold or that is archived. */
  | { readonly kind: "resources" }
  | { readonly kind: "other" };

export type HostEvent = {
  readonly type: "contract" | "diagnostic" | "system";
  /** Who emitted it; of a `fn_call` the caller. */
  readonly contract: Address | undefined;
  readonly topics: readonly ScValue[];
  readonly data: ScValue;
};

export type HostDiagnostic = { readonly inSuccessfulCall: boolean; readonly event: HostEvent };

export function readAddress(value: ScValue | undefined): Address | undefined {
  return value?.kind === "address" ? value.address : undefined;
}

export function readI128(value: ScValue | undefined): bigint | undefined {
  return value?.kind === "i128" ? value.value : undefined;
}

export function readU128(value: ScValue | undefined): bigint | undefined {
  return value?.kind === "u128" ? value.value : undefined;
}

export function readU64(value: ScValue | undefined): bigint | undefined {
  return value?.kind === "u64" ? value.value : undefined;
}

export function readU32(value: ScValue | undefined): number | undefined {
  return value?.kind === "u32" ? value.value : undefined;
}

export function readBool(value: ScValue | undefined): boolean | undefined {
  return value?.kind === "bool" ? value.value : undefined;
}

export function readSymbol(value: ScValue | undefined): string | undefined {
  return value?.kind === "symbol" ? value.text : undefined;
}

/** Of a Symbol or a String: contracts use both for names. */
export function readText(value: ScValue | undefined): string | undefined {
  return value?.kind === "string" ? value.text : readSymbol(value);
}

export function readVec(value: ScValue | undefined): readonly ScValue[] | undefined {
  return value?.kind === "vec" ? value.items : undefined;
}

/** A map's value under a Symbol key. */
export function readField(value: ScValue | undefined, name: string): ScValue | undefined {
  return value?.kind === "map" ? readItem(value.entries, name) : undefined;
}

export function readItem(items: readonly ScMapItem[], name: string): ScValue | undefined {
  return items.find(({ key }) => readSymbol(key) === name)?.val;
}
