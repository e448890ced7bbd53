// Reading the chain's latest state as its contracts would: for the traffic and for comparisons.
import type { Address } from "../model/address.ts";
import type { OrderId } from "../model/order.ts";
import type { OrderEntry } from "./contract/host.ts";
import { u128 } from "./contract/value.ts";
import { allowanceOf, balanceOf, holdingOf } from "./holding.ts";
import type { Chain } from "./ledger/chain.ts";
import { orderEntry } from "./ledger/exchange-storage.ts";
import { dataKey } from "./ledger/key.ts";
import type { Offer, OrderIndex } from "./order-index.ts";

export class ChainView {
  /** The ledger that comes next. */
  readonly ledger: number;
  /** Its close time, UNIX seconds. */
  readonly now: number;
  readonly #chain: Chain;
  readonly #exchange: Address;
  readonly #others: OrderIndex;

  /** `others`: order entries of all but the scenario's makers. */
  constructor(chain: Chain, at: { exchange: Address; now: number; others: OrderIndex }) {
    const { exchange, now, others } = at;
    this.#chain = chain;
    this.#exchange = exchange;
    this.#others = others;
    this.ledger = chain.tip.ledger + 1;
    this.now = now;
  }

  /** The exchange's order entry, expired ones included. */
  order(id: OrderId): OrderEntry | undefined {
    const stored = this.#chain.state.get(dataKey(this.#exchange, u128(id), "persistent"));
    const entry = stored?.entry;
    return entry?.kind === "data" ? orderEntry(entry.value) : undefined;
  }

  /** Ids of the account's open offers on the network's own order book, the oldest first. */
  offers(account: Address): readonly bigint[] {
    return this.#chain.state.offers(account).map(({ id }) => id);
  }

  /** What the exchange may take from `owner`; 0 where the allowance lapsed. */
  allowance(token: Address, owner: Address): bigint {
    return allowanceOf(this.#chain, { token, holder: owner, spender: this.#exchange });
  }

  /** What `holder` can spend; 0 where it holds none. */
  balance(token: Address, holder: Address): bigint {
    return balanceOf(this.#chain, token, holder).spendable;
  }

  /** Whether `holder` can be credited `token`. */
  canReceive(token: Address, holder: Address): boolean {
    return holdingOf(this.#chain, { token, holder, spender: this.#exchange }).authorized;
  }

  /** Order entries of all but the scenario's makers, expired ones included, in any order. */
  otherOrders(selling: Address, buying: Address): Iterable<Offer> {
    return this.#others.orders(selling, buying);
  }
}
