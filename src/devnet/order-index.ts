// Index of the exchange's order entries, expired ones included, by selling and buying asset, without those of
// the traffic's own makers: here the traffic finds the orders of clients.
import type { Address } from "../model/address.ts";
import { type OrderId, orderId } from "../model/order.ts";
import type { OrderEntry } from "./contract/host.ts";
import { u128 } from "./contract/value.ts";
import { orderEntry } from "./ledger/exchange-storage.ts";
import { dataKey, type EntryKey } from "./ledger/key.ts";
import type { StoredEntry } from "./ledger/stored-entry.ts";

export type Offer = { readonly id: OrderId; readonly entry: OrderEntry };

/** Bytes of an order's key before its id: entry type, contract, type of the key's value. */
const PREFIX_BYTES = 44;

export class OrderIndex {
  readonly #prefix: string;
  readonly #without: ReadonlySet<Address>;
  readonly #byPair = new Map<string, Map<EntryKey, Offer>>();
  readonly #pairOf = new Map<EntryKey, string>();

  constructor(exchange: Address, without: ReadonlySet<Address>) {
    this.#prefix = dataKey(exchange, u128(0n), "persistent").slice(0, PREFIX_BYTES);
    this.#without = without;
  }

  /** Takes over an entry's new value; absent where it is gone. Entries of other kinds are ignored. */
  apply(key: EntryKey, stored: StoredEntry | undefined): void {
    if (!key.startsWith(this.#prefix)) return;
    const known = this.#pairOf.get(key);
    if (known !== undefined) {
      this.#pairOf.delete(key);
      this.#byPair.get(known)?.delete(key);
    }
    const entry = stored?.entry;
    if (entry?.kind !== "data" || entry.key.type !== "u128") return;
    const order = orderEntry(entry.value);
    if (this.#without.has(order.owner)) return;
    const pair = pairKey(order.selling, order.buying);
    this.#pairOf.set(key, pair);
    const orders = this.#byPair.get(pair) ?? new Map<EntryKey, Offer>();
    this.#byPair.set(pair, orders);
    orders.set(key, { id: orderId(entry.key.value), entry: order });
  }

  orders(selling: Address, buying: Address): Iterable<Offer> {
    return this.#byPair.get(pairKey(selling, buying))?.values() ?? [];
  }
}

function pairKey(selling: Address, buying: Address): string {
  return `${selling}${buying}`;
}
