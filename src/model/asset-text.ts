// The forms in which an asset may be written. They are the same on every network; which token
// contract a classic asset has is not.
import { type Address, isContract, parseAddress, parseContractAddress } from "./address.ts";

export type AssetText =
  | { readonly kind: "native" }
  | { readonly kind: "classic"; readonly code: string; readonly issuer: Address }
  | { readonly kind: "token"; readonly address: Address };

/** `XLM`, `xlm`, `native`, `CODE:ISSUER`, `CODE-ISSUER` or C...; undefined for anything else. */
export function parseAssetText(text: string): AssetText | undefined {
  if (text === "XLM" || text === "xlm" || text === "native") return { kind: "native" };
  const address = parseContractAddress(text);
  if (address !== undefined) return { kind: "token", address };
  const parts = /^([A-Za-z0-9]{1,12})[:-](G[A-Z2-7]{55})$/.exec(text);
  const code = parts?.[1];
  const issuer = parts?.[2] === undefined ? undefined : parseAddress(parts[2]);
  if (code === undefined || issuer === undefined || isContract(issuer)) return undefined;
  return { kind: "classic", code, issuer };
}
