// A market as the exchange keeps it and as its functions return it: a struct of both sides.
import type { Address, Pair } from "../../model/address.ts";
import { address, bool, structOf, u32, u64 } from "./codec.ts";
import type { MarketEntry, MarketSide } from "./host.ts";
import type { Value } from "./value.ts";

const side = structOf<MarketSide & { readonly asset: Address }>("MarketSide", {
  asset: address,
  decimals: u32,
  listed: bool,
});
const market = structOf("Market", { base: side, created: u64, quote: side });
/** For the contract's specification. */
export const MARKET_TYPES = [side, market];

export function marketValue(pair: Pair, { base, quote, created }: MarketEntry): Value {
  return market.write({
    base: { ...base, asset: pair.base },
    created: BigInt(created),
    quote: { ...quote, asset: pair.quote },
  });
}

/** Throws a CallFailure where `value` is no market. */
export function marketEntry(value: Value): MarketEntry {
  const { base, quote, created } = market.read(value);
  return { base, quote, created: Number(created) };
}
