// GET /order and GET /order/:id
import { PAGE_MAX } from "../../api/parameter-table.ts";
import type { ReadModel } from "../../book/read-model.ts";
import type { Order } from "../../model/order.ts";
import { parseOrderId } from "../../model/order.ts";
import { ApiError } from "../api-error.ts";
import { orderJson } from "../json/order-json.ts";
import { parseAccountFilter, parseCursor, parsePageLimit } from "../parameters.ts";
import { type ApiContext, jsonArray, type Route, shownRoute } from "../route.ts";

const DIGITS = /^[0-9]+$/;
const LEADING_ZEROS = /^0+(?=[0-9])/;

const INVALID_ID = new ApiError(400, "invalid_order_id", "Bad request. Invalid order ID.");
const NOT_FOUND = new ApiError(404, "not_found", "Not found. Order not found.");

export function liveOrdersRoute({ readModel }: ApiContext): Route {
  return shownRoute(readModel, ({ query }) => {
    const owner = parseAccountFilter(query, "owner");
    const after = parseCursor(query);
    const orders = readModel.history.liveOrders(
      { assets: query.all("asset"), owner },
      { limit: parsePageLimit(query, PAGE_MAX.orders), after },
    );
    return jsonArray(orders.map((order) => liveOrderJson(readModel, order)));
  });
}

export function liveOrderRoute({ readModel }: ApiContext): Route {
  return shownRoute(readModel, ({ pathValue }) => {
    // Any non-negative integer is a fair question; one beyond u128 is no order's id.
    if (!DIGITS.test(pathValue)) throw INVALID_ID;
    const id = parseOrderId(pathValue.replace(LEADING_ZEROS, ""));
    const order = id === undefined ? undefined : readModel.history.liveOrder(id);
    if (order === undefined) throw NOT_FOUND;
    return liveOrderJson(readModel, order);
  });
}

/** A live order with its part of the maker's backing, where that is tracked. */
export function liveOrderJson(readModel: ReadModel, order: Order): string {
  return orderJson(order, readModel.backings.orderBacking(order));
}
