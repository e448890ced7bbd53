// The read model, the rest of the process's view of the exchange's state: the newest ledger that is both
// durable and applied. Main thread only; every answer is of one ledger.
import type { Pair } from "../model/address.ts";
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
import type { BackingReads, StepListener } from "./step.ts";

export interface ReadModel extends BackingReads {
  /** Last ledger processed; undefined until there was one. */
  readonly ledger: number | undefined;
  /** Changes with every state that is shown: what was read under one value is of one state. */
  readonly step: number;
  readonly contract: ContractState;
  readonly liveOrderCount: number;
  /** Calls the listener once a step is shown; returns what ends that. */
  onStep(listener: StepListener): () => void;
  liveOrder(id: OrderId): Order | undefined;
  /** Oldest first by creation. */
  liveOrders(filter: LiveOrderFilter, page: OldestPage): readonly Order[];
  /** Pairs with live orders, in canonical pair order. */
  liveMarkets(): readonly Pair[];
  orderHistory(filter: OrderFilter, page: NewestPage): readonly Order[];
  trades(filter: TradeFilter, page: NewestPage): readonly (Trade | Swap)[];
  /** The first ledger from which order events are complete; undefined while none are kept. */
  readonly orderEventsFrom: number | undefined;
  orderEvents(filter: OrderEventFilter, page: NewestPage): readonly OrderEvent[];
  failures(filter: FailureFilter, page: NewestPage): readonly Failure[];
}
