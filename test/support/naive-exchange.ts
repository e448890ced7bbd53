// The answers of the exchange as a plain function of its ledgers and of the time: everything is
// replayed from the start with Maps and arrays, as slowly and as plainly as can be.
import { canonicalPair, compareAddresses, marketKey, type Pair } from "../../src/model/address.ts";
import type { ContractState, RegistryMarket } from "../../src/model/contract-state.ts";
import type { Failure } from "../../src/model/failure.ts";
import type { LedgerDelta } from "../../src/model/ledger-delta.ts";
import type { Order, OrderId } from "../../src/model/order.ts";
import type { Swap, Trade } from "../../src/model/trade.ts";

export type NaiveAnswers = {
  /** Oldest first. */
  readonly live: readonly Order[];
  /** The rest newest first. */
  readonly archive: readonly Order[];
  readonly trades: readonly (Trade | Swap)[];
  readonly failures: readonly Failure[];
  readonly contract: ContractState;
  readonly markets: readonly Pair[];
  /** By `owner/asset`. */
  readonly skips: ReadonlyMap<string, number>;
};

export function naiveAnswers(ledgers: readonly LedgerDelta[], nowSeconds: number): NaiveAnswers {
  const chain = new Map<OrderId, Order>();
  const archive: Order[] = [];
  const trades: (Trade | Swap)[] = [];
  const skips = new Map<string, number>();
  let markets: RegistryMarket[] = [];
  let contract: ContractState = { frozen: false, markets: [] };
  for (const { events, closeTime: time } of ledgers) {
    for (const event of events) {
      const id = event.kind === "trade" ? event.order : "id" in event ? event.id : undefined;
      const old = id === undefined ? undefined : chain.get(id);
      if (event.kind === "new") {
        if (old !== undefined) archive.push(expired(old));
        const { kind: _, position, ...rest } = event;
        const order = { ...rest, status: "ACTIVE", quote: event.amount, created: time } as const;
        chain.set(event.id, { ...order, updated: time, cursor: position });
      } else if (event.kind === "mod" && old !== undefined) {
        const { price, amount, expires } = event;
        if (amount === 0n) {
          chain.delete(event.id);
          archive.push({ ...old, status: "CANCELED", updated: time });
        } else chain.set(event.id, { ...old, price, amount, expires, updated: time });
      } else if (event.kind === "trade") {
        const { kind: _, position, ...rest } = event;
        trades.push({ ...rest, type: "trade", id: position, timestamp: time });
        if (old === undefined) continue;
        const next = { ...old, amount: event.left, updated: time };
        if (event.left === 0n) {
          chain.delete(event.order);
          archive.push({ ...next, status: "FILLED" });
        } else chain.set(event.order, next);
      } else if (event.kind === "swap") {
        const { kind: _, position, ...rest } = event;
        trades.push({ ...rest, type: "swap", id: position, timestamp: time });
      } else if (event.kind === "skip" && old !== undefined) {
        skips.set(`${old.owner}/${old.selling}`, time);
      } else if (event.kind === "refresh") {
        const key = marketKey(event);
        const known = markets.find(({ pair }) => marketKey(pair) === key);
        const pair = { base: event.base, quote: event.quote };
        const market = { pair, created: known?.created ?? time, refreshed: time };
        markets = known
          ? markets.map((one) => (one === known ? market : one))
          : [...markets, market];
      } else if (event.kind === "freeze") contract = { ...contract, frozen: event.frozen };
      else if (event.kind === "config") contract = { ...contract, config: event.config };
    }
  }
  const isPast = ({ expires }: Order) => expires !== 0 && expires <= nowSeconds;
  const live = [...chain.values()].filter((order) => !isPast(order)).sort(byCursor);
  archive.push(...[...chain.values()].filter(isPast).map(expired));
  return {
    live,
    archive: archive.sort(byCursor).reverse(),
    trades: trades.reverse(),
    failures: ledgers.flatMap(({ failures }) => failures).reverse(),
    contract: { ...contract, markets },
    markets: marketsOf(live),
    skips,
  };
}

function expired(order: Order): Order {
  return { ...order, status: "EXPIRED", updated: order.expires };
}

function byCursor(a: Order, b: Order): number {
  return a.cursor < b.cursor ? -1 : 1;
}

function marketsOf(live: readonly Order[]): readonly Pair[] {
  const pairs = live.map(({ selling, buying }) => canonicalPair(selling, buying));
  const byKey = new Map(pairs.map((pair) => [marketKey(pair), pair]));
  return [...byKey.values()].sort(
    (a, b) => compareAddresses(a.base, b.base) || compareAddresses(a.quote, b.quote),
  );
}
