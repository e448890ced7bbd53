// GET /markets: pairs with live orders, from a list that is renewed every 30 minutes.
import { PAGE_MAX } from "../../api/parameter-table.ts";
import type { Pair } from "../../model/address.ts";
import { parseContractAddress } from "../../model/address.ts";
import { invalidParameter } from "../api-error.ts";
import { parsePageLimit } from "../parameters.ts";
import type { Query } from "../query.ts";
import type { ApiContext, Route } from "../route.ts";
import { jsonArray } from "../route.ts";

/** The age at which the API document has the list renewed. */
const LIST_AGE_MAX_MS = 30 * 60 * 1000;

type MarketList = {
  readonly takenMs: number;
  readonly rows: readonly string[];
  readonly indexByCursor: ReadonlyMap<string, number>;
};

export function marketsRoute({ readModel, clock }: ApiContext): Route {
  let list: MarketList | undefined;
  const currentList = (): MarketList => {
    const now = clock();
    // A clock that was set back must not keep a list for longer than its age either. A list without
    // markets is what a start-up looks like: kept, it would hide a filling book for half an hour.
    const usable =
      list !== undefined && list.rows.length > 0 && Math.abs(now - list.takenMs) < LIST_AGE_MAX_MS;
    if (list === undefined || !usable) list = takeList(readModel.markets.sorted(), now);
    return list;
  };
  return {
    kind: "sync",
    state: currentList,
    handle: ({ query }) => {
      const cursor = parseMarketCursor(query);
      const limit = parsePageLimit(query, PAGE_MAX.markets);
      const { rows, indexByCursor } = currentList();
      // A pair that is not listed (any more) starts the list again: -1 + 1.
      const start = cursor === undefined ? 0 : (indexByCursor.get(cursor) ?? -1) + 1;
      return jsonArray(rows.slice(start, start + limit));
    },
  };
}

function takeList(pairs: readonly Pair[], takenMs: number): MarketList {
  const cursors = pairs.map(({ base, quote }) => `${base}-${quote}`);
  return {
    takenMs,
    rows: pairs.map(
      ({ base, quote }, index) =>
        `{"baseAsset":"${base}","quoteAsset":"${quote}","cursor":"${cursors[index]}",` +
        '"orderTypes":["LIMIT"]}',
    ),
    indexByCursor: new Map(cursors.map((cursor, index) => [cursor, index])),
  };
}

function parseMarketCursor(query: Query): string | undefined {
  const cursor = query.one("cursor");
  if (cursor === undefined) return undefined;
  const sides = cursor.split("-");
  if (sides.length !== 2 || sides.some((side) => parseContractAddress(side) === undefined)) {
    throw invalidParameter("cursor", "Expected the cursor of the last market received.");
  }
  return cursor;
}
