// The exchange's functions with their arguments (contract.md, Functions and arguments): typed here,
// Values on the wire. Amounts in base units, prices times 10^18, times in UNIX seconds.
import type { Address } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import {
  address,
  i128,
  id,
  list,
  named,
  oneOf,
  optional,
  parametersOf,
  structOf,
  u32,
  u64,
} from "./codec.ts";

export const Direction = { sell: 1, buy: 2 } as const;
export type Direction = (typeof Direction)[keyof typeof Direction];

export const TradeKind = { limit: 1, fill: 2, fillOrKill: 3 } as const;
export type TradeKind = (typeof TradeKind)[keyof typeof TradeKind];

/** An allowance the trader grants the exchange in the same call; `liveUntil` is a ledger. */
export type Approval = {
  readonly asset: Address;
  readonly amount: bigint;
  readonly liveUntil: number;
};

export type TradeCall = {
  readonly direction: Direction;
  readonly kind: TradeKind;
  readonly trader: Address;
  /** Sell: of `selling`. Buy: of `buying`. */
  readonly amount: bigint;
  readonly selling: Address;
  readonly buying: Address;
  /** Sell: least `buying` per `selling`. Buy: most `selling` per `buying`. */
  readonly price: bigint;
  readonly orders: readonly OrderId[];
  readonly nonce: bigint;
  readonly expires: bigint;
  readonly approve?: Approval | undefined;
};

/** `amount` 0 removes the order. */
export type OrderUpdate = {
  readonly id: OrderId;
  readonly amount: bigint;
  readonly price: bigint;
  readonly expires: bigint;
};

export type UpdateCall = {
  readonly trader: Address;
  readonly updates: readonly OrderUpdate[];
  readonly approvals: readonly Approval[];
};

export type CrossfillCall = {
  readonly trader: Address;
  readonly takerOrder: OrderId;
  readonly orders: readonly OrderId[];
};

/** One hop: the asset bought and the orders listed. */
export type SwapHop = { readonly asset: Address; readonly orders: readonly OrderId[] };

export type SwapCall = {
  readonly direction: Direction;
  readonly trader: Address;
  readonly selling: Address;
  /** Sell: exact input. Buy: most input. */
  readonly sellingAmount: bigint;
  /** Sell: least output. Buy: exact output. */
  readonly buyingAmount: bigint;
  readonly path: readonly SwapHop[];
  readonly approve?: Approval | undefined;
};

const direction = oneOf<Direction>("TradeDirection", { Sell: 1, Buy: 2 });
const kind = oneOf<TradeKind>("OrderKind", { Limit: 1, Fill: 2, FillOrKill: 3 });
const approval = structOf<Approval>("Approval", {
  asset: address,
  amount: i128,
  liveUntil: u32,
});
const orderUpdate = structOf<OrderUpdate>("OrderUpdate", {
  id,
  amount: i128,
  price: i128,
  expires: u64,
});
const hop = structOf<SwapHop>("TradeStep", { asset: address, orders: list(id) });

/** The types that calls name, for the contract's specification. */
export const CALL_TYPES = [direction, kind, approval, orderUpdate, hop];

export const tradeParameters = parametersOf<TradeCall>({
  direction,
  kind,
  trader: address,
  amount: i128,
  selling: address,
  buying: address,
  price: i128,
  orders: list(id),
  nonce: u64,
  expires: u64,
  approve: optional(approval),
});
export const updateParameters = parametersOf<UpdateCall>({
  trader: address,
  updates: list(orderUpdate),
  approvals: list(approval),
});
export const crossfillParameters = parametersOf<CrossfillCall>({
  trader: address,
  takerOrder: named("taker_order_id", id),
  orders: list(id),
});
export const swapParameters = parametersOf<SwapCall>({
  direction,
  trader: address,
  selling: address,
  sellingAmount: i128,
  buyingAmount: i128,
  path: list(hop),
  approve: optional(approval),
});
