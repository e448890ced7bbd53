// GET /order-events: what became of orders and of the budgets behind them, newest first.
import { parseOrderId } from "../../model/order.ts";
import type { OrderEventFilter } from "../../model/order-event.ts";
import { invalidParameter } from "../api-error.ts";
import type { AssetInput } from "../asset-input.ts";
import { orderEventJson } from "../json/order-json.ts";
import { parseMarket } from "../market-parameters.ts";
import { parseAccountFilter, parseNewestPage } from "../parameters.ts";
import type { Query } from "../query.ts";
import { type ApiContext, jsonArray, type Route, shownRoute } from "../route.ts";

export function orderEventsRoute({ readModel, assets }: ApiContext): Route {
  return shownRoute(readModel, ({ query }) => {
    const filter = parseFilter(query, assets);
    const events = readModel.orderEvents.list(filter, parseNewestPage(query));
    const from = readModel.orderEvents.completeFrom();
    const complete = from === undefined ? "" : `"completeFrom":${from},`;
    return `{${complete}"events":${jsonArray(events.map(orderEventJson))}}`;
  });
}

/** Exactly one of order, owner and market. */
function parseFilter(query: Query, assets: AssetInput): OrderEventFilter {
  const given = (["order", "owner", "market"] as const).filter(
    (name) => query.one(name) !== undefined,
  );
  const [name, second] = given;
  if (name === undefined || second !== undefined) {
    throw invalidParameter(second ?? "order", "Expected exactly one of order, owner and market.");
  }
  if (name === "market") {
    const { base, quote } = parseMarket(query.one("market"), assets);
    return { market: [base, quote] };
  }
  const owner = parseAccountFilter(query, "owner");
  if (owner !== undefined) return { owner };
  const order = parseOrderId(query.one("order") ?? "");
  if (order === undefined) throw invalidParameter("order", "Expected an order id.");
  return { order };
}
