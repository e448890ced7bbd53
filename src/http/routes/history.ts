// GET /order-history, GET /trades and GET /failures: pages of the store, newest first.
import { invalidParameter } from "../api-error.ts";
import { failureJson } from "../json/failure-json.ts";
import { orderJson } from "../json/order-json.ts";
import { swapJson, tradeJson } from "../json/trade-json.ts";
import { parseAccountFilter, parseNewestPage, parsePairFilter } from "../parameters.ts";
import { type ApiContext, jsonArray, type Route, shownRoute } from "../route.ts";

export function orderHistoryRoute({ readModel }: ApiContext): Route {
  return shownRoute(readModel, ({ query }) => {
    const owner = parseAccountFilter(query, "owner");
    const pair = parsePairFilter(query);
    const orders = readModel.history.orders({ owner, pair }, parseNewestPage(query));
    return jsonArray(orders.map((order) => orderJson(order)));
  });
}

export function tradesRoute({ readModel }: ApiContext): Route {
  return shownRoute(readModel, ({ query }) => {
    const trader = parseAccountFilter(query, "trader");
    const pair = parsePairFilter(query);
    const rows = readModel.history.trades({ trader, pair }, parseNewestPage(query));
    return jsonArray(rows.map((row) => (row.type === "trade" ? tradeJson(row) : swapJson(row))));
  });
}

export function failuresRoute({ readModel }: ApiContext): Route {
  return shownRoute(readModel, ({ query }) => {
    const account = parseAccountFilter(query, "account");
    const fn = query.one("fn");
    if (fn !== undefined && !/^[a-z_]{1,32}$/.test(fn)) {
      throw invalidParameter("fn", "Expected at most 32 lowercase letters and underscores.");
    }
    const rows = readModel.history.failures({ account, fn }, parseNewestPage(query));
    return jsonArray(rows.map(failureJson));
  });
}
