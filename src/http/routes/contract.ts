// GET /contract
import { contractJson } from "../json/contract-json.ts";
import type { ApiContext, Route } from "../route.ts";

export function contractRoute({ readModel, contract }: ApiContext): Route {
  return {
    kind: "sync",
    state: () => readModel.contract,
    handle: () => contractJson(contract, readModel.contract),
  };
}
