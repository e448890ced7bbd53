// Which view the address bar names: `#/market/C.../C...`. The part after `#` never reaches a server.

import { isStrkey, StrkeyVersion } from "../../src/model/strkey.ts";

export type Route =
  | { readonly view: "markets" }
  | { readonly view: "market"; readonly base: string; readonly quote: string }
  /** By codes, of which several tokens may have the same, or by codes and issuers. */
  | { readonly view: "named-market"; readonly base: string; readonly quote: string }
  | { readonly view: "quote"; readonly parameters: URLSearchParams }
  | { readonly view: "account"; readonly address: string | undefined }
  | { readonly view: "wallet" }
  | { readonly view: "engine" };

/** Undefined for a fragment that names no view, or a market that cannot be. */
export function parseRoute(hash: string): Route | undefined {
  const [path = "", search = ""] = hash.replace(/^#/, "").split("?");
  const [view, first, second, ...more] = path.split("/").slice(1).map(decoded);
  if (more.length > 0) return undefined;
  switch (view) {
    case undefined:
    case "":
      return { view: "markets" };
    case "market":
      if (first === undefined || second === undefined) return undefined;
      if (first === second) return undefined;
      if (isToken(first) && isToken(second)) return { view: "market", base: first, quote: second };
      if (!isNamed(first) || !isNamed(second)) return undefined;
      return { view: "named-market", base: first, quote: second };
    case "quote":
      return { view: "quote", parameters: new URLSearchParams(search) };
    case "account":
      return { view: "account", address: first === "" ? undefined : first };
    case "wallet":
      return { view: "wallet" };
    case "engine":
      return { view: "engine" };
    default:
      return undefined;
  }
}

export function marketLink(base: string, quote: string): string {
  return `#/market/${encodeURIComponent(base)}/${encodeURIComponent(quote)}`;
}

export function accountLink(address: string): string {
  return `#/account/${encodeURIComponent(address)}`;
}

export function quoteLink(parameters: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(parameters).toString();
  return search === "" ? "#/quote" : `#/quote?${search}`;
}

/** A token's address, or an asset as people write it. */
function isNamed(text: string): boolean {
  if (isToken(text)) return true;
  const parts = /^[a-zA-Z0-9]{1,12}(?:[:-](.+))?$/.exec(text);
  if (parts === null) return false;
  return parts[1] === undefined || isStrkey(StrkeyVersion.account, parts[1]);
}

/** By its form and checksum: which tokens exist, the API knows. */
function isToken(text: string): boolean {
  return isStrkey(StrkeyVersion.contract, text);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A lone percent sign: whatever it names is not known under it.
    return part;
  }
}
