// A book as a busy exchange has it, and ledgers of changes to it: the same for the same seed.
import type { BookChange } from "../src/book/book-change.ts";
import type { Address } from "../src/model/address.ts";
import { type Order, type OrderId, orderId } from "../src/model/order.ts";
import type { Position } from "../src/model/position.ts";
import { account, token } from "../test/support/addresses.ts";
import { type Random, randomFrom } from "../test/support/random-ledgers.ts";

export const CONTRACT = token(10_000);
const NOW = 1_700_000_000;
const UNIT = 10n ** 18n;

export type BookScale = {
  readonly assets: number;
  readonly markets: number;
  readonly makers: number;
  readonly orders: number;
};

type Market = { readonly one: Address; readonly other: Address; readonly price: number };

/** Ids as far apart as those of the network, whose bytes are a hash's. */
export function orderIdOf(number: number): OrderId {
  return orderId((BigInt(number) * 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835n) % (1n << 128n));
}

/** Live orders of a growing history; ledgers change some of them. */
export class BookData {
  readonly #random: Random = randomFrom(1);
  readonly #markets: Market[] = [];
  readonly #makers: Address[];
  readonly #live: Order[] = [];
  readonly #scale: BookScale;
  #next = 1;

  constructor(scale: BookScale) {
    this.#scale = scale;
    const assets = Array.from({ length: scale.assets }, (_, n) => token(n));
    this.#makers = Array.from({ length: scale.makers }, (_, n) => account(n));
    for (let at = 0; this.#markets.length < scale.markets; at += 1) {
      // Each round pairs an asset with the next but one, two, ...: no pair comes twice.
      const one = assets[at % assets.length];
      const other = assets[(at + 1 + Math.floor(at / assets.length)) % assets.length];
      if (one === undefined || other === undefined) break;
      this.#markets.push({ one, other, price: 10 ** (this.#random(5) - 2) });
    }
  }

  get live(): readonly Order[] {
    return this.#live;
  }

  /** The orders and backing records of the start. */
  start(): BookChange[] {
    const changes: BookChange[] = [];
    for (let n = 0; n < this.#scale.orders; n += 1) changes.push(this.#place());
    const seen = new Set<string>();
    for (const { owner, selling, buying } of this.#live) {
      for (const asset of [selling, buying]) {
        if (seen.has(`${owner}${asset}`)) continue;
        seen.add(`${owner}${asset}`);
        changes.push(this.#backing(owner, asset));
      }
    }
    return changes;
  }

  /** Fills, requotes, cancels, new orders and payments, as many orders going as coming. */
  ledger(changes: number): BookChange[] {
    const touched = new Set<OrderId>();
    const list: BookChange[] = [];
    while (list.length < changes) {
      const kind = this.#random(100);
      const at = this.#random(this.#live.length);
      const order = this.#live[at];
      if (order === undefined || kind >= 80 || touched.has(order.id)) {
        if (kind >= 90 && order !== undefined) list.push(this.#backing(order.owner, order.selling));
        else list.push(this.#place());
      } else if (kind < 45) {
        list.push(this.#change(at, { ...order, amount: order.amount - order.amount / 3n }));
      } else if (kind < 70) {
        list.push(this.#change(at, { ...order, price: this.#near(order.price) }));
      } else {
        const last = this.#live.pop();
        if (last !== undefined && last !== order) this.#live[at] = last;
        list.push({ kind: "remove", id: order.id });
      }
      if (order !== undefined) touched.add(order.id);
    }
    return list;
  }

  #change(at: number, order: Order): BookChange {
    this.#live[at] = order;
    return { kind: "put", order };
  }

  #place(): BookChange {
    const market = this.#markets[this.#random(this.#markets.length)];
    const owner = this.#makers[this.#random(this.#makers.length)];
    if (market === undefined || owner === undefined) throw new Error("an empty scale");
    const isAsk = this.#random(2) === 0;
    const distance = 1 + (this.#random(20_000) + 1) / 100_000;
    const price = (isAsk ? market.price : 1 / market.price) * distance;
    const amount = BigInt(1 + this.#random(2_000_000_000));
    this.#next += 1;
    const order: Order = {
      id: orderIdOf(this.#next),
      status: "ACTIVE",
      owner,
      selling: isAsk ? market.one : market.other,
      buying: isAsk ? market.other : market.one,
      price: (BigInt(Math.round(price * 10 ** 6)) * UNIT) / 10n ** 6n,
      quote: amount,
      amount,
      expires: this.#random(4) === 0 ? NOW + 86_400 : 0,
      created: NOW,
      updated: NOW,
      cursor: (BigInt(this.#next) << 28n) as Position,
    };
    this.#live.push(order);
    return { kind: "put", order };
  }

  #near(price: bigint): bigint {
    return (price * BigInt(9_900 + this.#random(200))) / 10_000n + 1n;
  }

  #backing(owner: Address, asset: Address): BookChange {
    const budget = BigInt(this.#random(2 ** 31)) * 100n;
    const fields = { balance: budget, allowance: budget, budget, liveUntil: 10 ** 6 };
    const backing = { owner, asset, ...fields, authorized: true, updated: NOW, pending: false };
    return { kind: "backing", backing };
  }
}
