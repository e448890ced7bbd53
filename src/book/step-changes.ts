// Derives the shared book's changes from a step's order records.
import type { Order } from "../model/order.ts";
import { type OrderRecord, OrderState, toOrder } from "../store/order-record.ts";
import type { OrderChange } from "../store/step-record.ts";
import type { BookChange } from "./book-change.ts";

export type LiveChange = { readonly before?: Order; readonly after?: Order };

export function liveChanges(changes: readonly OrderChange[]): readonly LiveChange[] {
  return changes.flatMap(({ before, after }) => {
    const [was, is] = [liveOrder(before), liveOrder(after)];
    if (was === undefined && is === undefined) return [];
    return [{ ...(was && { before: was }), ...(is && { after: is }) }];
  });
}

/** Removals first: an id can pass from one order to another in a step. */
export function bookChanges(changes: readonly LiveChange[]): readonly BookChange[] {
  const removals: BookChange[] = [];
  const puts: BookChange[] = [];
  for (const { before, after } of changes) {
    if (after !== undefined) puts.push({ kind: "put", order: after });
    else if (before !== undefined) removals.push({ kind: "remove", id: before.id });
  }
  return [...removals, ...puts];
}

function liveOrder(record: OrderRecord | undefined): Order | undefined {
  return record?.state === OrderState.live ? toOrder(record) : undefined;
}
