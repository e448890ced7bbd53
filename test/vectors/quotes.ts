// Replays quote vectors on the engine: every path that has a known best result must be found and be
// as good, the first route to within one part in 10^9, a later one to within one in 10^6; each route
// must settle exactly on the contract model, in a call that the network carries.
import { type QuoteDirection, ROUTES_MAX, type RouteQuote } from "../../src/router-worker/quote.ts";
import { QuoteSearch } from "../../src/router-worker/search/quote-search.ts";
import { bookOfWorld } from "../support/book-of-world.ts";
import { routeFaults } from "../support/route-check.ts";
import { type QuotesCase, quotesCase } from "./quotes-case.ts";

/** What a result may fall short of the optimum, as one part in so many. */
const FIRST_PARTS = 1_000_000_000n;
const LATER_PARTS = 1_000_000n;

export type QuotesReplay = {
  /** One for each path that is not as good as known, or does not settle, and for a wrong order. */
  readonly failures: readonly string[];
  /** Paths with a known best result. */
  readonly paths: number;
  /** Those of them that reach it to the unit, and those that beat it. */
  readonly reached: number;
  readonly beaten: number;
  /** How far a path falls short of the known result at most, as a part of it; 1: not found. */
  readonly shortfall: number;
};

/** Throws on a case of another format. */
export function replayQuotes(input: unknown): QuotesReplay {
  const parsed = quotesCase.safeParse(input);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(
      issue === undefined ? "not a case" : `${issue.path.join(".")}: ${issue.message}`,
    );
  }
  const vector = parsed.data;
  const routes = quotedRoutes(vector);
  const byPath = new Map(routes.map((route) => [pathOf(route), route]));
  const known = new Set(vector.best.map(({ path }) => path.join()));
  const found = vector.best.map((best) => comparePath(vector, best, routes));
  const others = [...byPath].filter(([path]) => !known.has(path));
  const failures = [
    ...found.flatMap(({ fault }) => (fault === undefined ? [] : [fault])),
    ...others.flatMap(([, route]) => faultsOf(vector, route).slice(0, 1)),
  ];
  return {
    failures: failures.length > 0 ? failures : orderFaults(vector, routes),
    paths: found.length,
    reached: found.filter(({ gain }) => gain === 0n).length,
    beaten: found.filter(({ gain }) => gain > 0n).length,
    shortfall: Math.max(0, ...found.map(({ shortfall }) => shortfall)),
  };
}

/** Best first. */
function quotedRoutes({ before, request }: QuotesCase): readonly RouteQuote[] {
  const view = bookOfWorld(before);
  const { direction, sellingAsset, buyingAsset, amount } = request;
  const result = new QuoteSearch(view, request.maxOrders).quote(
    view,
    { direction, sellingAsset, buyingAsset, amount, direct: false },
    { now: before.now, skipWindow: 600, shouldStop: () => false },
  );
  return result.status === "success" ? result.routes : [];
}

/** The assets bought, joined. */
function pathOf({ hops }: RouteQuote): string {
  return hops.map(({ buying }) => buying).join();
}

/** The first is as good as the best known of all paths, and none is better than the one before. */
function orderFaults(
  { best, request: { direction } }: QuotesCase,
  routes: readonly RouteQuote[],
): readonly string[] {
  const isShort = (result: Exchanged, of: Exchanged) => {
    const gain = gainOver(of, result, direction);
    return -gain * FIRST_PARTS > wholeOf(of, direction);
  };
  const [first] = routes;
  const missed = best.find((known) => first !== undefined && isShort(first, known));
  const unsorted = routes.findIndex((route, at) => {
    const before = routes[at - 1];
    return before !== undefined && isShort(before, route);
  });
  return [
    ...(missed === undefined || first === undefined
      ? []
      : [`first of all: ${inWords(first)}, known ${inWords(missed)}`]),
    ...(unsorted < 0 ? [] : [`route ${unsorted} is better than the one before it`]),
  ];
}

type Exchanged = { readonly sold: bigint; readonly bought: bigint };

type Comparison = {
  readonly fault: string | undefined;
  /** Units better than known; negative: worse. */
  readonly gain: bigint;
  readonly shortfall: number;
};

function comparePath(
  vector: QuotesCase,
  best: QuotesCase["best"][number],
  routes: readonly RouteQuote[],
): Comparison {
  const name = `path ${best.path.join(" > ")}`;
  const { direction } = vector.request;
  const at = routes.findIndex((route) => pathOf(route) === best.path.join());
  const route = routes[at];
  if (route === undefined) {
    // There are as many as are answered, and none of them is worse.
    const last = routes[ROUTES_MAX - 1];
    if (last !== undefined && gainOver(best, last, direction) >= 0n) {
      return { fault: undefined, gain: 0n, shortfall: 0 };
    }
    return { fault: `${name}: not found`, gain: -1n, shortfall: 1 };
  }
  const gain = gainOver(best, route, direction);
  const whole = wholeOf(best, direction);
  const shortfall = gain < 0n ? Number(-gain) / Number(whole) : 0;
  const [unsettled] = faultsOf(vector, route);
  if (unsettled !== undefined) return { fault: `${name}: ${unsettled}`, gain, shortfall };
  const isShort = -gain * (at === 0 ? FIRST_PARTS : LATER_PARTS) > whole;
  const fault = isShort ? `${name}: ${inWords(route)}, known ${inWords(best)}` : undefined;
  return { fault, gain, shortfall };
}

function inWords({ sold, bought }: Exchanged): string {
  return `${sold} for ${bought}`;
}

/** What is compared: the larger of `bought` is better when selling, the smaller of `sold` when buying. */
function wholeOf({ sold, bought }: Exchanged, direction: QuoteDirection): bigint {
  return direction === "strict_send" ? bought : sold;
}

function gainOver(best: Exchanged, route: Exchanged, direction: QuoteDirection): bigint {
  return direction === "strict_send" ? route.bought - best.bought : best.sold - route.sold;
}

function faultsOf({ before, request }: QuotesCase, route: RouteQuote): readonly string[] {
  const { direction, amount, maxOrders } = request;
  const asked = direction === "strict_send" ? route.sold <= amount : route.bought === amount;
  return [
    ...(asked ? [] : [`${route.sold} for ${route.bought} is not the amount asked for`]),
    ...routeFaults(before, route, direction, maxOrders),
  ];
}
