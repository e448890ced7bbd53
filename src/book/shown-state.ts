// The state shown: the newest ledger that is both durable and applied, in memory as far as it is
// small, in the store otherwise. Main thread; only the step pipeline changes it.
import type { Clock } from "../model/clock.ts";
import type { ContractState } from "../model/contract-state.ts";
import type { History } from "../store/history.ts";
import type { OrderEvents } from "../store/order-events.ts";
import type { Horizon, LedgerCursor } from "../store/step-record.ts";
import type { Store } from "../store/store.ts";
import type { LiveMarkets } from "./live-markets.ts";
import { MarketData } from "./market-data.ts";
import type { PreparedStep } from "./prepared-step.ts";
import type { BackingReads, ReadModel } from "./read-model.ts";
import type { StepListener } from "./step.ts";

export type ShownStateOptions = {
  readonly store: Store;
  /** The markets of the store's live orders. */
  readonly markets: LiveMarkets;
  readonly backings: BackingReads | undefined;
  readonly clock: Clock;
};

export class ShownState implements ReadModel {
  readonly history: History;
  readonly orderEvents: OrderEvents;
  readonly markets: LiveMarkets;
  readonly backings: BackingReads;
  readonly marketData: MarketData;
  contract: ContractState;
  step = 0;
  /** The last ledger processed, with what the next one must follow. */
  cursor: LedgerCursor | undefined;
  /** How far expirations have been looked at. */
  horizon: Horizon;
  /** To be told of every step once it is shown. */
  readonly listeners = new Set<StepListener>();
  readonly #store: Store;

  constructor({ store, markets, backings, clock }: ShownStateOptions) {
    this.#store = store;
    this.history = store.history;
    this.orderEvents = store.orderEvents;
    this.markets = markets;
    this.backings = backings ?? UNTRACKED;
    this.contract = store.contract();
    this.cursor = store.cursor();
    this.horizon = store.horizon();
    this.marketData = new MarketData(store, clock, () => ({
      opened: this.contract.markets,
      live: markets.sorted(),
    }));
  }

  get ledger(): number | undefined {
    return this.cursor?.ledger;
  }

  get closeTime(): number {
    return this.cursor?.closeTime ?? 0;
  }

  onStep(listener: StepListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Takes in a step that is stored: to be called once a step, together with the rest that shows it. */
  take({ record, orders, contract }: PreparedStep): void {
    this.step += 1;
    this.#store.renew();
    this.horizon = record.horizon;
    this.cursor = record.cursor ?? this.cursor;
    this.contract = contract;
    for (const { before, after } of orders) {
      if (before === undefined && after !== undefined) this.markets.add(after);
      if (before !== undefined && after === undefined) this.markets.remove(before);
    }
    this.marketData.add(record.trades);
  }
}

const UNTRACKED: BackingReads = {
  backing: () => undefined,
  orderBacking: () => undefined,
  accountBacking: () => [],
  ordersBacked: () => [],
};
