// A ReadModel whose budgets are split across orders as the service does it, in blocks that stay while nothing changes.
import { OrderShares } from "../../../src/book/order-shares.ts";
import type { Address } from "../../../src/model/address.ts";
import type { Backing, OrderBacking, SharesBlock } from "../../../src/model/backing.ts";
import type { Order } from "../../../src/model/order.ts";
import { MemoryReadModel } from "./memory-read-model.ts";

export class SharesReadModel extends MemoryReadModel {
  readonly budgets = new Map<string, bigint>();
  readonly #shares: OrderShares;

  constructor(blockOrders?: number) {
    super();
    this.#shares = new OrderShares(blockOrders);
    this.#shares.ordersSelling = (owner, asset) =>
      this.live.filter((order) => order.owner === owner && order.selling === asset);
  }

  /** `before` is there; `after`: absent where it goes. */
  change(before: Order | undefined, after: Order | undefined): void {
    const { owner, selling } = (after ?? before) as Order;
    this.#shares.change(owner + selling, before, after);
    const kept = this.live.filter(({ cursor }) => cursor !== before?.cursor);
    this.live = after === undefined ? kept : [...kept, after].sort(oldestFirst);
  }

  override backing(owner: Address, asset: Address): Backing | undefined {
    const budget = this.budgets.get(owner + asset);
    if (budget === undefined) return undefined;
    const values = { balance: budget, allowance: budget, liveUntil: 9, authorized: true };
    return { owner, asset, ...values, budget, updated: 1, pending: false };
  }

  override orderBacking(order: Order): OrderBacking | undefined {
    const { owner, selling } = order;
    const backing = this.backing(owner, selling);
    if (backing === undefined) return undefined;
    return { backing, backed: this.#shares.share(owner + selling, backing.budget, order) };
  }

  override ordersBacked(owner: Address, asset: Address): readonly SharesBlock[] {
    const budget = this.budgets.get(owner + asset) ?? 0n;
    return this.#shares.shares(owner + asset, budget, { owner, asset });
  }
}

function oldestFirst(one: Order, other: Order): number {
  return one.cursor < other.cursor ? -1 : 1;
}
