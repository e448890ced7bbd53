// The 1-exchange of a route: whether one order added, dropped or replaced makes it better, which no answer for a
// book of some hundreds of orders may allow.
import type { QuoteRequest, RouteQuote } from "../../src/router-worker/quote.ts";
import type { TokenWorld } from "./call-bytes.ts";
import { flows, type Offer, offersOf, type SettledRoute, settleLists } from "./plain-settlement.ts";

/** Results this close to one another are equal; of equal ones that of fewer orders is better. */
export const EQUAL_PARTS = 1_000_000_000n;
/** The same with the error of the floats that pick the candidates. */
const NEAR = 1.5e-9;

type Exchange = {
  readonly hop: number;
  readonly leaving: Offer | undefined;
  readonly entering: Offer | undefined;
};

/** The exchange that makes the route better, in words; undefined: there is none. */
export function betterExchange(
  state: TokenWorld,
  request: QuoteRequest,
  route: RouteQuote,
  ordersMax: number,
): string | undefined {
  const sides = route.hops.map(({ selling, buying }) => offersOf(state, selling, buying));
  const lists = route.hops.map(({ orders }, hop) =>
    orders.flatMap((id) => sides[hop]?.find((offer) => offer.id === id) ?? []),
  );
  const wanted = amountsOf(lists, request, route);
  const slots = ordersMax - lists.flat().length;
  for (const [hop, list] of lists.entries()) {
    const others = (sides[hop] ?? []).filter((offer) => !list.includes(offer));
    const pairs: Exchange[] = [
      ...(list.length > 1 ? list.map((leaving) => ({ hop, leaving, entering: undefined })) : []),
      ...list.flatMap((leaving) => others.map((entering) => ({ hop, leaving, entering }))),
      ...(slots > 0 ? others.map((entering) => ({ hop, leaving: undefined, entering })) : []),
    ];
    const value = hopValue(list, request, wanted[hop] ?? 0n, list.at(-1));
    for (const exchange of pairs) {
      const kept = list.filter((offer) => offer !== exchange.leaving);
      const set = exchange.entering === undefined ? kept : [...kept, exchange.entering];
      for (const last of set) {
        const other = hopValue(set, request, wanted[hop] ?? 0n, last);
        if (!mayBeBetter(other, value, unitsOf(last, request))) continue;
        const changed = [...set.filter((offer) => offer !== last), last];
        const settled = settleLists(state, lists.with(hop, changed), request);
        if (settled !== undefined && isBetter(settled, route, request, exchange)) {
          return inWords(exchange, settled, route);
        }
      }
    }
  }
  return undefined;
}

/** What each hop sells (strict_send) or buys (strict_receive) on the way. */
function amountsOf(
  lists: readonly (readonly Offer[])[],
  { direction, amount }: QuoteRequest,
  route: RouteQuote,
): readonly bigint[] {
  if (direction === "strict_send") return flows(lists, amount) ?? [];
  return route.hops.map((_, hop) => {
    if (hop === lists.length - 1) return amount;
    const rest = { buying: lists.slice(hop + 1), amount };
    return costOf(rest.buying, rest.amount);
  });
}

/** What buying `amount` from the last of the hops costs at the first of them. */
function costOf(lists: readonly (readonly Offer[])[], amount: bigint): bigint {
  let wanted = amount;
  for (const list of lists.toReversed()) {
    let [left, paid] = [wanted, 0n];
    for (const { amount: offered, price } of list) {
      const got = left < offered ? left : offered;
      paid += (got * price + 10n ** 18n - 1n) / 10n ** 18n;
      left -= got;
    }
    wanted = paid;
  }
  return wanted;
}

/** In floats: what the hop gives for the amount, larger is better; NaN: it cannot. */
function hopValue(
  set: readonly Offer[],
  { direction }: QuoteRequest,
  wanted: bigint,
  last: Offer | undefined,
): number {
  if (last === undefined) return Number.NaN;
  const sells = direction === "strict_send";
  let [got, paid] = [0, 0];
  for (const offer of set) {
    if (offer === last) continue;
    got += Number(offer.amount);
    paid += Math.ceil((Number(offer.amount) * Number(offer.price)) / 1e18);
  }
  const [price, whole] = [Number(last.price) / 1e18, Number(last.amount)];
  const rest = Number(wanted) - (sells ? paid : got);
  // Costs are rounded up: by up to a unit for each of twenty orders.
  const slack = 25 + 1e-12 * Number(wanted);
  if (rest < -slack || rest > (sells ? whole * price : whole) + slack) return Number.NaN;
  return sells ? got + Math.min(whole, rest / price) : -(paid + Math.min(whole, rest) * price);
}

/** What a few units of rounding are worth in the amount that is compared. */
function unitsOf({ price }: Offer, { direction }: QuoteRequest): number {
  return direction === "strict_send" ? 4 + 4e18 / Number(price) : 4;
}

function mayBeBetter(value: number, known: number, units: number): boolean {
  if (Number.isNaN(value)) return false;
  return Number.isNaN(known) || value >= known - NEAR * Math.abs(known) - units;
}

function isBetter(
  settled: SettledRoute,
  route: RouteQuote,
  { direction }: QuoteRequest,
  exchange: Exchange,
): boolean {
  const [gain, whole] =
    direction === "strict_send"
      ? [settled.bought - route.bought, route.bought]
      : [route.sold - settled.sold, route.sold];
  // A route with an order less need only be equal.
  if (exchange.entering === undefined) return gain * EQUAL_PARTS >= -whole;
  return gain * EQUAL_PARTS > whole;
}

function inWords(exchange: Exchange, settled: SettledRoute, route: RouteQuote): string {
  const { hop, leaving, entering } = exchange;
  const left = leaving === undefined ? "" : `-${leaving.id} `;
  const change = left + (entering === undefined ? "" : `+${entering.id}`);
  return `hop ${hop}, ${change}: ${settled.sold} for ${settled.bought}, not ${route.sold} for ${route.bought}`;
}
