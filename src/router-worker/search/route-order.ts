// Which of two routes is the better answer, by what they settle for: `sells` as of the request.
import { ROUTES_MAX, type RouteQuote } from "../quote.ts";

/** Results closer than one part in so many count as equal. */
const EQUAL_PARTS = 1_000_000_000n;
/** Those that are as near, as a part, may: one in 10^9, and what floats err by. */
export const EQUAL_PART = 1.1e-9;

/** Larger is better. */
export function keyOf(route: RouteQuote, sells: boolean): bigint {
  return sells ? route.bought : -route.sold;
}

/** Whether results count as equal. */
export function isEqual(one: RouteQuote, other: RouteQuote, sells: boolean): boolean {
  const gain = keyOf(one, sells) - keyOf(other, sells);
  return (gain < 0n ? -gain : gain) * EQUAL_PARTS <= (sells ? other.bought : other.sold);
}

/** The least (buying: the most) that may count as equal to a result. */
export function leastEqual({ sold, bought }: RouteQuote, sells: boolean): number {
  return sells ? Number(bought) * (1 - EQUAL_PART) : Number(sold) * (1 + EQUAL_PART);
}

/**
 * Of equal results the one with fewer orders, then the better one, then what sells less, then the one with
 * fewer hops.
 */
export function isBetter(one: RouteQuote, other: RouteQuote, sells: boolean): boolean {
  const gain = keyOf(one, sells) - keyOf(other, sells);
  if (!isEqual(one, other, sells)) return gain > 0n;
  const [orders, others] = [orderCount(one), orderCount(other)];
  if (orders !== others) return orders < others;
  if (gain !== 0n) return gain > 0n;
  if (one.sold !== other.sold) return one.sold < other.sold;
  return one.hops.length < other.hops.length;
}

/** Keeps the list sorted, best first, and at most `ROUTES_MAX` long. */
export function insertRoute(routes: RouteQuote[], route: RouteQuote, sells: boolean): void {
  let place = routes.push(route) - 1;
  for (; place > 0 && isBetter(route, routes[place - 1]!, sells); place -= 1) {
    routes[place] = routes[place - 1]!;
  }
  routes[place] = route;
  if (routes.length > ROUTES_MAX) routes.pop();
}

function orderCount(route: RouteQuote): number {
  return route.hops.reduce((sum, { orders }) => sum + orders.length, 0);
}
