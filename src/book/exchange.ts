// The exchange of the main thread, put together: what a start loads, the pipeline that takes ledgers in,
// and the state that it shows. Whatever anyone sees is of one ledger and durable.
import type { Address } from "../model/address.ts";
import type { LedgerDelta } from "../model/ledger-delta.ts";
import { inTurns } from "../model/slice-turns.ts";
import { RowCopy } from "../store/row-copy.ts";
import { Store, type StoreOptions } from "../store/store.ts";
import { LiveMarkets } from "./live-markets.ts";
import { LiveTally } from "./live-tally.ts";
import { ShownState } from "./shown-state.ts";
import { type BackingStart, bookState, type LiveOrders } from "./step.ts";
import { ExchangeError, type StepOptions, StepPipeline } from "./step-pipeline.ts";

const SECOND_MS = 1000;
/** A timer can fire a moment before its time by the clock, and would find the second not over. */
const TIMER_EARLY_MS = 2;

export type ExchangeOptions = StepOptions & {
  /** Folder of the store; made when missing. */
  readonly path: string;
  readonly networkPassphrase: string;
  readonly contract: Address;
  readonly store?: StoreOptions;
};

export class Exchange {
  /** What can be read, of the ledger shown. */
  readonly state: ShownState;
  /** The pipeline alone writes it. */
  readonly store: Store;
  readonly #options: ExchangeOptions;
  readonly #pipeline: StepPipeline;
  #timer: NodeJS.Timeout | undefined;
  /** One at a time: a step that cannot be stored is tried for hours. */
  #ticking: Promise<void> | undefined;

  /**
   * Opens the store and loads what it holds. Throws a StoreError where the folder holds no store
   * that could go on. The clock moves nothing until `start` or `tick`.
   */
  static async open(options: ExchangeOptions): Promise<Exchange> {
    const { path, networkPassphrase, contract, backing } = options;
    const store = await Store.open(path, { networkPassphrase, contract }, options.store);
    const markets = loadLive(options, store, {
      skipped: (owner, asset) => store.skipped(owner, asset),
      ordersSelling: (owner, asset) =>
        options.book?.ordersSelling(owner, asset) ?? store.history.ordersSelling(owner, asset),
      eachSelling: (owner, asset) =>
        options.book?.eachSelling(owner, asset) ?? store.history.ordersSelling(owner, asset),
    });
    const exchange = new Exchange(options, store, markets);
    backing?.onUpdates(() => exchange.#pipeline.updatesPending());
    return exchange;
  }

  private constructor(options: ExchangeOptions, store: Store, markets: LiveMarkets) {
    this.#options = options;
    this.store = store;
    const { backing: backings, clock } = options;
    this.state = new ShownState({ store, markets, backings, clock });
    this.#pipeline = new StepPipeline({ ...options, store, state: this.state });
  }

  /**
   * Takes the ledger after `cursor`; resolves once it is durable and visible. Several may wait;
   * they are stored together. Rejects with an ExchangeError where the ledger does not follow or
   * the exchange is closed; a commit that fails is tried again for as long as it takes.
   */
  apply(delta: LedgerDelta): Promise<void> {
    return this.#pipeline.apply(delta);
  }

  /** Applies the clock as it is now: resolves when no order is left on the wrong side of it. */
  tick(): Promise<void> {
    return this.#pipeline.tick();
  }

  /** Applies the clock at every full second from now on. */
  start(): void {
    const delay = SECOND_MS - (this.#options.clock() % SECOND_MS) + TIMER_EARLY_MS;
    this.#timer = setTimeout(() => {
      this.#ticking ??= this.#tickAndLog();
      this.start();
    }, delay);
  }

  async #tickAndLog(): Promise<void> {
    try {
      await this.tick();
    } catch (error) {
      if (error instanceof ExchangeError && error.code === "closed") return;
      this.#options.log.error({ error }, "the clock could not be applied");
    } finally {
      this.#ticking = undefined;
    }
  }

  /**
   * Reads what a list of order events needs, in slices, before anybody waits for it. Resolves early once aborted;
   * rejects with a StoreError where the store is damaged.
   */
  restored(signal: AbortSignal): Promise<void> {
    return inTurns(this.store.orderEvents.load(), signal);
  }

  /** Finishes or drops the step in progress and closes the store. Waiting ledgers are rejected. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#pipeline.close();
    await this.store.close();
  }
}

/**
 * Fills the book and the backing records with what the store holds, in one walk over the live
 * orders. Returns the markets that they make.
 */
function loadLive(
  { book, backing }: ExchangeOptions,
  store: Store,
  later: Pick<BackingStart, "skipped" | "ordersSelling" | "eachSelling">,
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
