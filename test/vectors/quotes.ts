// Replays quote vectors on the engine: every path that has a known best result must be found, as
// good or better, and settle exactly on the contract model; so must any other route returned.
import type { QuoteDirection, RouteQuote } from "../../src/router-worker/quote.ts";
import { QuoteSearch } from "../../src/router-worker/search/quote-search.ts";
import { bookOfWorld } from "../support/book-of-world.ts";
import { routeFaults } from "../support/route-check.ts";
import { type QuotesCase, quotesCase } from "./quotes-case.ts";

export type QuotesReplay = {
  /** One for each path that is not as good as known, or does not settle. */
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
  const known = new Set(vector.best.map(({ path }) => path.join()));
  const found = vector.best.map((best) => comparePath(vector, best, routes.get(best.path.join())));
  const others = [...routes].filter(([path]) => !known.has(path));
  return {
    failures: [
      ...found.flatMap(({ fault }) => (fault === undefined ? [] : [fault])),
      ...others.flatMap(([, route]) => faultsOf(vector, route).slice(0, 1)),
    ],
    paths: found.length,
    reached: found.filter(({ gain }) => gain === 0n).length,
    beaten: found.filter(({ gain }) => gain > 0n).length,
    shortfall: Math.max(0, ...found.map(({ shortfall }) => shortfall)),
  };
}

/** By path: the assets bought, joined. */
function quotedRoutes({ before, request }: QuotesCase): ReadonlyMap<string, RouteQuote> {
  const view = bookOfWorld(before);
  const { direction, sellingAsset, buyingAsset, amount } = request;
  const result = new QuoteSearch(view, request.maxOrders).quote(
    view,
    { direction, sellingAsset, buyingAsset, amount, direct: false },
    { now: before.now, skipWindow: 600, shouldStop: () => false },
  );
  const routes = result.status === "success" ? result.routes : [];
  return new Map(routes.map((route) => [route.hops.map(({ buying }) => buying).join(), route]));
}

type Comparison = {
  readonly fault: string | undefined;
  /** Units better than known; negative: worse. */
  readonly gain: bigint;
  readonly shortfall: number;
};

function comparePath(
  vector: QuotesCase,
  best: QuotesCase["best"][number],
  route: RouteQuote | undefined,
): Comparison {
  const name = `path ${best.path.join(" > ")}`;
  if (route === undefined) return { fault: `${name}: not found`, gain: -1n, shortfall: 1 };
  const { direction } = vector.request;
  const gain = gainOver(best, route, direction);
  const whole = direction === "strict_send" ? best.bought : best.sold;
  const shortfall = gain < 0n ? Number(-gain) / Number(whole) : 0;
  const [unsettled] = faultsOf(vector, route);
  if (unsettled !== undefined) return { fault: `${name}: ${unsettled}`, gain, shortfall };
  const fault =
    gain < 0n
      ? `${name}: ${route.sold} for ${route.bought}, known ${best.sold} for ${best.bought}`
      : undefined;
  return { fault, gain, shortfall };
}

function gainOver(
  best: { readonly sold: bigint; readonly bought: bigint },
  route: RouteQuote,
  direction: QuoteDirection,
): bigint {
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
