// Which view the address bar names: `#/market/C.../C...`. The part after `#` never reaches a server.

export type Route =
  | { readonly view: "markets" }
  | { readonly view: "market"; readonly base: string; readonly quote: string }
  | { readonly view: "quote"; readonly parameters: URLSearchParams }
  | { readonly view: "account"; readonly address: string | undefined }
  | { readonly view: "engine" };

/** By its form alone: which tokens exist, the API knows. */
const TOKEN = /^C[A-Z2-7]{55}$/;

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
      if (!TOKEN.test(first) || !TOKEN.test(second) || first === second) return undefined;
      return { view: "market", base: first, quote: second };
    case "quote":
      return { view: "quote", parameters: new URLSearchParams(search) };
    case "account":
      return { view: "account", address: first === "" ? undefined : first };
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

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A lone percent sign: whatever it names is not known under it.
    return part;
  }
}
