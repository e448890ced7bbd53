// Administration: settings of the safety admin, and the markets that anyone may open or refresh.
import { type Address, canonicalPair, type Pair } from "../../model/address.ts";
import { asI128, asU64 } from "./arguments.ts";
import { ErrorCode, fail } from "./error-code.ts";
import type { ExchangeConfig, ExchangeHost, MarketEntry, MarketSide } from "./host.ts";
import { isListed } from "./listing.ts";
import { marketValue } from "./market.ts";
import { isQuoted } from "./oracle-client.ts";
import { decimalsOf } from "./token.ts";
import { addressValue, i128, u64, type Value, VOID, vec } from "./value.ts";

/** Sets the configuration once, before anything else runs. */
export function construct(host: ExchangeHost, config: ExchangeConfig): Value {
  host.instance.set({ frozen: false, config });
  host.emit({ kind: "config", config });
  return VOID;
}

export function freeze(host: ExchangeHost, frozen: boolean): Value {
  const { config } = requireAdmin(host);
  host.instance.set({ frozen, config });
  host.emit({ kind: "freeze", frozen });
  return VOID;
}

export function delegate(host: ExchangeHost, safetyAdmin: Address): Value {
  return reconfigure(host, { safetyAdmin });
}

/** Throws 723 unless `oracle` answers as one; the listing fee follows its daily fee. */
export function setOracle(host: ExchangeHost, oracle: Address): Value {
  const { config } = requireAdmin(host);
  const marketListingFee = readDailyFee(host, oracle) * BigInt(config.listingMinDays);
  return reconfigure(host, { oracle, marketListingFee });
}

/** `amount`: least worth of an order, USD with 7 decimals; 0 disables. */
export function setFloor(host: ExchangeHost, amount: bigint): Value {
  if (amount < 0n) fail(host, ErrorCode.invalidAmount);
  return reconfigure(host, { minTradeSize: amount });
}

export function setListingMinDays(host: ExchangeHost, listingMinDays: number): Value {
  const { config } = requireAdmin(host);
  const marketListingFee = readDailyFee(host, config.oracle) * BigInt(listingMinDays);
  return reconfigure(host, { listingMinDays, marketListingFee });
}

/** `ledgerTime` in seconds. */
export function setLedgerTime(host: ExchangeHost, ledgerTime: number): Value {
  if (ledgerTime === 0) fail(host, ErrorCode.invalidAmount);
  return reconfigure(host, { ledgerTime });
}

/**
 * Opens a market, or checks it again, for `amount` of the listing-fee token, which goes to the
 * oracle. A new market takes at least the listing fee. Returns until when either asset's prices
 * are paid for, UNIX seconds.
 */
export function subsidize(host: ExchangeHost, call: SubsidizeCall): Value {
  host.requireAuth(call.sponsor);
  const { frozen, config } = host.instance.get();
  if (frozen) fail(host, ErrorCode.frozen);
  if (call.amount <= 0n) fail(host, ErrorCode.invalidAmount);
  if (call.selling === call.buying) fail(host, ErrorCode.invalidMatch);
  const pair = canonicalPair(call.selling, call.buying);
  const isNew = host.markets.get(pair) === undefined;
  if (isNew && call.amount < config.marketListingFee) fail(host, ErrorCode.invalidAmount);
  if (!isListed(refresh(host, pair))) fail(host, ErrorCode.assetsNotVerifiedByOracle);
  const funding = [addressValue(call.sponsor), i128(call.amount)];
  const paidUntil = u64(asU64(host.call(config.oracle, "fund", funding)));
  return vec([paidUntil, paidUntil]);
}

export type SubsidizeCall = {
  readonly sponsor: Address;
  readonly selling: Address;
  readonly buying: Address;
  readonly amount: bigint;
};

/** Checks a market against the oracle again; anyone may. Returns it, or void where there is none. */
export function requote(host: ExchangeHost, selling: Address, buying: Address): Value {
  if (host.instance.get().frozen) fail(host, ErrorCode.frozen);
  const pair = canonicalPair(selling, buying);
  if (host.markets.get(pair) === undefined) return VOID;
  return marketValue(pair, refresh(host, pair));
}

function refresh(host: ExchangeHost, pair: Pair): MarketEntry {
  const { oracle } = host.instance.get().config;
  const known = host.markets.get(pair);
  const check = (asset: Address, side: MarketSide | undefined): MarketSide => ({
    decimals: side?.decimals ?? decimalsOf(host, asset),
    listed: isQuoted(host, oracle, asset),
  });
  const market = {
    base: check(pair.base, known?.base),
    quote: check(pair.quote, known?.quote),
    created: known?.created ?? host.now,
  };
  host.markets.set(pair, market);
  host.emit({ kind: "refresh", ...pair });
  return market;
}

function requireAdmin(host: ExchangeHost): { readonly frozen: boolean; config: ExchangeConfig } {
  const instance = host.instance.get();
  host.requireAuth(instance.config.safetyAdmin);
  return instance;
}

function reconfigure(host: ExchangeHost, change: Partial<ExchangeConfig>): Value {
  const { frozen, config } = requireAdmin(host);
  const next = { ...config, ...change };
  host.instance.set({ frozen, config: next });
  host.emit({ kind: "config", config: next });
  return VOID;
}

/** Base units of the listing-fee token for a day of prices. */
function readDailyFee(host: ExchangeHost, oracle: Address): bigint {
  const outcome = host.tryCall(oracle, "daily_fee", []);
  if (!outcome.ok || outcome.value.type !== "i128") {
    return fail(host, ErrorCode.invalidOracleConfig);
  }
  return asI128(outcome.value);
}
