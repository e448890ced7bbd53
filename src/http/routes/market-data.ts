// GET /candles, /contract, /depth and /ticker/24h.
import type { DepthBody, DepthRequest } from "../../book/depth.ts";
import { type Depths, WAITING_DEPTHS_MAX } from "../../book/live-depth.ts";
import type { ReadModel } from "../../book/read-model.ts";
import { ApiError } from "../api-error.ts";
import { contractJson } from "../json/contract-json.ts";
import { candleJson, depthJson, tickerEntryJson } from "../json/market-data-json.ts";
import { parseCandlesParameters, parseDepthParameters } from "../market-parameters.ts";
import { type ApiContext, jsonArray, type Route, shownRoute } from "../route.ts";

export function candlesRoute({ readModel, assets }: ApiContext): Route {
  return shownRoute(readModel, ({ query }) => {
    const { market, order, ...window } = parseCandlesParameters(query, assets);
    const rows = readModel.marketData.candles(market, window).map(candleJson);
    return jsonArray(order === "asc" ? rows : rows.reverse());
  });
}

export function contractRoute({ readModel, contract }: ApiContext): Route {
  return {
    kind: "sync",
    state: () => readModel.contract,
    handle: () => contractJson(contract, readModel.contract),
  };
}

export function tickerRoute({ readModel, clock }: ApiContext): Route {
  return {
    kind: "sync",
    // The window ends with the clock's second, which the body tells.
    state: () => `${readModel.step}-${Math.floor(clock() / 1000)}`,
    handle: () => tickerJson(readModel),
  };
}

/** The body, which the push channel sends too. */
export function tickerJson({ ledger, marketData }: ReadModel): string {
  const { timestamp, markets } = marketData.ticker();
  return (
    `{${ledger === undefined ? "" : `"ledger":${ledger},`}"timestamp":${timestamp},` +
    `"ticker":${jsonArray(markets.map(tickerEntryJson))}}`
  );
}

export function depthRoute({ depth, assets, readModel, clock }: ApiContext): Route {
  return {
    kind: "async",
    // Orders expire by the clock, whose second the body tells.
    state: () => `${readModel.step}-${Math.floor(clock() / 1000)}`,
    handle: ({ query }) => {
      const request = parseDepthParameters(query, assets);
      const body = depth.now(request);
      if (body !== undefined) return depthJson(body);
      return async (signal) => depthJson(await depthLater(depth, request, () => !signal.aborted));
    },
  };
}

const OVERLOADED = new ApiError(
  503,
  "too_many_depths_waiting",
  `Service overloaded. Too many large books are being read (max ${WAITING_DEPTHS_MAX}).`,
);

/** Throws an ApiError where too many wait. */
export function depthLater(
  depth: Depths,
  request: DepthRequest,
  isWanted: () => boolean,
): Promise<DepthBody> {
  const body = depth.later(request, isWanted);
  if (body === undefined) throw OVERLOADED;
  return body;
}
