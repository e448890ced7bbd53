// GET /ticker/24h
import type { MarketData } from "../../book/market-data.ts";
import type { ReadModel } from "../../book/read-model.ts";
import { tickerEntryJson } from "../json/market-data-json.ts";
import type { ApiContext, Route } from "../route.ts";
import { jsonArray } from "../route.ts";

export function tickerRoute({ readModel, marketData, clock }: ApiContext): Route {
  return {
    kind: "sync",
    // The window ends with the clock's second, which the body tells.
    state: () => `${readModel.step}-${Math.floor(clock() / 1000)}`,
    handle: () => tickerJson(readModel, marketData),
  };
}

/** The body, which the push channel sends too. */
export function tickerJson({ ledger }: ReadModel, marketData: MarketData): string {
  const { timestamp, markets } = marketData.ticker();
  return (
    `{${ledger === undefined ? "" : `"ledger":${ledger},`}"timestamp":${timestamp},` +
    `"ticker":${jsonArray(markets.map(tickerEntryJson))}}`
  );
}
