import type { Address } from "./address.ts";
import type { Position } from "./position.ts";
import { U128_MAX } from "./settlement.ts";

declare const orderIdBrand: unique symbol;
/** The contract's u128 order id. Reused once an order is gone; `cursor` tells such orders apart. */
export type OrderId = bigint & { readonly [orderIdBrand]: true };

export const OrderStatus = {
  active: "ACTIVE",
  filled: "FILLED",
  canceled: "CANCELED",
  expired: "EXPIRED",
} as const;
export type OrderStatus = (typeof OrderStatus)[keyof typeof OrderStatus];

/** An order as the API knows it. Amounts in base units, times in UNIX seconds. */
export type Order = {
  readonly id: OrderId;
  readonly status: OrderStatus;
  readonly owner: Address;
  readonly selling: Address;
  readonly buying: Address;
  /** Buying base units per selling base unit, times 10^18. */
  readonly price: bigint;
  /** Selling amount at creation. */
  readonly quote: bigint;
  /** Selling amount left. */
  readonly amount: bigint;
  /** 0: never. */
  readonly expires: number;
  readonly created: number;
  readonly updated: number;
  /** Position of the event that created it. */
  readonly cursor: Position;
};

const ID_TEXT = /^[0-9]{1,39}$/;

/** The id, or undefined where `text` is not a non-negative decimal integer of at most 128 bits. */
export function parseOrderId(text: string): OrderId | undefined {
  if (!ID_TEXT.test(text)) return undefined;
  const value = BigInt(text);
  return value <= U128_MAX ? (value as OrderId) : undefined;
}

/** For ids from a decoder. Throws a RangeError outside u128. */
export function orderId(value: bigint): OrderId {
  if (value < 0n || value > U128_MAX) throw new RangeError(`no u128 order id: ${value}`);
  return value as OrderId;
}
