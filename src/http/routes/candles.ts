// GET /candles
import { candleJson } from "../json/market-data-json.ts";
import { parseCandlesParameters } from "../market-parameters.ts";
import type { ApiContext, Route } from "../route.ts";
import { jsonArray } from "../route.ts";

export function candlesRoute({ marketData, assets }: ApiContext): Route {
  return {
    kind: "sync",
    handle: ({ query }) => {
      const { market, order, ...window } = parseCandlesParameters(query, assets);
      const rows = marketData.candles(market, window).map(candleJson);
      return jsonArray(order === "asc" ? rows : rows.reverse());
    },
  };
}
