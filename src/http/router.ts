// Router: maps paths to routes. A path with anything more, a trailing slash included, is unknown.
import { decodePathSegment } from "./query.ts";
import type { ApiContext, Route } from "./route.ts";
import { accountRoute, backingRoute } from "./routes/account.ts";
import { bookRoute } from "./routes/book.ts";
import { failuresRoute, orderHistoryRoute, tradesRoute } from "./routes/history.ts";
import { candlesRoute, contractRoute, depthRoute, tickerRoute } from "./routes/market-data.ts";
import { marketsRoute } from "./routes/markets.ts";
import { liveOrderRoute, liveOrdersRoute } from "./routes/order.ts";
import { orderEventsRoute } from "./routes/order-events.ts";
import { quoteRoute } from "./routes/quote.ts";
import { statusRoute } from "./routes/status.ts";

export type FoundRoute = {
  /** The path's name in metrics: with a name in place of a value. */
  readonly name: string;
  readonly route: Route;
  readonly pathValue: string;
};

export type Router = {
  /** Undefined for an unknown path. `path` as sent. */
  find(path: string): FoundRoute | undefined;
};

export function createRouter(context: ApiContext): Router {
  const routes: readonly (readonly [string, Route])[] = [
    ["/", statusRoute(context)],
    ["/backing", backingRoute(context)],
    ["/book", bookRoute(context)],
    ["/candles", candlesRoute(context)],
    ["/contract", contractRoute(context)],
    ["/depth", depthRoute(context)],
    ["/failures", failuresRoute(context)],
    ["/markets", marketsRoute(context)],
    ["/order", liveOrdersRoute(context)],
    ["/order-events", orderEventsRoute(context)],
    ["/order-history", orderHistoryRoute(context)],
    ["/quote", quoteRoute(context)],
    ["/ticker/24h", tickerRoute(context)],
    ["/trades", tradesRoute(context)],
  ];
  const plain = new Map<string, FoundRoute>(
    routes.map(([name, route]) => [name, { name, route, pathValue: "" }]),
  );
  const withValue = new Map<string, { readonly name: string; readonly route: Route }>([
    ["/account/", { name: "/account/:address", route: accountRoute(context) }],
    ["/order/", { name: "/order/:id", route: liveOrderRoute(context) }],
  ]);
  return {
    find: (path) => {
      const found = plain.get(path);
      if (found !== undefined) return found;
      const prefix = path.slice(0, path.indexOf("/", 1) + 1);
      const valued = withValue.get(prefix);
      const segment = path.slice(prefix.length);
      if (valued === undefined || segment === "" || segment.includes("/")) return undefined;
      const { name, route } = valued;
      return { name, route, pathValue: decodePathSegment(segment) ?? "" };
    },
  };
}
