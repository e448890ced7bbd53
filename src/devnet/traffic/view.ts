import type { Address } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import type { OrderEntry } from "../contract/host.ts";
import type { Offer } from "../order-index.ts";

/** What the traffic may know of the chain: its state after the last ledger, and the next one. */
export type ChainView = {
  /** The ledger whose transactions are asked for. */
  readonly ledger: number;
  /** Its close time, UNIX seconds. */
  readonly now: number;
  /** The exchange's order entry, expired ones included. */
  readonly order: (id: OrderId) => OrderEntry | undefined;
  /** What the exchange may take from `owner`; 0 where the allowance lapsed. */
  readonly allowance: (token: Address, owner: Address) => bigint;
  /** Ids of the account's open offers on the network's own order book, the oldest first. */
  readonly offers: (account: Address) => readonly bigint[];
  /** What `holder` can spend; 0 where it holds none. */
  readonly balance: (token: Address, holder: Address) => bigint;
  /** Whether `holder` can be credited `token`. */
  readonly canReceive: (token: Address, holder: Address) => boolean;
  /** Order entries of all but the traffic's makers, expired ones included, in any order. */
  readonly otherOrders: (selling: Address, buying: Address) => Iterable<Offer>;
};

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
export type RememberingView = ChainView & {
  /** Of those that are not the traffic's makers: backed, best first, some at most. */
  others(selling: Address, buying: Address): readonly Offer[];
};

export function rememberingView(view: ChainView): RememberingView {
  const orders = new Map<OrderId, OrderEntry | undefined>();
  const seen: RememberingView = {
    ...view,
    order: (id) => {
      if (!orders.has(id)) orders.set(id, view.order(id));
      return orders.get(id);
    },
    allowance: askedOnce(view.allowance),
    balance: askedOnce(view.balance),
    others: askedOnce((selling, buying) => bestOthers(seen, selling, buying)),
  };
  return seen;
}

function askedOnce<T>(
  ask: (one: Address, other: Address) => T,
): (one: Address, other: Address) => T {
  const known = new Map<string, T>();
  return (one, other) => {
    const key = `${one}${other}`;
    const answer = known.get(key) ?? ask(one, other);
    known.set(key, answer);
    return answer;
  };
}
