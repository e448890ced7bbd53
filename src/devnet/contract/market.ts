// A market as the exchange keeps it and as its functions return it: a struct of both sides.
import type { Address, Pair } from "../../model/address.ts";
import { asBool, asU32, asU64, field } from "./arguments.ts";
import type { MarketEntry, MarketSide } from "./host.ts";
import { addressValue, bool, map, u32, u64, type Value } from "./value.ts";

export function marketValue(pair: Pair, { base, quote, created }: MarketEntry): Value {
  return map([
    ["base", sideValue(pair.base, base)],
    ["created", u64(BigInt(created))],
    ["quote", sideValue(pair.quote, quote)],
  ]);
}

function sideValue(asset: Address, { decimals, listed }: MarketSide): Value {
  return map([
    ["asset", addressValue(asset)],
    ["decimals", u32(decimals)],
    ["listed", bool(listed)],
  ]);
}

/** Throws a CallFailure where `value` is no market. */
export function marketEntry(value: Value): MarketEntry {
  return {
    base: marketSide(field(value, "base")),
    quote: marketSide(field(value, "quote")),
    created: Number(asU64(field(value, "created"))),
  };
}

function marketSide(value: Value): MarketSide {
  return { decimals: asU32(field(value, "decimals")), listed: asBool(field(value, "listed")) };
}
