// Orders as JSON text (api.md, Order). Built by hand for the reason given in backing-json.ts.

import type { Backing } from "../../model/backing.ts";
import { utcText } from "../../model/clock.ts";
import type { Order } from "../../model/order.ts";
import { embeddedBackingJson } from "./backing-json.ts";

/** What an order shows of its maker's backing; absent where none is tracked. */
export type ShownBacking = { readonly backed: bigint; readonly backing: Backing };

export function orderJson(order: Order, shown?: ShownBacking): string {
  const { id, status, selling, buying, price, quote, amount, owner, expires } = order;
  return (
    `{"id":"${id}","status":"${status}","selling":"${selling}","buying":"${buying}",` +
    `"price":"${price}","rprice":${displayPrice(price)},"quote":"${quote}","amount":"${amount}",` +
    `"owner":"${owner}"` +
    (shown === undefined
      ? ""
      : `,"backed":"${shown.backed}","backing":${embeddedBackingJson(shown.backing)}`) +
    (expires === 0 ? "" : `,"expires":"${utcText(expires)}"`) +
    `,"created":"${utcText(order.created)}","updated":"${utcText(order.updated)}",` +
    `"cursor":"${order.cursor}"}`
  );
}

/** price / 10^18, for display only. */
function displayPrice(price: bigint): number {
  return Number(price) / 1e18;
}
