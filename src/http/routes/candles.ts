// GET /candles
import { candleJson } from "../json/market-data-json.ts";
import { parseCandlesParameters } from "../market-parameters.ts";
import type { ApiContext, Route } from "../route.ts";
import { jsonArray } from "../route.ts";

export function candlesRoute({ readModel, marketData, assets }: ApiContext): Route {
  return {
    kind: "sync",
    state: () => readModel.step,
    handle: ({ query }) => {
      const { market, order, ...window } = parseCandlesParameters(query, assets);
      const rows = marketData.candles(market, window).map(candleJson);
      return jsonArray(order === "asc" ? rows : rows.reverse());
    },
  };
}
