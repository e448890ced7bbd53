// The console: a page over the public API. Starts the connection, then shows what the address names.
import { accountViewOf } from "./account/account-view.ts";
import { Connection } from "./api/connection.ts";
import { pushUrl } from "./api/rest.ts";
import { el } from "./dom.ts";
import { engineView } from "./engine/engine-view.ts";
import { marketByName } from "./market/market-by-name.ts";
import { marketView } from "./market/market-view.ts";
import { marketsView } from "./markets/markets-view.ts";
import { Shell } from "./page/shell.ts";
import { zone } from "./page/time.ts";
import { quoteView } from "./quote/quote-view.ts";
import { parseRoute, type Route } from "./route.ts";
import { Assets } from "./state/assets.ts";
import { Ledgers } from "./state/ledgers.ts";
import { Tickers } from "./state/tickers.ts";
import { TestNetwork } from "./trading/test-network.ts";
import { Wallet } from "./trading/wallet.ts";
import { walletView } from "./trading/wallet-view.ts";
import type { Sources, View } from "./view.ts";

const connection = new Connection(pushUrl());
const sources: Sources = {
  connection,
  ledgers: new Ledgers(connection),
  tickers: new Tickers(connection),
  assets: new Assets(),
  wallet: new Wallet(new TestNetwork()),
};
const shell = new Shell(sources);
/** Views that belong to another one's link. */
const PLACES: Readonly<Record<string, string>> = {
  market: "markets",
  "named-market": "markets",
};

addEventListener("hashchange", show);
zone.changes.listen(show);
show();

function show(): void {
  const route = parseRoute(location.hash);
  if (route === undefined) shell.show(unknownView(), "");
  else shell.show(viewOf(route), PLACES[route.view] ?? route.view);
}

function viewOf(route: Route): View {
  switch (route.view) {
    case "markets":
      return marketsView(sources);
    case "market":
      return marketView(sources, route);
    case "named-market":
      return marketByName(sources, route, (market) => marketView(sources, market));
    case "quote":
      return quoteView(sources, route.parameters);
    case "account":
      return accountViewOf(sources, route.address);
    case "wallet":
      return walletView(sources);
    case "engine":
      return engineView(sources);
  }
}

function unknownView(): View {
  const element = el(
    "div",
    { class: "unknown-view" },
    el("h1", {}, "Nothing here"),
    el(
      "p",
      {},
      "The address names no view of the console, or a market that cannot exist. ",
      el("a", { href: "#/" }, "All markets"),
    ),
  );
  return { element, title: "Nothing here", close: () => undefined };
}
