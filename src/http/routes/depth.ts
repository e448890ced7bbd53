// GET /depth

import type { DepthBody, DepthRequest } from "../../book/depth.ts";
import { type Depths, WAITING_DEPTHS_MAX } from "../../book/live-depth.ts";
import { ApiError } from "../api-error.ts";
import { depthJson } from "../json/market-data-json.ts";
import { parseDepthParameters } from "../market-parameters.ts";
import type { ApiContext, Route } from "../route.ts";

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
