import type { Address } from "./address.ts";
import type { OrderId } from "./order.ts";
import type { Position } from "./position.ts";

/** One fill of a maker order. Amounts in base units, `timestamp` the ledger's close, UNIX seconds. */
export type Trade = {
  readonly type: "trade";
  readonly id: Position;
  readonly order: OrderId;
  readonly taker: Address;
  readonly maker: Address;
  readonly soldAsset: Address;
  readonly boughtAsset: Address;
  readonly sold: bigint;
  readonly bought: bigint;
  /** What the maker order has left; 0: filled and removed. */
  readonly left: bigint;
  /** The fill of a crossfill's taker order: excluded from candles and ticker. */
  readonly crossfill: boolean;
  readonly timestamp: number;
};

/** One swap call, on top of its hops' fills. Never add its amounts to fill volumes. */
export type Swap = {
  readonly type: "swap";
  readonly id: Position;
  readonly trader: Address;
  readonly soldAsset: Address;
  readonly boughtAsset: Address;
  readonly sold: bigint;
  readonly bought: bigint;
  readonly timestamp: number;
};
