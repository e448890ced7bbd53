// Orders and order events as JSON text (api.md, Order and Order event). Built by hand for the reason given in
// backing-json.ts.
import type { Backing, OrderBacking } from "../../model/backing.ts";
import { utcText } from "../../model/clock.ts";
import type { Order } from "../../model/order.ts";
import type { OrderEvent } from "../../model/order-event.ts";
import { embeddedBackingJson } from "./backing-json.ts";

/** An order's text, and of what it was made. */
type KnownText = {
  readonly order: Order;
  readonly backing: Backing | undefined;
  readonly backed: bigint | undefined;
  readonly text: string;
};

/**
 * A kept order is one object until it changes, and so is a backing: the text is cached on the object. A copy
 * made by spreading carries the text along, which names the object it was made for.
 */
const KNOWN = Symbol("text");
type KeptOrder = Order & { [KNOWN]?: KnownText };

/** `shown`: absent where no backing is tracked, and for orders that show none. */
export function orderJson(order: KeptOrder, shown?: OrderBacking): string {
  const known = knownOrderJson(order, shown);
  if (known !== undefined) return known;
  const text = orderText(order, shown);
  order[KNOWN] = { order, backing: shown?.backing, backed: shown?.backed, text };
  return text;
}

/** The cached text, where there is one. */
export function knownOrderJson(order: KeptOrder, shown?: OrderBacking): string | undefined {
  const known = order[KNOWN];
  return known !== undefined &&
    known.order === order &&
    known.backing === shown?.backing &&
    known.backed === shown?.backed
    ? known.text
    : undefined;
}

// Joined: the cached string is flat, not a rope of its parts.
function orderText(order: Order, shown: OrderBacking | undefined): string {
  const { head, tail } = orderPieces(order);
  return [
    head,
    backingPiece(shown?.backed, shown && embeddedBackingJson(shown.backing)),
    tail,
  ].join("");
}

/** An order's text before and behind what backs it, which changes without the order. */
export type OrderPieces = { readonly head: string; readonly tail: string };

export function orderPieces(order: Order): OrderPieces {
  const { id, status, selling, buying, price, quote, amount, owner } = order;
  const head = [
    `{"id":"${id}","status":"${status}","selling":"`,
    selling,
    '","buying":"',
    buying,
    `","price":"${price}","rprice":${displayPrice(price)},"quote":"${quote}","amount":"${amount}",`,
    '"owner":"',
    owner,
  ].join("");
  return { head, tail: endOfOrder(order) };
}

/** What stands between the pieces; `backing`: the embedded record. Nothing is shown where either is unknown. */
export function backingPiece(backed: bigint | undefined, backing: string | undefined): string {
  return backed === undefined || backing === undefined
    ? '"'
    : `","backed":"${backed}","backing":${backing}`;
}

/** From `expires` on, where rows and orders read alike. */
function endOfOrder({ expires, created, updated, cursor }: Order): string {
  return (
    (expires === 0 ? "" : `,"expires":"${utcText(expires)}"`) +
    `,"created":"${utcText(created)}","updated":"${utcText(updated)}","cursor":"${cursor}"}`
  );
}

/**
 * A row of a market's book: an order without what its side and its market say already (status, selling,
 * buying) and without its maker's backing, which many rows would repeat. `backed`: absent where it is not
 * tracked; `budget`: absent where it covers the order.
 */
export function bookRowJson(
  order: Order,
  backed: bigint | undefined,
  budget: bigint | undefined,
): string {
  const { id, price, quote, amount, owner } = order;
  return [
    `{"id":"${id}","price":"${price}","rprice":${displayPrice(price)},"quote":"${quote}",`,
    `"amount":"${amount}","owner":"`,
    owner,
    backed === undefined ? '"' : `","backed":"${backed}"`,
    budget === undefined ? "" : `,"budget":"${budget}"`,
    endOfOrder(order),
  ].join("");
}

/** price / 10^18, for display only. */
function displayPrice(price: bigint): number {
  return Number(price) / 1e18;
}

export function orderEventJson(event: OrderEvent): string {
  const { id, ledger, timestamp } = event;
  const end = `"ledger":${ledger},"timestamp":"${utcText(timestamp)}","cursor":"${id}"}`;
  if (event.type === "budget") {
    const { owner, asset, budget } = event;
    const amount = budget === undefined ? "" : `"budget":"${budget}",`;
    return `{"type":"budget","id":"${id}","owner":"${owner}","asset":"${asset}",${amount}${end}`;
  }
  const { cause, order, isLive, trade } = event;
  return (
    `{"type":"order","id":"${id}","cause":"${cause}","order":"${order.id}",` +
    `"orderCursor":"${order.cursor}","owner":"${order.owner}","selling":"${order.selling}",` +
    `"buying":"${order.buying}","price":"${order.price}","amount":"${order.amount}",` +
    (order.expires === 0 ? "" : `"expires":"${utcText(order.expires)}",`) +
    `"live":${isLive},${trade === undefined ? "" : `"trade":"${trade}",`}${end}`
  );
}
