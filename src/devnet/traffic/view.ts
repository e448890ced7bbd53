import type { Address } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import type { OrderEntry } from "../contract/host.ts";

/** What the traffic may know of the chain: its state after the last ledger, and the next one. */
export interface ChainView {
  /** The ledger whose transactions are asked for. */
  readonly ledger: number;
  /** Its close time, UNIX seconds. */
  readonly now: number;
  /** The exchange's order entry, expired ones included. */
  order(id: OrderId): OrderEntry | undefined;
  /** What the exchange may take from `owner`; 0 where the allowance lapsed. */
  allowance(token: Address, owner: Address): bigint;
  /** Ids of the account's open offers on the network's own order book, the oldest first. */
  offers(account: Address): readonly bigint[];
  /** What `holder` can spend; 0 where it holds none. */
  balance(token: Address, holder: Address): bigint;
}

/** A view that asks the chain once for what its many actors look at within one ledger. */
export class RememberingView implements ChainView {
  readonly #view: ChainView;
  readonly #orders = new Map<OrderId, OrderEntry | undefined>();
  readonly #allowances = new Map<string, bigint>();
  readonly #balances = new Map<string, bigint>();

  constructor(view: ChainView) {
    this.#view = view;
  }

  get ledger(): number {
    return this.#view.ledger;
  }

  get now(): number {
    return this.#view.now;
  }

  order(id: OrderId): OrderEntry | undefined {
    if (this.#orders.has(id)) return this.#orders.get(id);
    const entry = this.#view.order(id);
    this.#orders.set(id, entry);
    return entry;
  }

  allowance(token: Address, owner: Address): bigint {
    const key = `${token}${owner}`;
    const allowance = this.#allowances.get(key) ?? this.#view.allowance(token, owner);
    this.#allowances.set(key, allowance);
    return allowance;
  }

  offers(account: Address): readonly bigint[] {
    return this.#view.offers(account);
  }

  balance(token: Address, holder: Address): bigint {
    const key = `${token}${holder}`;
    const balance = this.#balances.get(key) ?? this.#view.balance(token, holder);
    this.#balances.set(key, balance);
    return balance;
  }
}
