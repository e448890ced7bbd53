import type { Address, Pair } from "../model/address.ts";
import type { Candle } from "../model/candle.ts";
import type { RegistryMarket } from "../model/contract-state.ts";
import type { Failure } from "../model/failure.ts";
import type { NewOrderEvent } from "../model/order-event.ts";
import type { Position } from "../model/position.ts";
import type { Swap, Trade } from "../model/trade.ts";
import type { ContractFlags } from "./contract-record.ts";
import type { OrderRecord } from "./order-record.ts";

/** The last ledger whose records are stored. `closeTime` in UNIX seconds, `baseReserve` stroops. */
export type LedgerCursor = {
  readonly ledger: number;
  readonly hash: string;
  readonly closeTime: number;
  readonly protocol: number;
  readonly baseReserve: number;
};

/**
 * How far the clock has been applied: every order on-chain whose (expires, cursor) is not above it
 * is lapsed, every other one is live.
 */
export type Horizon = { readonly time: number; readonly cursor: Position };

export type OrderChange = {
  /** Absent where the order is new. */
  readonly before?: OrderRecord;
  readonly after: OrderRecord;
};

export type SkipRecord = {
  readonly owner: Address;
  readonly asset: Address;
  /** UNIX seconds. */
  readonly time: number;
};

/** A market's candles after a step (candle-table.ts). The pair is canonical. */
export type CandleChange = {
  readonly pair: Pair;
  /** The newest candle of the finest resolution. */
  readonly newest: Candle;
  /** The parts of the coarser ones; absent where they did not change. */
  readonly parts?: readonly Candle[];
  readonly closed: readonly { readonly resolution: number; readonly candle: Candle }[];
};

/** Everything that one step writes, atomically. */
export type StepRecord = {
  /** Absent where the clock or updates of the backing records alone moved. */
  readonly cursor?: LedgerCursor;
  readonly horizon: Horizon;
  /** One an order (its cursor). */
  readonly orders: readonly OrderChange[];
  readonly trades: readonly (Trade | Swap)[];
  readonly failures: readonly Failure[];
  /** In chain order. */
  readonly orderEvents: readonly NewOrderEvent[];
  /** Absent where nothing changed. */
  readonly contract?: ContractFlags;
  /** New or refreshed markets, with their number in the order first seen. */
  readonly markets: readonly { readonly number: number; readonly market: RegistryMarket }[];
  readonly skips: readonly SkipRecord[];
  readonly candles: readonly CandleChange[];
  /** Rows of the backing records (book/step.ts); no value: removed. */
  readonly backing: readonly { readonly key: string; readonly value?: Uint8Array }[];
};
