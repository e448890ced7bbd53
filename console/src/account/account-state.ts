// What the channel `account` says about one account: its live orders, what stands behind them, and
// the fills as they come.
import type {
  Backing,
  BackingUpdate,
  Order,
  OrderFill,
  Swap,
  Trade,
} from "../../../src/api/types.ts";
import type { ChannelMessage } from "../../../src/client/push.ts";

/** Fills that are kept. */
const FILLS_MAX = 200;

/** A fill from the account's side. */
export type AccountFill = {
  /** Of the trade. A self-trade is two of them. */
  readonly key: string;
  readonly role: "maker" | "taker" | "swap";
  readonly gaveAsset: string;
  readonly gave: string;
  readonly gotAsset: string;
  readonly got: string;
  /** The other side; absent for a swap, which has many. */
  readonly other?: string;
  /** `YYYY-MM-DD HH:MM:SS`, UTC. */
  readonly time: string;
  /** Position in the chain, by which fills are ordered. */
  readonly id: string;
};

export class AccountState {
  ledger: number | undefined;
  readonly orders = new Map<string, Order>();
  readonly backing = new Map<string, Backing>();
  loaded = false;
  readonly #address: string;
  readonly #fills: AccountFill[] = [];
  readonly #fillKeys = new Set<string>();

  constructor(address: string) {
    this.#address = address;
  }

  /** Newest first. */
  get fills(): readonly AccountFill[] {
    return this.#fills;
  }

  /** A message of the channel; a snapshot replaces all but the fills, which it does not hold. */
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
        this.#orderChanged(message.order, message.fill);
        break;
      case "backing":
        this.#backingChanged(message);
        break;
      case "trade":
        this.add([takerFill(message.trade)]);
        break;
      case "swap":
        this.add([swapFill(message.swap)]);
        break;
    }
  }

  /** Fills of a page of /trades, or single ones; what is known already is left out. */
  add(fills: readonly AccountFill[]): void {
    for (const fill of fills) {
      if (this.#fillKeys.has(fill.key)) continue;
      this.#fillKeys.add(fill.key);
      // The newest comes last and belongs first: mostly nothing has to be looked at.
      const place = this.#fills.findIndex(({ id }) => !isLater(id, fill.id));
      this.#fills.splice(place < 0 ? this.#fills.length : place, 0, fill);
    }
    for (const { key } of this.#fills.splice(FILLS_MAX)) this.#fillKeys.delete(key);
  }

  /** Of the answer of /trades for this account. */
  fillsOf(records: readonly (Trade | Swap)[]): readonly AccountFill[] {
    return records.flatMap((record) => {
      if (record.type === "swap") return [swapFill(record)];
      const fills: AccountFill[] = [];
      if (record.maker === this.#address) fills.push(makerFill(record));
      if (record.taker === this.#address && !record.crossfill) fills.push(takerFill(record));
      return fills;
    });
  }

  #orderChanged(order: Order, fill: OrderFill | undefined): void {
    if (order.status === "ACTIVE") this.orders.set(order.id, order);
    else this.orders.delete(order.id);
    if (fill === undefined) return;
    this.add([
      {
        key: `${fill.trade}/maker`,
        role: "maker",
        gaveAsset: order.selling,
        gave: fill.sold,
        gotAsset: order.buying,
        got: fill.bought,
        other: fill.taker,
        time: new Date(fill.ts * 1000).toISOString().slice(0, 19).replace("T", " "),
        id: fill.trade,
      },
    ]);
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

function takerFill({
  id,
  soldAsset,
  sold,
  boughtAsset,
  bought,
  maker,
  timestamp,
}: Trade): AccountFill {
  return {
    key: `${id}/taker`,
    role: "taker",
    gaveAsset: soldAsset,
    gave: sold,
    gotAsset: boughtAsset,
    got: bought,
    other: maker,
    time: timestamp,
    id,
  };
}

function makerFill({
  id,
  soldAsset,
  sold,
  boughtAsset,
  bought,
  taker,
  timestamp,
}: Trade): AccountFill {
  return {
    key: `${id}/maker`,
    role: "maker",
    gaveAsset: boughtAsset,
    gave: bought,
    gotAsset: soldAsset,
    got: sold,
    other: taker,
    time: timestamp,
    id,
  };
}

function swapFill({ id, soldAsset, sold, boughtAsset, bought, timestamp }: Swap): AccountFill {
  return {
    key: `${id}/swap`,
    role: "swap",
    gaveAsset: soldAsset,
    gave: sold,
    gotAsset: boughtAsset,
    got: bought,
    time: timestamp,
    id,
  };
}

/** Of two positions, which are decimals without leading zeros: cheaper than as bigints. */
function isLater(a: string, b: string): boolean {
  return a.length === b.length ? a > b : a.length > b.length;
}
