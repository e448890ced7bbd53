import type { Address } from "../../src/model/address.ts";
import { HOPS_MAX, type QuoteRequest } from "../../src/router-worker/quote.ts";
import type { WorldState } from "../vectors/settlement-case.ts";

/** Every asset path of a request, as the assets from the one sold to the one bought. */
export function assetPaths(
  state: WorldState,
  request: QuoteRequest,
): readonly (readonly Address[])[] {
  const next = new Map<Address, Set<Address>>();
  for (const { selling, buying } of state.orders) {
    const reached = next.get(buying) ?? new Set();
    next.set(buying, reached.add(selling));
  }
  const paths: (readonly Address[])[] = [];
  const extend = (path: readonly Address[], at: Address): void => {
    for (const asset of next.get(at) ?? []) {
      if (path.includes(asset)) continue;
      if (asset === request.buyingAsset) paths.push([...path, asset]);
      else if (path.length < HOPS_MAX) extend([...path, asset], asset);
    }
  };
  extend([request.sellingAsset], request.sellingAsset);
  return request.direct ? paths.filter(({ length }) => length === 2) : paths;
}

/** The world with the orders of one path alone. */
export function worldOfPath(state: WorldState, path: readonly Address[]): WorldState {
  const isOnPath = (selling: Address, buying: Address) => {
    const at = path.indexOf(buying);
    return at >= 0 && path[at + 1] === selling;
  };
  return {
    ...state,
    orders: state.orders.filter(({ selling, buying }) => isOnPath(selling, buying)),
  };
}
