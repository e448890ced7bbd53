// A greedy router to compare with: all asset paths, each filled best price first in integers as the
// contract does it, up to the cap on orders. No curves, no bounds, no search for better selections.
import type { Address } from "../src/model/address.ts";
import {
  costUp,
  type FillAmounts,
  fillBuying,
  fillSelling,
  outputDown,
} from "../src/model/settlement.ts";
import { HOPS_MAX, ORDERS_MAX, type QuoteRequest, ROUTES_MAX } from "../src/router-worker/quote.ts";
import type { OrderState, WorldState } from "../test/vectors/settlement-case.ts";

export type ReferenceRoute = { readonly sold: bigint; readonly bought: bigint };

type Offer = OrderState & { readonly budget: bigint; readonly headroom: bigint | undefined };
type Plan = { readonly fills: readonly (FillAmounts & { readonly offer: Offer })[] };

export class ReferenceRouter {
  /** By asset sold, then by asset bought: the orders, best price first. */
  readonly #sides = new Map<Address, Map<Address, Offer[]>>();

  constructor(state: WorldState) {
    const holders = new Map(state.holders.map((one) => [`${one.holder}${one.asset}`, one]));
    const granted = new Map(state.allowances.map((one) => [`${one.owner}${one.asset}`, one]));
    const forbidden = new Set(
      state.holders
        .filter(({ holder, authorized }) => holder === state.contract && !authorized)
        .map(({ asset }) => asset),
    );
    for (const order of state.orders) {
      if (forbidden.has(order.selling)) continue;
      const held = holders.get(`${order.owner}${order.selling}`);
      const paid = holders.get(`${order.owner}${order.buying}`);
      const allowance = granted.get(`${order.owner}${order.selling}`);
      if (held?.authorized !== true || paid?.authorized !== true || allowance === undefined)
        continue;
      if (order.expires !== 0n && order.expires <= state.now + 10) continue;
      if (allowance.liveUntil < state.ledger) continue;
      const balance = held.balance - held.sellingLiabilities;
      const budget = balance < allowance.amount ? balance : allowance.amount;
      const headroom = paid.limit === null ? undefined : paid.limit - paid.balance;
      const bySold = this.#sides.get(order.buying) ?? new Map<Address, Offer[]>();
      this.#sides.set(order.buying, bySold);
      const side = bySold.get(order.selling) ?? [];
      bySold.set(order.selling, side);
      side.push({ ...order, budget, headroom });
    }
    for (const bySold of this.#sides.values()) {
      for (const side of bySold.values())
        side.sort((one, other) => (one.price < other.price ? -1 : 1));
    }
  }

  /** Best first. */
  quote(request: QuoteRequest): readonly ReferenceRoute[] {
    const sells = request.direction === "strict_send";
    const routes = this.#paths(request).flatMap((path) => {
      const route = sells ? sellAlong(path, request.amount) : buyAlong(path, request.amount);
      return route === undefined ? [] : [route];
    });
    routes.sort((one, other) => {
      const isBefore = sells ? one.bought > other.bought : one.sold < other.sold;
      return isBefore ? -1 : 1;
    });
    return routes.slice(0, ROUTES_MAX);
  }

  /** The sides of every asset path. */
  #paths(request: QuoteRequest): readonly (readonly Offer[][])[] {
    const paths: Offer[][][] = [];
    const extend = (sides: Offer[][], assets: readonly Address[], at: Address): void => {
      for (const [asset, side] of this.#sides.get(at) ?? []) {
        if (assets.includes(asset)) continue;
        if (asset === request.buyingAsset) paths.push([...sides, side]);
        else if (!request.direct && sides.length < HOPS_MAX - 1) {
          extend([...sides, side], [...assets, asset], asset);
        }
      }
    };
    extend([], [request.sellingAsset], request.sellingAsset);
    return paths;
  }
}

function sellAlong(path: readonly Offer[][], amount: bigint): ReferenceRoute | undefined {
  let flow = amount;
  let slots = ORDERS_MAX;
  const listed: Offer[][] = [];
  for (const side of path) {
    const { fills } = walk(side, flow, slots, true);
    const worst = fills.reduce((most, { offer }) => (offer.price > most ? offer.price : most), 0n);
    const left = fills.reduce((rest, { sold }) => rest - sold, flow);
    if (worst === 0n || outputDown(left, worst) > 0n) return undefined;
    listed.push(fills.map(({ offer }) => offer));
    slots -= fills.length;
    flow = fills.reduce((sum, { bought }) => sum + bought, 0n);
  }
  return buyAlong(listed, flow);
}

function buyAlong(path: readonly Offer[][], amount: bigint): ReferenceRoute | undefined {
  let wanted = amount;
  let slots = ORDERS_MAX;
  for (const side of path.toReversed()) {
    const { fills } = walk(side, wanted, slots, false);
    if (fills.reduce((rest, { bought }) => rest - bought, wanted) > 0n) return undefined;
    slots -= fills.length;
    wanted = fills.reduce((sum, { sold }) => sum + sold, 0n);
  }
  return { sold: wanted, bought: amount };
}

/** Takes orders best price first, skipping what the maker cannot back or be paid. */
function walk(side: readonly Offer[], amount: bigint, slots: number, sells: boolean): Plan {
  const fills: (FillAmounts & { readonly offer: Offer })[] = [];
  const delivered = new Map<Address, bigint>();
  const received = new Map<Address, bigint>();
  let left = amount;
  for (const offer of side) {
    if (left === 0n || fills.length === slots) break;
    const fill = sells
      ? fillSelling(left, offer.amount, offer.price)
      : fillBuying(left, offer.amount, offer.price);
    if (fill === undefined) continue;
    const delivery = (delivered.get(offer.owner) ?? 0n) + fill.bought;
    const payment = (received.get(offer.owner) ?? 0n) + costUp(fill.bought, offer.price);
    if (delivery > offer.budget || (offer.headroom !== undefined && payment > offer.headroom))
      continue;
    delivered.set(offer.owner, delivery);
    received.set(offer.owner, payment);
    fills.push({ ...fill, offer });
    left -= sells ? fill.sold : fill.bought;
  }
  return { fills };
}
