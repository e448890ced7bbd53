// Bytes of a call's events and return value, by the table of contract.md ("What fits in one call"), written
// independently of the engine: the oracle for what the router answers.
import type { Token } from "../../src/book/backing/ledger-keys.ts";
import type { Address } from "../../src/model/address.ts";
import type { RouteQuote } from "../../src/router-worker/quote.ts";
import type { WorldState } from "../vectors/settlement-case.ts";

/** txMaxContractEventsSizeBytes as it is today. */
export const CALL_BYTES_MAX = 16_384;

/** A world whose tokens are known; one that is not named is no asset contract. */
export type TokenWorld = WorldState & {
  readonly tokens?: ReadonlyMap<Address, Token>;
  /** What the network carries of a call; absent: as much as today. */
  readonly callBytesMax?: number;
};

export type CalledHop = {
  readonly selling: Address;
  readonly buying: Address;
  /** The maker of each fill. */
  readonly makers: readonly Address[];
};

const ACCOUNT = 44;
const CONTRACT = 40;

/**
 * Bytes of the call that takes these hops, by a trader who is an account and grants the allowance in
 * it: one hop is a trade, more are a swap. `keepsRest`: a Limit call whose rest becomes an order.
 */
export function callBytes(
  { contract, tokens }: TokenWorld,
  hops: readonly CalledHop[],
  keepsRest = false,
): number {
  const [first, last] = [hops[0], hops.at(-1)];
  if (first === undefined || last === undefined) return 0;
  const kind = (asset: Address): Token => tokens?.get(asset) ?? { kind: "other" };
  let bytes = 148 + ACCOUNT + nameBytes(kind(first.selling));
  for (const hop of hops) {
    const payer = hop === first ? ACCOUNT : CONTRACT;
    for (const maker of hop.makers) bytes += 240 + payer + addressBytes(maker);
    for (const maker of new Set(hop.makers)) {
      bytes += transferBytes(kind(hop.buying), maker, CONTRACT);
      bytes += transferBytes(kind(hop.selling), maker, payer);
    }
  }
  bytes += transferBytes(kind(last.buying), contract, ACCOUNT);
  if (hops.length > 1) return bytes + 196 + ACCOUNT + 52;
  return keepsRest ? bytes + 228 + ACCOUNT + 72 : bytes + 56;
}

/** Bytes of the call of a quoted route. Throws an Error on an order that the world does not have. */
export function routeBytes(state: TokenWorld, route: RouteQuote, keepsRest = false): number {
  const hops = route.hops.map(({ selling, buying, orders }) => {
    const makers = orders.map((id) => {
      const order = state.orders.find((one) => one.id === id);
      if (order === undefined) throw new Error(`no order ${id}`);
      return order.owner;
    });
    return { selling, buying, makers };
  });
  return callBytes(state, hops, keepsRest);
}

/** A transfer's event between `holder` and an address of `other` bytes; of the issuer it is a mint or a burn. */
function transferBytes(token: Token, holder: Address, other: number): number {
  const name = nameBytes(token);
  if (token.kind === "issued" && token.issuer === holder) return 84 + other + name;
  return 88 + addressBytes(holder) + other + name;
}

function addressBytes(address: Address): number {
  return address.startsWith("G") ? ACCOUNT : CONTRACT;
}

/** The asset's name in a transfer's topics, as an ScVal. */
function nameBytes(token: Token): number {
  if (token.kind === "other") return 0;
  if (token.kind === "native") return 16;
  return 8 + 4 * Math.ceil((token.code.length + 57) / 4);
}
