// A route of /quote, read back from its JSON.
import { address } from "../../src/model/address.ts";
import { type OrderId, orderId } from "../../src/model/order.ts";
import type { RouteQuote } from "../../src/router-worker/quote.ts";
import type { Row } from "./api-client.ts";

/** Throws an Error where it names no address. */
export function quotedRoute({ sold, bought, path }: Row): RouteQuote {
  return {
    sold: BigInt(sold),
    bought: BigInt(bought),
    hops: path.map(({ selling, buying, orders, worstPrice }: Row) => ({
      selling: address(selling),
      buying: address(buying),
      orders: orders.map((id: string): OrderId => orderId(BigInt(id))),
      worstPrice: BigInt(worstPrice),
    })),
  };
}
