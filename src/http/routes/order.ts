// GET /order and GET /order/:id
import type { ReadModel } from "../../book/read-model.ts";
import type { Order } from "../../model/order.ts";
import { parseOrderId } from "../../model/order.ts";
import { ApiError } from "../api-error.ts";
import { knownOrderJson, orderJson } from "../json/order-json.ts";
import { parseAccountFilter, parseCursor, parsePageLimit } from "../parameters.ts";
import type { ApiContext, Route } from "../route.ts";
import { jsonArray } from "../route.ts";

const PAGE_MAX = 200;
/** Texts kept of single orders; some 1,000 bytes each (choice). */
const TEXTS_MAX = 5000;

const DIGITS = /^[0-9]+$/;
const LEADING_ZEROS = /^0+(?=[0-9])/;

const INVALID_ID = new ApiError(400, "invalid_order_id", "Bad request. Invalid order ID.");
const NOT_FOUND = new ApiError(404, "not_found", "Not found. Order not found.");

export function liveOrdersRoute({ readModel }: ApiContext): Route {
  return {
    kind: "sync",
    handle: ({ query }) => {
      const owner = parseAccountFilter(query, "owner");
      const after = parseCursor(query);
      const orders = readModel.liveOrders(
        { assets: query.all("asset"), ...(owner === undefined ? {} : { owner }) },
        { limit: parsePageLimit(query, PAGE_MAX), ...(after === undefined ? {} : { after }) },
      );
      return jsonArray(orders.map((order) => liveOrderJson(readModel, order)));
    },
  };
}

export function liveOrderRoute({ readModel }: ApiContext): Route {
  /** Of one state, by the ids as they were asked for: whoever polls an order asks many times. */
  const texts = new Map<string, string>();
  let step = readModel.step;
  const textOf = (order: Order, asked: string): string => {
    const shown = readModel.orderBacking(order);
    const known = knownOrderJson(order, shown);
    if (known === undefined) return orderJson(order, shown);
    if (texts.size >= TEXTS_MAX) texts.clear();
    texts.set(asked, known);
    return known;
  };
  return {
    kind: "sync",
    handle: ({ pathValue }) => {
      if (step !== readModel.step) {
        texts.clear();
        step = readModel.step;
      }
      const known = texts.get(pathValue);
      if (known !== undefined) return known;
      // Any non-negative integer is a fair question; one beyond u128 is no order's id.
      if (!DIGITS.test(pathValue)) throw INVALID_ID;
      const id = parseOrderId(pathValue.replace(LEADING_ZEROS, ""));
      const order = id === undefined ? undefined : readModel.liveOrder(id);
      if (order === undefined) throw NOT_FOUND;
      return textOf(order, pathValue);
    },
  };
}

/** A live order with its part of the maker's backing, where that is tracked. */
export function liveOrderJson(readModel: ReadModel, order: Order): string {
  return orderJson(order, readModel.orderBacking(order));
}
