import { utcText } from "../../model/clock.ts";
import type { OrderEvent } from "../../model/order-event.ts";

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
