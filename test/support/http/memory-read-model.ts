// A ReadModel over plain arrays, with its history and its backings, for tests of the HTTP layer.
import type { CandleWindow } from "../../../src/book/candle-reader.ts";
import type { ReadModel } from "../../../src/book/read-model.ts";
import type { Step, StepListener } from "../../../src/book/step.ts";
import type { DayTotals } from "../../../src/book/ticker-list.ts";
import type { TickerStats } from "../../../src/book/ticker-market.ts";
import type { Address, Pair } from "../../../src/model/address.ts";
import { canonicalPair, compareAddresses, marketKey } from "../../../src/model/address.ts";
import type { Backing, OrderBacking, OrderShare, SharesBlock } from "../../../src/model/backing.ts";
import type { Candle } from "../../../src/model/candle.ts";
import type { ContractState } from "../../../src/model/contract-state.ts";
import type { Failure } from "../../../src/model/failure.ts";
import type { Order, OrderId } from "../../../src/model/order.ts";
import type { Position } from "../../../src/model/position.ts";
import type { Swap, Trade } from "../../../src/model/trade.ts";
import type {
  FailureFilter,
  LiveOrderFilter,
  NewestPage,
  OldestPage,
  OrderFilter,
  TradeFilter,
} from "../../../src/store/history.ts";

type PairFilter = readonly [string, string] | undefined;

/** Answers what the test put in. */
export class MemoryMarketData {
  readonly asked: { readonly market: Pair; readonly window: CandleWindow }[] = [];
  candleRows: readonly Candle[] = [];
  timestamp = 0;
  stats: readonly TickerStats[] = [];
  totals: DayTotals = { fills: 0, tokens: [] };

  candles(market: Pair, window: CandleWindow): readonly Candle[] {
    this.asked.push({ market, window });
    return this.candleRows.filter(({ start }) => start >= window.from && start < window.to);
  }

  ticker(): { readonly timestamp: number; readonly markets: readonly TickerStats[] } {
    return { timestamp: this.timestamp, markets: this.stats };
  }

  dayTotals(): DayTotals {
    return this.totals;
  }
}

export class MemoryReadModel implements ReadModel {
  ledger: number | undefined;
  step = 0;
  closeTime = 0;
  contract: ContractState = { frozen: false, markets: [] };
  /** Oldest first. */
  live: Order[] = [];
  archive: Order[] = [];
  records: (Trade | Swap)[] = [];
  failureRecords: Failure[] = [];
  backingRecords: Backing[] = [];
  readonly marketData = new MemoryMarketData();

  readonly #listeners = new Set<StepListener>();

  get history(): this {
    return this;
  }

  get backings(): this {
    return this;
  }

  get markets() {
    return { orderCount: this.live.length, sorted: () => this.#livePairs() };
  }

  onStep(listener: StepListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Listeners learn of a step; what it changed is for the test to put in. */
  stepped(step: Step): void {
    for (const listener of this.#listeners) void listener(step);
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }

  liveOrder(id: OrderId): Order | undefined {
    return this.live.find((order) => order.id === id);
  }

  liveOrders(filter: LiveOrderFilter, page: OldestPage): readonly Order[] {
    const { owner, assets } = filter;
    const rows: Order[] = [];
    for (let at = this.#firstAfter(page.after); at < this.live.length; at += 1) {
      const order = this.live[at] as Order;
      if (owner !== undefined && order.owner !== owner) continue;
      if (!assets.every((asset) => asset === order.selling || asset === order.buying)) continue;
      if (rows.push(order) === page.limit) break;
    }
    return rows;
  }

  /** Index of the first order behind the position: by bisection, since some tests page through tens of thousands. */
  #firstAfter(after: Position | undefined): number {
    if (after === undefined) return 0;
    let [low, high] = [0, this.live.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.live[middle] as Order).cursor > after) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #livePairs(): readonly Pair[] {
    const pairs = new Map(
      this.live.map(({ selling, buying }) => {
        const pair = canonicalPair(selling, buying);
        return [marketKey(pair), pair];
      }),
    );
    return [...pairs.values()].sort(
      (a, b) => compareAddresses(a.base, b.base) || compareAddresses(a.quote, b.quote),
    );
  }

  backing(owner: Address, asset: Address): Backing | undefined {
    return this.backingRecords.find((record) => record.owner === owner && record.asset === asset);
  }

  orderBacking(order: Order): OrderBacking | undefined {
    const { owner, selling, id } = order;
    const backing = this.backing(owner, selling);
    const share = this.#shares(owner, selling).find((one) => one.id === id);
    return backing === undefined ? undefined : { backing, backed: share?.backed ?? 0n };
  }

  accountBacking(owner: Address): readonly Backing[] {
    return this.backingRecords.filter(
      (record) => record.owner === owner && record.updated !== undefined,
    );
  }

  ordersBacked(owner: Address, asset: Address): readonly SharesBlock[] {
    return this.#shares(owner, asset).map((share) => ({ shares: [share], isCovered: false }));
  }

  #shares(owner: Address, asset: Address): readonly OrderShare[] {
    const budget = this.backing(owner, asset)?.budget;
    if (budget === undefined) return [];
    let left = budget;
    return this.live
      .filter((order) => order.owner === owner && order.selling === asset)
      .map(({ id, cursor, amount }) => {
        const backed = left < amount ? left : amount;
        left -= backed;
        return { id, cursor, backed };
      });
  }

  orders(filter: OrderFilter, page: NewestPage): readonly Order[] {
    return newestFirst(
      this.archive.filter(
        (order) =>
          (filter.owner === undefined || order.owner === filter.owner) &&
          isPair(filter.pair, order.selling, order.buying),
      ),
      (order) => order.cursor,
      page,
    );
  }

  trades(filter: TradeFilter, page: NewestPage): readonly (Trade | Swap)[] {
    return newestFirst(
      this.records.filter((record) => {
        const parties = record.type === "trade" ? [record.taker, record.maker] : [record.trader];
        return (
          (filter.trader === undefined || parties.some((party) => party === filter.trader)) &&
          isPair(filter.pair, record.soldAsset, record.boughtAsset)
        );
      }),
      (record) => record.id,
      page,
    );
  }

  readonly orderEvents = { list: () => [], completeFrom: () => undefined };

  failures(filter: FailureFilter, page: NewestPage): readonly Failure[] {
    return newestFirst(
      this.failureRecords.filter(
        ({ caller, fn, transfer }) =>
          (filter.fn === undefined || fn === filter.fn) &&
          (filter.account === undefined ||
            [caller, transfer?.from, transfer?.to].some((party) => party === filter.account)),
      ),
      (record) => record.id,
      page,
    );
  }
}

function isPair(pair: PairFilter, one: Address, other: Address): boolean {
  if (pair === undefined) return true;
  return (pair[0] === one && pair[1] === other) || (pair[0] === other && pair[1] === one);
}

function newestFirst<Row>(
  rows: readonly Row[],
  positionOf: (row: Row) => Position,
  page: NewestPage,
): readonly Row[] {
  const { before } = page;
  return rows
    .filter((row) => before === undefined || positionOf(row) < before)
    .sort((a, b) => (positionOf(a) < positionOf(b) ? 1 : -1))
    .slice(0, page.limit);
}
