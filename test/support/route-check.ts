// Whether a quoted route settles as promised: the call that the API names for it, run on the
// contract model in the state it was quoted on.
import {
  Direction,
  swapArguments,
  TradeKind,
  tradeArguments,
} from "../../src/devnet/contract/call.ts";
import { allowanceKey } from "../../src/devnet/contract/memory-token.ts";
import type { Value } from "../../src/devnet/contract/value.ts";
import { accountAddress } from "../../src/model/address.ts";
import { orderId } from "../../src/model/order.ts";
import { invertPriceDown } from "../../src/model/settlement.ts";
import { HOPS_MAX, type QuoteDirection, type RouteQuote } from "../../src/router-worker/quote.ts";
import type { WorldState } from "../vectors/settlement-case.ts";
import { buildWorld } from "../vectors/settlement-world.ts";

/** Nobody of the vectors; holds plenty of everything. */
const TRADER = accountAddress(new Uint8Array(32).fill(7));
const PLENTY = 1n << 126n;

/** What is wrong with the route, one line each; empty: it settles to the unit. */
export function routeFaults(
  state: WorldState,
  route: RouteQuote,
  direction: QuoteDirection,
  ordersMax: number,
): readonly string[] {
  return [
    ...shapeFaults(state, route, ordersMax),
    ...callFaults(state, route, "swap", swapOf(route, direction)),
    ...(route.hops.length === 1
      ? callFaults(state, route, "trade", tradeOf(route, direction))
      : []),
  ];
}

function shapeFaults(state: WorldState, route: RouteQuote, ordersMax: number): readonly string[] {
  const faults: string[] = [];
  const ids = route.hops.flatMap(({ orders }) => orders);
  const assets = route.hops.map(({ selling }) => selling);
  if (route.hops.length < 1 || route.hops.length > HOPS_MAX) faults.push("number of hops");
  if (ids.length > ordersMax) faults.push(`${ids.length} orders`);
  if (new Set(ids).size !== ids.length) faults.push("an order twice");
  if (new Set(assets).size !== assets.length) faults.push("an asset twice");
  for (const [at, hop] of route.hops.entries()) {
    const next = route.hops[at + 1];
    if (next !== undefined && next.selling !== hop.buying) faults.push("hops do not meet");
    const prices = hop.orders.map((id) => state.orders.find((order) => order.id === id)?.price);
    if (!prices.includes(hop.worstPrice)) faults.push("worstPrice of no listed order");
    if (prices.some((price) => price === undefined || price > hop.worstPrice)) {
      faults.push("an order above worstPrice, or unknown");
    }
  }
  return faults;
}

function callFaults(
  state: WorldState,
  route: RouteQuote,
  fn: string,
  args: readonly Value[],
): readonly string[] {
  const world = buildWorld(state, orderId(0n));
  for (const token of world.tokens.values()) {
    const holding = { balance: PLENTY, authorized: true, sellingLiabilities: 0n };
    token.holdings.set(TRADER, holding);
    const key = allowanceKey({ owner: TRADER, spender: state.contract });
    token.allowances.set(key, { amount: PLENTY, liveUntil: state.ledger });
  }
  const outcome = world.memory.invoke([TRADER], state.contract, fn, args);
  if (!outcome.ok) return [`${fn} fails: ${JSON.stringify(outcome.error, bigintText)}`];
  const faults: string[] = [];
  const first = route.hops[0]?.selling;
  const last = route.hops.at(-1)?.buying;
  const balanceOf = (asset: typeof first) =>
    asset === undefined ? 0n : (world.tokens.get(asset)?.holdings.get(TRADER)?.balance ?? 0n);
  const sold = PLENTY - balanceOf(first);
  const bought = balanceOf(last) - PLENTY;
  if (sold !== route.sold) faults.push(`${fn} sells ${sold}, quoted ${route.sold}`);
  if (bought !== route.bought) faults.push(`${fn} buys ${bought}, quoted ${route.bought}`);
  const events = world.memory.events.map(({ event }) => event);
  const filled = events.flatMap((event) => (event.kind === "trade" ? [event.order] : []));
  const listed = route.hops.flatMap(({ orders }) => orders);
  if (events.some(({ kind }) => kind === "skip")) faults.push(`${fn} skips an order`);
  if (filled.length !== listed.length || listed.some((id) => !filled.includes(id))) {
    faults.push(`${fn} fills ${filled.join()} of ${listed.join()}`);
  }
  return faults;
}

function swapOf(route: RouteQuote, direction: QuoteDirection): readonly Value[] {
  const [first] = route.hops;
  if (first === undefined) throw new Error("a route without hops");
  return swapArguments({
    direction: direction === "strict_send" ? Direction.sell : Direction.buy,
    trader: TRADER,
    selling: first.selling,
    sellingAmount: route.sold,
    buyingAmount: route.bought,
    path: route.hops.map(({ buying, orders }) => ({ asset: buying, orders })),
  });
}

function tradeOf(route: RouteQuote, direction: QuoteDirection): readonly Value[] {
  const [hop] = route.hops;
  if (hop === undefined) throw new Error("a route without hops");
  const sells = direction === "strict_send";
  return tradeArguments({
    direction: sells ? Direction.sell : Direction.buy,
    kind: TradeKind.fill,
    trader: TRADER,
    amount: sells ? route.sold : route.bought,
    selling: hop.selling,
    buying: hop.buying,
    price: sells ? invertPriceDown(hop.worstPrice) : hop.worstPrice,
    orders: hop.orders,
    nonce: 0n,
    expires: 0n,
  });
}

function bigintText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
