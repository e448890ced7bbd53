// The exchange's own record of what it did, to compare with what an indexer read from the ledgers:
// taken from the contract model's events as it emits them, not from their XDR.
import type { Address } from "../model/address.ts";
import type { OrderId } from "../model/order.ts";
import { type Position, position } from "../model/position.ts";
import type { ContractEvent } from "./contract/event.ts";
import type { ClosedRecord } from "./ledger/chain.ts";

/** Times in UNIX seconds, amounts in base units. */
export type RecordedEvent = {
  readonly position: Position;
  readonly timestamp: number;
  readonly event: ContractEvent;
};

/** An order from its creation to its end; `status` ACTIVE as long as its entry is on the ledger. */
export type RecordedOrder = {
  readonly id: OrderId;
  readonly cursor: Position;
  readonly owner: Address;
  readonly selling: Address;
  readonly buying: Address;
  readonly price: bigint;
  /** Amount at creation. */
  readonly quote: bigint;
  readonly amount: bigint;
  readonly expires: bigint;
  readonly created: number;
  readonly updated: number;
  /** `replaced`: the entry had expired and a new order took its id. */
  readonly status: "ACTIVE" | "FILLED" | "CANCELED" | "replaced";
};

export class ExchangeRecord {
  readonly events: RecordedEvent[] = [];
  /** By the position that created them. */
  readonly orders = new Map<Position, RecordedOrder>();
  readonly #live = new Map<OrderId, Position>();

  add(closed: ClosedRecord): void {
    const { ledger, closeTime } = closed.tip;
    for (const { emitted, order } of closed.transactions) {
      for (const [index, { event }] of emitted.entries()) {
        if (event === undefined) continue;
        const at = position({ ledger, transaction: order, operation: 1, index });
        this.events.push({ position: at, timestamp: closeTime, event });
        this.#apply(at, closeTime, event);
      }
    }
  }

  live(id: OrderId): RecordedOrder | undefined {
    const at = this.#live.get(id);
    return at === undefined ? undefined : this.orders.get(at);
  }

  #apply(at: Position, time: number, event: ContractEvent): void {
    switch (event.kind) {
      case "new": {
        this.#end(event.id, { status: "replaced" });
        const { kind: _, ...terms } = event;
        const order = { ...terms, cursor: at, quote: event.amount, created: time, updated: time };
        this.orders.set(at, { ...order, status: "ACTIVE" });
        this.#live.set(event.id, at);
        break;
      }
      case "mod": {
        const { price, amount, expires } = event;
        if (amount === 0n) this.#end(event.id, { amount: 0n, updated: time, status: "CANCELED" });
        else this.#change(event.id, { price, amount, expires, updated: time });
        break;
      }
      case "trade": {
        const change = { amount: event.left, updated: time };
        if (event.left === 0n) this.#end(event.order, { ...change, status: "FILLED" });
        else this.#change(event.order, change);
        break;
      }
      case "swap":
      case "skip":
      case "refresh":
      case "freeze":
      case "config":
        break;
    }
  }

  #change(id: OrderId, change: Partial<RecordedOrder>): void {
    const at = this.#live.get(id);
    const order = at === undefined ? undefined : this.orders.get(at);
    if (at !== undefined && order !== undefined) this.orders.set(at, { ...order, ...change });
  }

  #end(id: OrderId, change: Partial<RecordedOrder>): void {
    this.#change(id, change);
    this.#live.delete(id);
  }
}
