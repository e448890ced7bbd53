// Whether a quoted route settles as promised: the call that the API names for it, run on the
// contract model in the state it was quoted on, in as many bytes as the network carries.
import { TradeKind } from "../../src/devnet/contract/call.ts";
import type { Value } from "../../src/devnet/contract/value.ts";
import { accountAddress } from "../../src/model/address.ts";
import { type OrderId, orderId } from "../../src/model/order.ts";
import {
  HOPS_MAX,
  ORDERS_MAX,
  type QuoteDirection,
  type RouteHop,
  type RouteQuote,
} from "../../src/router-worker/quote.ts";
import { buildWorld } from "../vectors/settlement-world.ts";
import { CALL_BYTES_MAX, routeBytes, type TokenWorld } from "./call-bytes.ts";
import { allowanceKey } from "./devnet/memory-token.ts";
import { jsonText } from "./json-text.ts";
import { fillOf, swapOf, tradeOf } from "./route-call.ts";

/** Nobody of the vectors; holds plenty of everything. */
const TRADER = accountAddress(new Uint8Array(32).fill(7));
const PLENTY = 1n << 126n;

/** What is wrong with the route, one line each; empty: it settles to the unit. */
export function routeFaults(
  state: TokenWorld,
  route: RouteQuote,
  direction: QuoteDirection,
  ordersMax: number,
): readonly string[] {
  return [
    ...shapeFaults(state, route, ordersMax),
    ...sizeFaults(state, route, false),
    ...callFaults(state, route, direction, "swap"),
    ...(route.hops.length === 1 ? callFaults(state, route, direction, "trade") : []),
  ];
}

function shapeFaults(state: TokenWorld, route: RouteQuote, ordersMax: number): readonly string[] {
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

function sizeFaults(state: TokenWorld, route: RouteQuote, keepsRest: boolean): readonly string[] {
  const bytes = routeBytes(state, route, keepsRest);
  const { callBytesMax = CALL_BYTES_MAX } = state;
  return bytes <= callBytesMax ? [] : [`the call takes ${bytes} bytes`];
}

/** What is wrong with the crossing of a limit order (api.md, Quote, rule 10); `price` is its own. */
export function limitFaults(
  state: TokenWorld,
  route: RouteQuote,
  direction: QuoteDirection,
  { amount, price }: { readonly amount: bigint; readonly price: bigint },
): readonly string[] {
  const called = { route, direction, trader: TRADER };
  const args = tradeOf(called, { kind: TradeKind.limit, amount, price });
  const call = invoke(state, route, "trade", args);
  if (typeof call === "string") return [call];
  const listed = route.hops.flatMap(({ orders }) => orders);
  return [
    ...shapeFaults(state, route, ORDERS_MAX),
    ...sizeFaults(state, route, true),
    ...amountFaults(route, call, "trade"),
    ...(listed.length === call.filled.length && listed.every((id) => call.filled.includes(id))
      ? []
      : [`trade fills ${call.filled.join()} of ${listed.join()}`]),
  ];
}

type CallName = "swap" | "trade";

function callFaults(
  state: TokenWorld,
  route: RouteQuote,
  direction: QuoteDirection,
  fn: CallName,
): readonly string[] {
  const call = callOf(state, route, direction, fn);
  if (typeof call === "string") return [call];
  const faults = amountFaults(route, call, fn);
  const filled = keptHops(route, call.filled);
  const count = filled.flatMap(({ orders }) => orders).length;
  if (count !== call.filled.length) faults.push(`${fn} fills ${call.filled.join()}`);
  if (count === route.hops.flatMap(({ orders }) => orders).length) return faults;
  // An order that is not filled is listed only where the call fares worse without it: selling, the
  // plan forward can take more on its way than what executes.
  const without = callOf(state, { ...route, hops: filled }, direction, fn);
  const isNeeded =
    typeof without === "string" || without.sold !== route.sold || without.bought !== route.bought;
  if (!isNeeded) faults.push(`${fn} fills ${call.filled.join()} alone`);
  return faults;
}

function amountFaults(route: RouteQuote, call: CallOutcome, fn: CallName): string[] {
  const faults: string[] = [];
  if (call.sold !== route.sold) faults.push(`${fn} sells ${call.sold}, quoted ${route.sold}`);
  if (call.bought !== route.bought) {
    faults.push(`${fn} buys ${call.bought}, quoted ${route.bought}`);
  }
  if (call.skips) faults.push(`${fn} skips an order`);
  return faults;
}

function keptHops(route: RouteQuote, ids: readonly OrderId[]): readonly RouteHop[] {
  return route.hops.map((hop) => ({
    ...hop,
    orders: hop.orders.filter((id) => ids.includes(id)),
  }));
}

type CallOutcome = {
  readonly sold: bigint;
  readonly bought: bigint;
  readonly filled: readonly OrderId[];
  readonly skips: boolean;
};

/** The call that the API names for the route. */
function callOf(
  state: TokenWorld,
  route: RouteQuote,
  direction: QuoteDirection,
  fn: CallName,
): CallOutcome | string {
  const called = { route, direction, trader: TRADER };
  return invoke(state, route, fn, fn === "swap" ? swapOf(called) : fillOf(called));
}

/** What the call does in the state, or how it fails. */
function invoke(
  state: TokenWorld,
  route: RouteQuote,
  fn: CallName,
  args: readonly Value[],
): CallOutcome | string {
  const world = buildWorld(state, orderId(0n));
  for (const token of world.tokens.values()) {
    const holding = { balance: PLENTY, authorized: true, sellingLiabilities: 0n };
    token.holdings.set(TRADER, holding);
    const key = allowanceKey({ owner: TRADER, spender: state.contract });
    token.allowances.set(key, { amount: PLENTY, liveUntil: state.ledger });
  }
  const outcome = world.memory.invoke([TRADER], state.contract, fn, args);
  if (!outcome.ok) return `${fn} fails: ${jsonText(outcome.error)}`;
  const first = route.hops[0]?.selling;
  const last = route.hops.at(-1)?.buying;
  const balanceOf = (asset: typeof first) =>
    asset === undefined ? 0n : (world.tokens.get(asset)?.holdings.get(TRADER)?.balance ?? 0n);
  const events = world.memory.events.map(({ event }) => event);
  return {
    sold: PLENTY - balanceOf(first),
    bought: balanceOf(last) - PLENTY,
    filled: events.flatMap((event) => (event.kind === "trade" ? [event.order] : [])),
    skips: events.some(({ kind }) => kind === "skip"),
  };
}
