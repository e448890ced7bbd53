import type { Address } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import type { OrderEntry } from "../contract/host.ts";
import type { Offer } from "../order-index.ts";

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
  /** Whether `holder` can be credited `token`. */
  canReceive(token: Address, holder: Address): boolean;
  /** Order entries of all but the traffic's makers, expired ones included, in any order. */
  otherOrders(selling: Address, buying: Address): Iterable<Offer>;
}

/** Live orders of others that a taker looks at, and looks for backing of, at most. */
const OTHERS_SEEN = 6;
const OTHERS_TRIED = 1_000;

/** The best live orders of others that their owners can deliver whole and be paid for. */
function bestOthers(view: ChainView, selling: Address, buying: Address): readonly Offer[] {
  const live = [...view.otherOrders(selling, buying)].filter(({ entry }) => isLive(entry, view));
  const best: Offer[] = [];
  for (const offer of live.sort(compareOffers).slice(0, OTHERS_TRIED)) {
    if (best.length >= OTHERS_SEEN) break;
    const { owner, amount } = offer.entry;
    const isBacked =
      view.balance(selling, owner) >= amount &&
      view.allowance(selling, owner) >= amount &&
      view.canReceive(buying, owner);
    if (isBacked) best.push(offer);
  }
  return best;
}

export function isLive(entry: OrderEntry, view: Pick<ChainView, "now">): boolean {
  return entry.expires === 0n || entry.expires > BigInt(view.now);
}

/** Best price first; the id decides between equal ones, so that runs repeat. */
export function compareOffers(one: Offer, other: Offer): number {
  if (one.entry.price !== other.entry.price) return one.entry.price < other.entry.price ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}

/** A view that asks the chain once for what its many actors look at within one ledger. */
export class RememberingView implements ChainView {
  readonly #view: ChainView;
  readonly #orders = new Map<OrderId, OrderEntry | undefined>();
  readonly #allowances = new Map<string, bigint>();
  readonly #balances = new Map<string, bigint>();
  readonly #others = new Map<string, readonly Offer[]>();

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

  canReceive(token: Address, holder: Address): boolean {
    return this.#view.canReceive(token, holder);
  }

  otherOrders(selling: Address, buying: Address): Iterable<Offer> {
    return this.#view.otherOrders(selling, buying);
  }

  /** Of those that are not the traffic's makers: backed, best first, some at most. */
  others(selling: Address, buying: Address): readonly Offer[] {
    const key = `${selling}${buying}`;
    const offers = this.#others.get(key) ?? bestOthers(this, selling, buying);
    this.#others.set(key, offers);
    return offers;
  }
}
