// GET /account/:address and GET /backing
import type { ReadModel } from "../../book/read-model.ts";
import type { Address } from "../../model/address.ts";
import { ApiError } from "../api-error.ts";
import { backingJson } from "../json/backing-json.ts";
import { parseOwner, parseToken } from "../parameters.ts";
import type { ApiContext, Route } from "../route.ts";
import { jsonArray } from "../route.ts";
import { liveOrderJson } from "./order.ts";

export function accountRoute({ readModel }: ApiContext): Route {
  return {
    kind: "sync",
    handle: ({ pathValue }) => {
      const owner = parseOwner(pathValue);
      return `{${accountMembers(readModel, owner)}}`;
    },
  };
}

/** The members of the body without its braces: the push channel's snapshot holds them too. */
export function accountMembers(readModel: ReadModel, owner: Address): string {
  const { ledger } = readModel;
  const orders = readModel.liveOrders(
    { owner, assets: [] },
    { limit: Math.max(1, readModel.liveOrderCount) },
  );
  const backing = readModel
    .accountBacking(owner)
    .map((record) => `"${record.asset}":${backingJson(record)}`);
  return (
    `"address":"${owner}"` +
    (ledger === undefined ? "" : `,"ledger":${ledger}`) +
    `,"orders":${jsonArray(orders.map((order) => liveOrderJson(readModel, order)))}` +
    `,"backing":{${backing.join(",")}}`
  );
}

export function backingRoute({ readModel }: ApiContext): Route {
  return {
    kind: "sync",
    handle: ({ query }) => {
      const owner = parseOwner(query.one("owner"));
      const asset = parseToken("asset", query.one("asset"));
      const backing = readModel.backing(owner, asset);
      if (backing === undefined) {
        throw new ApiError(
          404,
          "not_found",
          "Not found. Backing is not tracked for the owner and asset.",
        );
      }
      return backingJson(backing);
    },
  };
}
