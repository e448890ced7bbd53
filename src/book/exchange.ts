// The main thread's view of the exchange: takes ledgers in, stores them, shows them.
//
// A step is computed on the last stored state, stored in one transaction, and only then applied to
// everything that can be read, in one go: whatever anyone sees is of one ledger and durable.
import type { Address, Pair } from "../model/address.ts";
import type { Backing, OrderBacking } from "../model/backing.ts";
import type { ContractState } from "../model/contract-state.ts";
import type { Failure } from "../model/failure.ts";
import type { LedgerDelta } from "../model/ledger-delta.ts";
import type { Order, OrderId } from "../model/order.ts";
import type { OrderEvent, OrderEventFilter } from "../model/order-event.ts";
import type { Position } from "../model/position.ts";
import type { Swap, Trade } from "../model/trade.ts";
import { RowCopy } from "../store/row-copy.ts";
import type { LedgerCursor } from "../store/step-record.ts";
import { Store } from "../store/store.ts";
import type { StoreSize } from "../store/store-size.ts";
import { planClock } from "./clock-plan.ts";
import { ExchangeError } from "./exchange-error.ts";
import type { ExchangeOptions } from "./exchange-options.ts";
import type { Ignored } from "./lifecycle.ts";
import { Lifecycle } from "./lifecycle.ts";
import { LiveMarkets } from "./live-markets.ts";
import { LiveTally } from "./live-tally.ts";
import type { MarketData } from "./market-data.ts";
import { type PreparedStep, prepareStep } from "./prepared-step.ts";
import type { LiveOrderFilter, Page, ReadModel } from "./read-model.ts";
import type { BackingStart, BookState, LiveOrders, Step, StepListener } from "./step.ts";
import { StepQueue } from "./step-queue.ts";
import { StoredMarketData } from "./stored-market-data.ts";

const SECOND_MS = 1000;
/** A timer can fire a moment before its time by the clock, and would find the second not over. */
const TIMER_EARLY_MS = 2;

export class Exchange implements ReadModel {
  readonly #options: ExchangeOptions;
  readonly #store: Store;
  readonly #queue: StepQueue;
  readonly #markets: LiveMarkets;
  readonly #marketData: StoredMarketData;
  readonly #listeners = new Set<StepListener>();
  #contract: ContractState;
  #cursor: LedgerCursor | undefined;
  #horizon;
  #timer: NodeJS.Timeout | undefined;
  #step = 0;
  readonly #ignored: Ignored = { mods: 0, trades: 0, skips: 0 };

  /**
   * Opens the store and loads what it holds. Throws a StoreError where the folder holds no store
   * that could go on. The clock moves nothing until `start` or `tick`.
   */
  static async open(options: ExchangeOptions): Promise<Exchange> {
    const { path, networkPassphrase, contract, backing } = options;
    const open = () => Store.open(path, { networkPassphrase, contract }, options.store);
    let store = await open();
    const markets = loadLive(options, store, {
      skipped: (owner, asset) => store.skipped(owner, asset),
      ordersSelling: (owner, asset) =>
        options.book?.ordersSelling(owner, asset) ?? store.history.ordersSelling(owner, asset),
    });
    // What a start reads once lies in pages all over the file: with the mapping they leave the
    // process.
    await store.close();
    store = await open();
    const exchange = new Exchange(options, store, markets);
    backing?.onUpdates(() => exchange.#queue.updatesPending());
    return exchange;
  }

  private constructor(options: ExchangeOptions, store: Store, markets: LiveMarkets) {
    this.#options = options;
    this.#store = store;
    this.#markets = markets;
    this.#contract = store.contract();
    this.#cursor = store.cursor();
    this.#horizon = store.horizon();
    this.#marketData = new StoredMarketData(store, options.clock, () => ({
      opened: this.#contract.markets,
      live: this.#markets.sorted(),
    }));
    this.#queue = new StepQueue({
      log: options.log,
      cursor: () => this.#cursor,
      startStep: async () => {
        await options.book?.ready();
        return this.#newStep();
      },
      store: (record) => store.commit([record]),
      prepare: (lifecycle, deltas) => this.#prepare(lifecycle, deltas),
      fillBook: async ({ changes, record, contract }) =>
        options.book?.prepare(changes, bookState(contract, record.cursor ?? this.#cursor)),
      show: (prepared) => this.#show(prepared),
      clockMove: () => planClock(store, this.#horizon, options.clock()),
      passClock: (horizon) => {
        this.#horizon = horizon;
      },
      meter: options.meter,
    });
  }

  /**
   * Takes the ledger after `cursor`; resolves once it is durable and visible. Several may wait;
   * they are stored together. Rejects with an ExchangeError where the ledger does not follow or
   * the exchange is closed; a commit that fails is tried again for as long as it takes.
   */
  apply(delta: LedgerDelta): Promise<void> {
    return this.#queue.apply(delta);
  }

  /** Applies the clock as it is now: resolves when no order is left on the wrong side of it. */
  tick(): Promise<void> {
    return this.#queue.tick();
  }

  /** Applies the clock at every full second from now on. */
  start(): void {
    const delay = SECOND_MS - (this.#options.clock() % SECOND_MS) + TIMER_EARLY_MS;
    this.#timer = setTimeout(() => {
      this.tick().catch((error: unknown) => {
        if (error instanceof ExchangeError && error.code === "closed") return;
        this.#options.log.error({ error }, "the clock could not be applied");
      });
      this.start();
    }, delay);
  }

  /** Finishes or drops the step in progress and closes the store. Waiting ledgers are rejected. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#queue.close();
    await this.#store.close();
  }

  /** Returns the way to stop listening. */
  onStep(listener: StepListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Pairs with live orders. */
  get liveMarketCount(): number {
    return this.#markets.sorted().length;
  }

  get storeSize(): StoreSize {
    return this.#store.size;
  }

  /** The last ledger processed, with what the next one must follow. */
  get cursor(): LedgerCursor | undefined {
    return this.#cursor;
  }

  /** Events since the start about orders that were never seen. */
  get ignored(): Readonly<Ignored> {
    return this.#ignored;
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

  liveOrders(
    filter: LiveOrderFilter,
    page: { readonly after?: Position; readonly limit: number },
  ): readonly Order[] {
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
    return this.#options.backing?.backing(owner, asset);
  }

  orderBacking(order: Order): OrderBacking | undefined {
    return this.#options.backing?.orderBacking(order);
  }

  accountBacking(owner: Address): readonly Backing[] {
    return this.#options.backing?.accountBacking(owner) ?? [];
  }

  ordersBacked(owner: Address, asset: Address): ReadonlyMap<OrderId, bigint> {
    return this.#options.backing?.ordersBacked(owner, asset) ?? new Map();
  }

  orderHistory(
    filter: { readonly owner?: string; readonly pair?: readonly [string, string] },
    page: Page,
  ): readonly Order[] {
    return this.#store.history.orders(filter, page);
  }

  trades(
    filter: { readonly trader?: string; readonly pair?: readonly [string, string] },
    page: Page,
  ): readonly (Trade | Swap)[] {
    return this.#store.history.trades(filter, page);
  }

  /** The first ledger from which order events are complete; undefined while none are kept. */
  get orderEventsFrom(): number | undefined {
    return this.#store.orderEvents.completeFrom();
  }

  orderEvents(filter: OrderEventFilter, page: Page): readonly OrderEvent[] {
    return this.#store.orderEvents.list(filter, page);
  }

  failures(
    filter: { readonly account?: string; readonly fn?: string },
    page: Page,
  ): readonly Failure[] {
    return this.#store.history.failures(filter, page);
  }

  #newStep(): Lifecycle {
    const stored = {
      onChain: (id: OrderId) => this.#store.onChain(id),
      contract: () => this.#contract,
    };
    return new Lifecycle(stored, this.#horizon, this.#cursor);
  }

  #prepare(lifecycle: Lifecycle, deltas: readonly LedgerDelta[]): PreparedStep {
    return prepareStep(lifecycle, deltas, {
      view: this.#options.backing,
      storedCandles: this.#store.candles,
      sells: (owner, asset) => this.#sells(owner, asset),
      shown: this.#cursor,
    });
  }

  /** How many live orders of the state shown do. */
  #sells(owner: Address, asset: Address): number {
    const { book } = this.#options;
    const orders =
      book === undefined
        ? this.#store.history.ordersSelling(owner, asset)
        : book.ordersSelling(owner, asset);
    return orders.length;
  }

  /** Makes a stored step visible. Synchronous: nobody sees a part of it. */
  #show({ deltas, record, orders, changes, events, ...prepared }: PreparedStep): void {
    this.#step += 1;
    this.#store.renew();
    this.#horizon = record.horizon;
    this.#cursor = record.cursor ?? this.#cursor;
    this.#contract = prepared.contract;
    this.#ignored.mods += prepared.ignored.mods;
    this.#ignored.trades += prepared.ignored.trades;
    this.#ignored.skips += prepared.ignored.skips;
    for (const { before, after } of orders) {
      if (before === undefined && after !== undefined) this.#markets.add(after);
      if (before !== undefined && after === undefined) this.#markets.remove(before);
    }
    if (prepared.backing !== undefined) this.#options.backing?.apply(prepared.backing);
    this.#options.book?.publish();
    this.#marketData.add(record.trades);

    const step = {
      ledgers: deltas.map(({ ledger, hash, closeTime }) => ({ ledger, hash, closeTime })),
      ledger: this.ledger ?? 0,
      closeTime: this.closeTime,
      changes,
      events,
    };
    for (const listener of this.#listeners) this.#tell(listener, step);
  }

  /** A listener that fails concerns nobody else: the step is stored and shown. */
  #tell(listener: StepListener, step: Step): void {
    try {
      listener(step);
    } catch (error) {
      this.#options.log.error({ error, ledger: step.ledger }, "a listener failed at a step");
    }
  }
}

function bookState({ frozen }: ContractState, cursor: LedgerCursor | undefined): BookState {
  return { ledger: cursor?.ledger ?? 0, closeTime: cursor?.closeTime ?? 0, frozen };
}

/**
 * Fills the book and the backing records with what the store holds, in one walk over the live
 * orders. Returns the markets that they make.
 */
function loadLive(
  { book, backing }: ExchangeOptions,
  store: Store,
  later: Pick<BackingStart, "skipped" | "ordersSelling">,
): LiveMarkets {
  const [contract, cursor] = [store.contract(), store.cursor()];
  const addressOf = (number: number) => store.addressOf(number);
  const tally = new LiveTally();
  const each: LiveOrders["each"] = (take) => {
    store.eachLiveRow((row) => {
      tally.add(row);
      take(row, tally);
    });
  };
  if (book === undefined) each(() => undefined);
  else book.load({ each, addressOf });
  const rows = backing === undefined ? new RowCopy() : store.backingRows();
  const changes = backing?.load({
    ledger: cursor?.ledger,
    closeTime: cursor?.closeTime ?? 0,
    markets: contract.markets,
    references: tally.references(addressOf),
    rows: (prefix) => rows.withPrefix(prefix),
    ...later,
  });
  book?.apply(changes ?? [], bookState(contract, cursor));
  const markets = new LiveMarkets();
  for (const { orders, ...assets } of tally.sides(addressOf)) markets.add(assets, orders);
  return markets;
}
