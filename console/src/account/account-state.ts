// What the channel `account` says about one account: its live orders and what stands behind them.
import type { Backing, BackingUpdate, Order } from "../../../src/api/types.ts";
import type { ChannelMessage } from "../../../src/client/push.ts";

export class AccountState {
  ledger: number | undefined;
  readonly orders = new Map<string, Order>();
  readonly backing = new Map<string, Backing>();
  loaded = false;

  /** A message of the channel; a snapshot replaces all. Fills change nothing but through orders and backing. */
  received(message: ChannelMessage<"account">): void {
    switch (message.type) {
      case "account":
        this.ledger = message.ledger;
        this.orders.clear();
        for (const order of message.orders) this.orders.set(order.id, order);
        this.backing.clear();
        for (const record of Object.values(message.backing)) {
          if (record !== undefined) this.backing.set(record.asset, record);
        }
        this.loaded = true;
        break;
      case "order":
        if (message.order.status === "ACTIVE") this.orders.set(message.order.id, message.order);
        else this.orders.delete(message.order.id);
        break;
      case "backing":
        this.#backingChanged(message);
        break;
      case "trade":
      case "swap":
        // The orders and the backing that they change come by themselves.
        break;
    }
  }

  #backingChanged({ asset, backing, backed }: BackingUpdate): void {
    if (backing === null) this.backing.delete(asset);
    else this.backing.set(asset, backing);
    for (const [id, amount] of Object.entries(backed)) {
      const order = this.orders.get(id);
      if (order !== undefined && amount !== undefined) {
        this.orders.set(id, { ...order, backed: amount });
      }
    }
  }
}
