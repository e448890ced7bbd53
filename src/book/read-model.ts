// The read model, the rest of the process's view of the exchange's state: the newest ledger that is both
// durable and applied. Main thread only; every answer, of whatever part, is of one ledger.
import type { ContractState } from "../model/contract-state.ts";
import type { History } from "../store/history.ts";
import type { OrderEvents } from "../store/order-events.ts";
import type { BackingRecords } from "./backing/backing-records.ts";
import type { LiveMarkets } from "./live-markets.ts";
import type { MarketData } from "./market-data.ts";
import type { StepListener } from "./step.ts";

export type BackingReads = Pick<
  BackingRecords,
  "backing" | "orderBacking" | "accountBacking" | "ordersBacked"
>;

export interface ReadModel {
  /** Last ledger processed; undefined until there was one. */
  readonly ledger: number | undefined;
  /** Changes with every state that is shown: what was read under one value is of one state. */
  readonly step: number;
  readonly contract: ContractState;
  /** Pairs with live orders. */
  readonly markets: Pick<LiveMarkets, "orderCount" | "sorted">;
  readonly history: Pick<History, "liveOrder" | "liveOrders" | "orders" | "trades" | "failures">;
  readonly orderEvents: Pick<OrderEvents, "list" | "completeFrom">;
  readonly backings: BackingReads;
  /** Candles, ticker and totals. */
  readonly marketData: Pick<MarketData, "candles" | "ticker" | "dayTotals">;
  /** Calls the listener once a step is shown; returns what ends that. */
  onStep(listener: StepListener): () => void;
}
