// The exchange's contract events (contract.md, Events) and their encoding as topics and data.
import type { Address } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import {
  addressValue,
  bool,
  i128,
  map,
  symbol,
  u32,
  u64,
  u128,
  type Value,
  VOID,
  vec,
} from "./value.ts";

/** Amounts in base units, USD with 7 decimals, `ledgerTime` in seconds. */
export type ExchangeConfig = {
  readonly ledgerTime: number;
  readonly listingMinDays: number;
  readonly marketListingFee: bigint;
  readonly minTradeSize: bigint;
  readonly oracle: Address;
  readonly safetyAdmin: Address;
};

export type ContractEvent =
  | {
      readonly kind: "new";
      readonly selling: Address;
      readonly buying: Address;
      readonly id: OrderId;
      readonly owner: Address;
      readonly price: bigint;
      readonly amount: bigint;
      readonly expires: bigint;
    }
  | {
      readonly kind: "mod";
      readonly id: OrderId;
      readonly price: bigint;
      readonly amount: bigint;
      readonly expires: bigint;
    }
  | {
      readonly kind: "trade";
      /** As the taker sold and bought. */
      readonly selling: Address;
      readonly buying: Address;
      readonly order: OrderId;
      readonly taker: Address;
      readonly maker: Address;
      readonly sold: bigint;
      readonly bought: bigint;
      readonly left: bigint;
    }
  | {
      readonly kind: "swap";
      readonly selling: Address;
      readonly buying: Address;
      readonly trader: Address;
      readonly sold: bigint;
      readonly bought: bigint;
    }
  | { readonly kind: "skip"; readonly id: OrderId }
  | { readonly kind: "refresh"; readonly base: Address; readonly quote: Address }
  | { readonly kind: "freeze"; readonly frozen: boolean }
  | { readonly kind: "config"; readonly config: ExchangeConfig };

export type EncodedEvent = { readonly topics: readonly Value[]; readonly data: Value };

export function encodeEvent(event: ContractEvent): EncodedEvent {
  return { topics: [symbol(event.kind), ...addressTopics(event)], data: eventData(event) };
}

function addressTopics(event: ContractEvent): readonly Value[] {
  switch (event.kind) {
    case "new":
    case "trade":
    case "swap":
      return [addressValue(event.selling), addressValue(event.buying)];
    case "refresh":
      return [addressValue(event.base), addressValue(event.quote)];
    case "mod":
    case "skip":
    case "freeze":
    case "config":
      return [];
  }
}

function eventData(event: ContractEvent): Value {
  switch (event.kind) {
    case "new":
      return vec([
        u128(event.id),
        addressValue(event.owner),
        i128(event.price),
        i128(event.amount),
        u64(event.expires),
      ]);
    case "mod":
      return vec([u128(event.id), i128(event.price), i128(event.amount), u64(event.expires)]);
    case "trade":
      return vec([
        u128(event.order),
        addressValue(event.taker),
        addressValue(event.maker),
        i128(event.sold),
        i128(event.bought),
        i128(event.left),
      ]);
    case "swap":
      return vec([addressValue(event.trader), i128(event.sold), i128(event.bought)]);
    case "skip":
      return u128(event.id);
    case "refresh":
      return VOID;
    case "freeze":
      return bool(event.frozen);
    case "config":
      return configValue(event.config);
  }
}

export function configValue(config: ExchangeConfig): Value {
  return map([
    ["ledger_time", u32(config.ledgerTime)],
    ["listing_min_days", u32(config.listingMinDays)],
    ["market_listing_fee", i128(config.marketListingFee)],
    ["min_trade_size", i128(config.minTradeSize)],
    ["oracle", addressValue(config.oracle)],
    ["safety_admin", addressValue(config.safetyAdmin)],
  ]);
}
