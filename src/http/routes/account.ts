// GET /account/:address and GET /backing

import type { Address } from "../../model/address.ts";
import { nextSlice } from "../../model/slice-turns.ts";
import { accountMembers, accountText, hasManyOrders } from "../account-text.ts";
import { ApiError } from "../api-error.ts";
import { backingJson } from "../json/backing-json.ts";
import { parseOwner, parseToken } from "../parameters.ts";
import type { ApiContext, Route } from "../route.ts";

/** Accounts with many orders that may wait to be read (choice): some 10 s of them. */
const WAITING_ACCOUNTS_MAX = 64;

const OVERLOADED = new ApiError(
  503,
  "too_many_accounts_waiting",
  `Service overloaded. Too many large accounts are being read (max ${WAITING_ACCOUNTS_MAX}).`,
);

export function accountRoute({ readModel }: ApiContext): Route {
  /** One at a time: rows of many at once would be much memory, and none would be there soon. */
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const read = async (owner: Address, signal: AbortSignal): Promise<string> => {
    const account = (await accountText(readModel, owner, () => !signal.aborted))?.pin();
    while (account?.make() === true && !signal.aborted) await nextSlice();
    if (account === undefined || signal.aborted) throw signal.reason;
    return account.text("{", "}");
  };
  return {
    kind: "async",
    handle: ({ pathValue }) => {
      const owner = parseOwner(pathValue);
      if (!hasManyOrders(readModel, owner)) return `{${accountMembers(readModel, owner)}}`;
      if (waiting >= WAITING_ACCOUNTS_MAX) throw OVERLOADED;
      waiting += 1;
      return (signal) => {
        const made = last
          .then(() => read(owner, signal))
          .finally(() => {
            waiting -= 1;
          });
        last = made.catch(() => undefined);
        return made;
      };
    },
  };
}

export function backingRoute({ readModel }: ApiContext): Route {
  return {
    kind: "sync",
    handle: ({ query }) => {
      const owner = parseOwner(query.one("owner"));
      const asset = parseToken("asset", query.one("asset"));
      const backing = readModel.backings.backing(owner, asset);
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
