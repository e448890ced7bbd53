// GET /order-history, GET /trades and GET /failures: pages of the store, newest first.
import { PAGE_MAX } from "../../api/parameter-table.ts";
import { invalidParameter } from "../api-error.ts";
import { failureJson } from "../json/failure-json.ts";
import { orderJson } from "../json/order-json.ts";
import { swapJson, tradeJson } from "../json/trade-json.ts";
import { parseAccountFilter, parseCursor, parsePageLimit, parsePairFilter } from "../parameters.ts";
import type { Query } from "../query.ts";
import type { ApiContext, Route } from "../route.ts";
import { jsonArray } from "../route.ts";

export function orderHistoryRoute({ readModel }: ApiContext): Route {
  return {
    kind: "sync",
    state: () => readModel.step,
    handle: ({ query }) => {
      const owner = parseAccountFilter(query, "owner");
      const pair = parsePairFilter(query);
      const orders = readModel.orderHistory(
        { ...(owner === undefined ? {} : { owner }), ...(pair === undefined ? {} : { pair }) },
        parsePage(query),
      );
      return jsonArray(orders.map((order) => orderJson(order)));
    },
  };
}

export function tradesRoute({ readModel }: ApiContext): Route {
  return {
    kind: "sync",
    state: () => readModel.step,
    handle: ({ query }) => {
      const trader = parseAccountFilter(query, "trader");
      const pair = parsePairFilter(query);
      const rows = readModel.trades(
        { ...(trader === undefined ? {} : { trader }), ...(pair === undefined ? {} : { pair }) },
        parsePage(query),
      );
      return jsonArray(rows.map((row) => (row.type === "trade" ? tradeJson(row) : swapJson(row))));
    },
  };
}

export function failuresRoute({ readModel }: ApiContext): Route {
  return {
    kind: "sync",
    state: () => readModel.step,
    handle: ({ query }) => {
      const account = parseAccountFilter(query, "account");
      const fn = query.one("fn");
      if (fn !== undefined && !/^[a-z_]{1,32}$/.test(fn)) {
        throw invalidParameter("fn", "Expected at most 32 lowercase letters and underscores.");
      }
      const rows = readModel.failures(
        { ...(account === undefined ? {} : { account }), ...(fn === undefined ? {} : { fn }) },
        parsePage(query),
      );
      return jsonArray(rows.map(failureJson));
    },
  };
}

function parsePage(query: Query) {
  const before = parseCursor(query);
  const limit = parsePageLimit(query, PAGE_MAX.history);
  return before === undefined ? { limit } : { before, limit };
}
