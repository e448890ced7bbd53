// GET /account/:address and GET /backing
import { accountMembersInSlices } from "../account-text.ts";
import { ApiError } from "../api-error.ts";
import { backingJson } from "../json/backing-json.ts";
import { parseOwner, parseToken } from "../parameters.ts";
import type { ApiContext, Route } from "../route.ts";

export function accountRoute({ readModel }: ApiContext): Route {
  return {
    kind: "async",
    handle: ({ pathValue }) => {
      const owner = parseOwner(pathValue);
      const members = accountMembersInSlices(readModel, owner);
      if (typeof members === "string") return `{${members}}`;
      return async (signal) => `{${await members(signal)}}`;
    },
  };
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
