// The life cycle of orders under ledgers and the clock (api.md, Order states). Computes a step without touching
// anything: reads go to the last stored state and the step's own changes, and the result is dropped
// when it cannot be stored.
//
// Invariant: the state of an order whose entry is on-chain depends on the ledgers and on how far
// the clock has been applied (`horizon`) alone, not on which of the two came first. So a fill of an
// order that a fast clock has archived, or a clock set back, ends in the same state as a right clock would.
import { canonicalPair } from "../model/address.ts";
import type { ContractState, RegistryMarket } from "../model/contract-state.ts";
import type { Failure } from "../model/failure.ts";
import type { ExchangeEvent, LedgerDelta } from "../model/ledger-delta.ts";
import type { OrderId } from "../model/order.ts";
import type { NewOrderEvent } from "../model/order-event.ts";
import type { Position } from "../model/position.ts";
import type { Swap, Trade } from "../model/trade.ts";
import { isOnChain, type OrderRecord, OrderState, toOrder } from "../store/order-record.ts";
import type { Horizon, LedgerCursor, SkipRecord, StepRecord } from "../store/step-record.ts";
import type { Store } from "../store/store.ts";
import type { DomainEvent, OrderAction, OrderFill } from "./domain-event.ts";
import type { UnknownOrder } from "./step-meter.ts";

type EventOf<K extends ExchangeEvent["kind"]> = Extract<ExchangeEvent, { readonly kind: K }>;

/** Events about unknown orders change none; a trade is recorded all the same. */
export class Lifecycle {
  readonly #store: Pick<Store, "onChain">;
  // By the text of the id: V8 hashes a bigint by its low 64 bits alone, and ids are others' choice.
  readonly #byId = new Map<string, OrderRecord | undefined>();
  readonly #changes = new Map<Position, { before?: OrderRecord; after: OrderRecord }>();
  readonly #trades: (Trade | Swap)[] = [];
  readonly #failures: Failure[] = [];
  readonly #skips = new Map<string, SkipRecord>();
  readonly #markets = new Map<number, RegistryMarket>();
  readonly #events: DomainEvent[] = [];
  readonly #orderEvents: NewOrderEvent[] = [];
  readonly unknown: UnknownOrder[] = [];
  #contract: ContractState;
  #flagsChanged = false;
  #cursor: LedgerCursor | undefined;
  #horizon: Horizon;
  /** Of the ledger in progress, or shown last. */
  #ledger: number;
  #closeTime: number;

  /** Over the state shown; its `cursor` is undefined before the first ledger. */
  constructor(
    store: Pick<Store, "onChain">,
    shown: {
      readonly contract: ContractState;
      readonly horizon: Horizon;
      readonly cursor: LedgerCursor | undefined;
    },
  ) {
    const { contract, horizon, cursor } = shown;
    this.#store = store;
    this.#contract = contract;
    this.#horizon = horizon;
    this.#ledger = cursor?.ledger ?? 0;
    this.#closeTime = cursor?.closeTime ?? 0;
  }

  get contract(): ContractState {
    return this.#contract;
  }

  get events(): readonly DomainEvent[] {
    return this.#events;
  }

  /** In portions of one event. */
  *applyLedger(delta: LedgerDelta): Generator<void, void> {
    const { ledger, hash, closeTime, protocol, baseReserve } = delta;
    this.#ledger = ledger;
    this.#closeTime = closeTime;
    for (const event of delta.events) {
      this.#applyEvent(event);
      yield;
    }
    this.#failures.push(...delta.failures);
    this.#cursor = { ledger, hash, closeTime, protocol, baseReserve };
  }

  /**
   * Moves the horizon and, with it, the orders given: all on-chain whose expiration lies between
   * the old horizon and the new one. In portions of one order.
   */
  *moveHorizon(horizon: Horizon, ids: readonly OrderId[]): Generator<void, void> {
    this.#horizon = horizon;
    for (const id of ids) {
      const record = this.#find(id);
      if (record === undefined) continue;
      const state = this.#stateOf(record);
      if (state === record.state) continue;
      const moved = this.#put({ ...record, state });
      this.#tell(state === OrderState.lapsed ? "expire" : "update", moved, record);
      yield;
    }
  }

  /** What is to be stored of the ledgers and the clock. */
  record(): Omit<StepRecord, "backing" | "candles"> {
    const { frozen, config } = this.#contract;
    return {
      ...(this.#cursor && { cursor: this.#cursor }),
      horizon: this.#horizon,
      orders: [...this.#changes.values()],
      trades: this.#trades,
      failures: this.#failures,
      orderEvents: this.#orderEvents,
      ...(this.#flagsChanged && { contract: { frozen, ...(config && { config }) } }),
      markets: Array.from(this.#markets, ([number, market]) => ({ number, market })),
      skips: [...this.#skips.values()],
    };
  }

  #applyEvent(event: ExchangeEvent): void {
    switch (event.kind) {
      case "new":
        this.#create(event);
        break;
      case "mod":
        this.#modify(event);
        break;
      case "trade":
        this.#fill(event);
        break;
      case "swap":
        this.#swap(event);
        break;
      case "skip":
        this.#skip(event);
        break;
      case "refresh":
        this.#refresh(event);
        break;
      case "freeze":
        this.#setFlags("freeze", { ...this.#contract, frozen: event.frozen });
        break;
      case "config":
        this.#setFlags("config", { ...this.#contract, config: event.config });
        break;
    }
  }

  #create(event: EventOf<"new">): void {
    this.#letGo(event.id);
    const live: OrderRecord = {
      id: event.id,
      owner: event.owner,
      selling: event.selling,
      buying: event.buying,
      price: event.price,
      quote: event.amount,
      amount: event.amount,
      expires: event.expires,
      created: this.#closeTime,
      changed: this.#closeTime,
      cursor: event.position,
      state: OrderState.live,
    };
    this.#tell("new", live);
    this.#lapse(this.#put({ ...live, state: this.#stateOf(live) }));
  }

  /** An id that a new order takes: the old one has expired on-chain, whatever our clock says. */
  #letGo(id: OrderId): void {
    const old = this.#find(id);
    if (old === undefined) return;
    const gone = this.#put({ ...old, state: OrderState.expired });
    if (old.state === OrderState.live) this.#tell("expire", gone, old);
  }

  #modify(event: EventOf<"mod">): void {
    const old = this.#findFor("mod", event.id);
    if (old === undefined) return;
    const changed = this.#closeTime;
    if (event.amount === 0n) {
      const gone = this.#put({ ...old, changed, state: OrderState.canceled });
      this.#tell("cancel", gone, old);
      return;
    }
    const { price, amount, expires } = event;
    const next = { ...old, price, amount, expires, changed };
    const put = this.#put({ ...next, state: this.#stateOf(next) });
    // An order that our clock lapses by this very change was updated while it was live.
    const lapses = old.state === OrderState.live && put.state === OrderState.lapsed;
    this.#tell("update", lapses ? { ...put, state: OrderState.live } : put, old);
    if (lapses) this.#lapse(put);
  }

  #fill(event: EventOf<"trade">): void {
    const trade: Trade = {
      type: "trade",
      id: event.position,
      order: event.order,
      taker: event.taker,
      maker: event.maker,
      soldAsset: event.soldAsset,
      boughtAsset: event.boughtAsset,
      sold: event.sold,
      bought: event.bought,
      left: event.left,
      crossfill: event.crossfill,
      timestamp: this.#closeTime,
    };
    this.#trades.push(trade);
    const old = this.#findFor("trade", trade.order);
    if (old !== undefined) this.#fillOrder(old, trade);
    const market = canonicalPair(trade.soldAsset, trade.boughtAsset);
    this.#events.push({ kind: "trade", market, trade });
  }

  #fillOrder(old: OrderRecord, trade: Trade): void {
    const isFilled = trade.left === 0n;
    const state = isFilled ? OrderState.filled : old.state;
    const after = this.#put({ ...old, amount: trade.left, changed: trade.timestamp, state });
    this.#tell(isFilled ? "filled" : "fill", after, old, {
      sold: trade.bought,
      bought: trade.sold,
      taker: trade.taker,
      trade: trade.id,
      ts: trade.timestamp,
      crossfill: trade.crossfill,
    });
  }

  #swap({ position, trader, soldAsset, boughtAsset, sold, bought }: EventOf<"swap">): void {
    const timestamp = this.#closeTime;
    const swap: Swap = {
      ...{ type: "swap", id: position, trader, soldAsset, boughtAsset, sold, bought, timestamp },
    };
    this.#trades.push(swap);
    this.#events.push({ kind: "swap", swap });
  }

  #skip({ id }: EventOf<"skip">): void {
    const order = this.#findFor("skip", id);
    if (order === undefined) return;
    const { owner, selling: asset } = order;
    this.#skips.set(`${owner}/${asset}`, { owner, asset, time: this.#closeTime });
  }

  #refresh(event: EventOf<"refresh">): void {
    const { base, quote } = canonicalPair(event.base, event.quote);
    const { markets } = this.#contract;
    const refreshed = this.#closeTime;
    const known = markets.findIndex(({ pair }) => pair.base === base && pair.quote === quote);
    const number = known === -1 ? markets.length : known;
    const old = markets[known];
    const market = { pair: { base, quote }, created: old?.created ?? refreshed, refreshed };
    this.#markets.set(number, market);
    this.#contract = {
      ...this.#contract,
      markets: old === undefined ? [...markets, market] : markets.with(number, market),
    };
    const { contract } = this;
    this.#events.push({ kind: "contract", change: "market", market: market.pair, contract });
  }

  #setFlags(change: "freeze" | "config", contract: ContractState): void {
    this.#flagsChanged = true;
    this.#contract = contract;
    this.#events.push({ kind: "contract", change, contract });
  }

  /** `before`: the order before it; absent where it is new. */
  #tell(action: OrderAction, record: OrderRecord, before?: OrderRecord, fill?: OrderFill): void {
    const order = toOrder(record);
    this.#events.push({ kind: "order", action, order, ...(fill && { fill }) });
    const isLive = record.state === OrderState.live;
    const revives = action === "update" && isLive && before?.state !== OrderState.live;
    this.#orderEvents.push({
      type: "order",
      ledger: this.#ledger,
      timestamp: this.#closeTime,
      cause: revives ? "revive" : action,
      order,
      isLive,
      wasLive: before?.state === OrderState.live,
      ...(before && { before: { ...termsOf(before), updated: before.changed } }),
      ...(fill && { trade: fill.trade }),
    });
  }

  #lapse(record: OrderRecord): void {
    if (record.state !== OrderState.lapsed) return;
    this.#tell("expire", record, { ...record, state: OrderState.live });
  }

  /** Live or lapsed, of an order on-chain. */
  #stateOf({ expires, cursor }: { expires: number; cursor: Position }): OrderState {
    if (expires === 0) return OrderState.live;
    const { time, cursor: last } = this.#horizon;
    const isPast = expires < time || (expires === time && cursor <= last);
    return isPast ? OrderState.lapsed : OrderState.live;
  }

  #findFor(event: UnknownOrder["event"], order: OrderId): OrderRecord | undefined {
    const found = this.#find(order);
    if (found === undefined) this.unknown.push({ event, order, ledger: this.#ledger });
    return found;
  }

  #find(id: OrderId): OrderRecord | undefined {
    const key = id.toString(16);
    const known = this.#byId.get(key);
    if (known !== undefined || this.#byId.has(key)) return known;
    const record = this.#store.onChain(id);
    this.#byId.set(key, record);
    return record;
  }

  #put(record: OrderRecord): OrderRecord {
    const change = this.#changes.get(record.cursor);
    if (change !== undefined) {
      change.after = record;
    } else {
      const before = this.#find(record.id);
      const isSame = before?.cursor === record.cursor;
      this.#changes.set(record.cursor, { ...(isSame && { before }), after: record });
    }
    this.#byId.set(record.id.toString(16), isOnChain(record) ? record : undefined);
    return record;
  }
}

function termsOf({ price, amount, expires }: OrderRecord) {
  return { price, amount, expires };
}
