// The read model, the rest of the process's view of the exchange's state: the newest ledger that is both
// durable and applied. Main thread only; every answer is of one ledger.
import type { Address, Pair } from "../model/address.ts";
import type { Backing, OrderBacking, SharesBlock } from "../model/backing.ts";
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
import type { StepListener } from "./step.ts";

export interface ReadModel {
  /** Last ledger processed; undefined until there was one. */
  readonly ledger: number | undefined;
  /** Changes with every state that is shown: what was read under one value is of one state. */
  readonly step: number;
  /** Close time of `ledger`, UNIX seconds; 0 until there was one. */
  readonly closeTime: number;
  readonly contract: ContractState;
  readonly liveOrderCount: number;
  /** Calls the listener once a step is shown; returns what ends that. */
  onStep(listener: StepListener): () => void;
  liveOrder(id: OrderId): Order | undefined;
  /** Oldest first by creation. */
  liveOrders(filter: LiveOrderFilter, page: OldestPage): readonly Order[];
  /** Pairs with live orders, in canonical pair order. */
  liveMarkets(): readonly Pair[];
  /** Undefined where the owner and asset are not tracked. */
  backing(owner: Address, asset: Address): Backing | undefined;
  /** Of a live order; undefined without tracked backing. */
  orderBacking(order: Order): OrderBacking | undefined;
  /** Loaded backing records of an owner, by asset; none where nothing is tracked. */
  accountBacking(owner: Address): readonly Backing[];
  /**
   * What each live order of the owner that sells the asset gets of the budget, oldest first, in blocks: one that is
   * the same object as before says the same.
   */
  ordersBacked(owner: Address, asset: Address): readonly SharesBlock[];
  orderHistory(filter: OrderFilter, page: NewestPage): readonly Order[];
  trades(filter: TradeFilter, page: NewestPage): readonly (Trade | Swap)[];
  /** The first ledger from which order events are complete; undefined while none are kept. */
  readonly orderEventsFrom: number | undefined;
  orderEvents(filter: OrderEventFilter, page: NewestPage): readonly OrderEvent[];
  failures(filter: FailureFilter, page: NewestPage): readonly Failure[];
}
