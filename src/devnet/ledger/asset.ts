// Classic assets, and as the XDR schemas of the SDK take and give them.
import type { AssetWire } from "@stellar/stellar-sdk/xdr";
import { type Address, accountAddress } from "../../model/address.ts";
import { publicKeyWire } from "./sc-val.ts";

/** Its token is the Stellar Asset Contract derived from it and the network's id. */
export type ClassicAsset = { readonly kind: "native" } | IssuedAsset;

export type IssuedAsset = {
  readonly kind: "issued";
  readonly code: string;
  readonly issuer: Address;
};

export const NATIVE: ClassicAsset = { kind: "native" };

function assetCode(code: string): Uint8Array {
  const bytes = new Uint8Array(code.length <= 4 ? 4 : 12);
  bytes.set(Buffer.from(code, "ascii"));
  return bytes;
}

/** Codes have 1 to 12 characters; the caller checks them. */
export function issuedWire(asset: IssuedAsset): Extract<AssetWire, { type: 1 | 2 }> {
  const assetAndIssuer = { assetCode: assetCode(asset.code), issuer: publicKeyWire(asset.issuer) };
  return asset.code.length <= 4
    ? { type: 1, alphaNum4: assetAndIssuer }
    : { type: 2, alphaNum12: assetAndIssuer };
}

export function assetWire(asset: ClassicAsset): AssetWire {
  return asset.kind === "native" ? { type: 0 } : issuedWire(asset);
}

export function assetFromWire(asset: AssetWire): ClassicAsset {
  if (asset.type === 0) return NATIVE;
  const { assetCode: code, issuer } = asset.type === 1 ? asset.alphaNum4 : asset.alphaNum12;
  return {
    kind: "issued",
    code: Buffer.from(code).toString("ascii").replace(/\0+$/, ""),
    issuer: accountAddress(issuer.ed25519),
  };
}
