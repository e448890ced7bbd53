// GET /depth
import { depthJson } from "../json/depth-json.ts";
import { parseDepthParameters } from "../market-parameters.ts";
import type { ApiContext, Route } from "../route.ts";

export function depthRoute({ depth, assets }: ApiContext): Route {
  return {
    kind: "sync",
    handle: ({ query }) => depthJson(depth(parseDepthParameters(query, assets))),
  };
}
