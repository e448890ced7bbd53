// The exchange's contract events (contract.md, Events) and their encoding as topics and data.
import * as codec from "./codec.ts";
import { structOf } from "./codec.ts";
import type { ContractEvent, ExchangeConfig } from "./host.ts";
import { addressValue, bool, i128, symbol, u64, u128, type Value, VOID, vec } from "./value.ts";

export const configCodec = structOf<ExchangeConfig>("Config", {
  ledgerTime: codec.u32,
  listingMinDays: codec.u32,
  marketListingFee: codec.i128,
  minTradeSize: codec.i128,
  oracle: codec.address,
  safetyAdmin: codec.address,
});

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
      return configCodec.write(event.config);
  }
}
