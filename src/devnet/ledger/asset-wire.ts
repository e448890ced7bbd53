import type { AssetWire } from "@stellar/stellar-sdk/xdr";
import type { ClassicAsset } from "../asset.ts";
import type { IssuedAsset } from "./entry.ts";
import { publicKeyWire } from "./sc-val.ts";

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
