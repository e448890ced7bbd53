// GET /depth
import { parseDepthParameters } from "../market-parameters.ts";
import type { ApiContext, Route } from "../route.ts";

export function depthRoute({ depth, assets }: ApiContext): Route {
  return {
    kind: "sync",
    handle: ({ query }) => JSON.stringify(depth(parseDepthParameters(query, assets))),
  };
}
