import type { Address } from "../model/address.ts";

/** A classic asset; its token is the Stellar Asset Contract derived from it and the network id. */
export type ClassicAsset =
  | { readonly kind: "native" }
  | { readonly kind: "issued"; readonly code: string; readonly issuer: Address };

export const NATIVE: ClassicAsset = { kind: "native" };
