// The state shown: the newest ledger that is both durable and applied, in memory as far as it is
// small, in the store otherwise. Main thread; only the step pipeline changes it.
import type { Address, Pair } from "../model/address.ts";
import type { Backing, OrderBacking, SharesBlock } from "../model/backing.ts";
import type { Clock } from "../model/clock.ts";
import type { ContractState } from "../model/contract-state.ts";
import type { Failure } from "../model/failure.ts";
import type { Order, OrderId } from "../model/order.ts";
import type { OrderEvent, OrderEventFilter } from "../model/order-event.ts";
import type { Swap, Trade } from "../model/trade.ts";
import type {
  FailureFilter,
  LiveOrderFilter,
  NewestPage,
  OldestPage,
  OrderFilter,
  TradeFilter,
} from "../store/history.ts";
import type { Horizon, LedgerCursor } from "../store/step-record.ts";
import type { Store } from "../store/store.ts";
import type { LiveMarkets } from "./live-markets.ts";
import type { MarketData } from "./market-data.ts";
import type { PreparedStep } from "./prepared-step.ts";
import type { ReadModel } from "./read-model.ts";
import type { BackingReads, StepListener } from "./step.ts";
import { StoredMarketData } from "./stored-market-data.ts";

export type ShownStateOptions = {
  readonly store: Store;
  /** The markets of the store's live orders. */
  readonly markets: LiveMarkets;
  readonly backing: BackingReads | undefined;
  readonly clock: Clock;
};

export class ShownState implements ReadModel {
  readonly #store: Store;
  readonly #backing: BackingReads | undefined;
  readonly #markets: LiveMarkets;
  readonly #marketData: StoredMarketData;
  #contract: ContractState;
  #cursor: LedgerCursor | undefined;
  #horizon: Horizon;
  #step = 0;
  /** To be told of every step once it is shown. */
  readonly listeners = new Set<StepListener>();

  constructor({ store, markets, backing, clock }: ShownStateOptions) {
    this.#store = store;
    this.#backing = backing;
    this.#markets = markets;
    this.#contract = store.contract();
    this.#cursor = store.cursor();
    this.#horizon = store.horizon();
    this.#marketData = new StoredMarketData(store, clock, () => ({
      opened: this.#contract.markets,
      live: this.#markets.sorted(),
    }));
  }

  onStep(listener: StepListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Takes in a step that is stored: to be called once a step, together with the rest that shows it. */
  take({ record, orders, contract }: PreparedStep): void {
    this.#step += 1;
    this.#store.renew();
    this.#horizon = record.horizon;
    this.#cursor = record.cursor ?? this.#cursor;
    this.#contract = contract;
    for (const { before, after } of orders) {
      if (before === undefined && after !== undefined) this.#markets.add(after);
      if (before !== undefined && after === undefined) this.#markets.remove(before);
    }
    this.#marketData.add(record.trades);
  }

  /** How far expirations have been looked at. */
  get horizon(): Horizon {
    return this.#horizon;
  }

  /** The clock moved past no order: nothing changes but the horizon. */
  passHorizon(horizon: Horizon): void {
    this.#horizon = horizon;
  }

  /** The window of market data follows the clock. In portions, between which a step may be shown. */
  passClock(): Generator<void, void> {
    return this.#marketData.passClock();
  }

  /** The last ledger processed, with what the next one must follow. */
  get cursor(): LedgerCursor | undefined {
    return this.#cursor;
  }

  get ledger(): number | undefined {
    return this.#cursor?.ledger;
  }

  get step(): number {
    return this.#step;
  }

  get closeTime(): number {
    return this.#cursor?.closeTime ?? 0;
  }

  get contract(): ContractState {
    return this.#contract;
  }

  get liveOrderCount(): number {
    return this.#markets.orderCount;
  }

  liveOrder(id: OrderId): Order | undefined {
    return this.#store.history.liveOrder(id);
  }

  liveOrders(filter: LiveOrderFilter, page: OldestPage): readonly Order[] {
    return this.#store.history.liveOrders(filter, page);
  }

  liveMarkets(): readonly Pair[] {
    return this.#markets.sorted();
  }

  /** Candles, ticker and totals of the same state. */
  get marketData(): MarketData {
    return this.#marketData;
  }

  /** When the maker was last skipped selling the token, UNIX seconds. */
  skipped(owner: Address, asset: Address): number | undefined {
    return this.#store.skipped(owner, asset);
  }

  backing(owner: Address, asset: Address): Backing | undefined {
    return this.#backing?.backing(owner, asset);
  }

  orderBacking(order: Order): OrderBacking | undefined {
    return this.#backing?.orderBacking(order);
  }

  accountBacking(owner: Address): readonly Backing[] {
    return this.#backing?.accountBacking(owner) ?? [];
  }

  ordersBacked(owner: Address, asset: Address): readonly SharesBlock[] {
    return this.#backing?.ordersBacked(owner, asset) ?? [];
  }

  orderHistory(filter: OrderFilter, page: NewestPage): readonly Order[] {
    return this.#store.history.orders(filter, page);
  }

  trades(filter: TradeFilter, page: NewestPage): readonly (Trade | Swap)[] {
    return this.#store.history.trades(filter, page);
  }

  /** The first ledger from which order events are complete; undefined while none are kept. */
  get orderEventsFrom(): number | undefined {
    return this.#store.orderEvents.completeFrom();
  }

  orderEvents(filter: OrderEventFilter, page: NewestPage): readonly OrderEvent[] {
    return this.#store.orderEvents.list(filter, page);
  }

  failures(filter: FailureFilter, page: NewestPage): readonly Failure[] {
    return this.#store.history.failures(filter, page);
  }
}
