// What the safety admin sets, and the markets anyone may open or refresh.
import { type Address, canonicalPair } from "../../model/address.ts";
import { asI128 } from "./arguments.ts";
import { ErrorCode } from "./error-code.ts";
import type { ExchangeConfig } from "./event.ts";
import { fail } from "./fail.ts";
import type { ExchangeHost } from "./host.ts";
import { readPrice } from "./oracle-client.ts";
import { addressValue, i128, type Value, VOID } from "./value.ts";

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
 * oracle. The first time it must be at least the listing fee.
 */
export function subsidize(host: ExchangeHost, call: SubsidizeCall): Value {
  host.requireAuth(call.sponsor);
  const { frozen, config } = host.instance.get();
  if (frozen) fail(host, ErrorCode.frozen);
  if (call.selling === call.buying) fail(host, ErrorCode.invalidMatch);
  const opened = host.markets.get(canonicalPair(call.selling, call.buying)) !== undefined;
  if (call.amount < (opened ? 0n : config.marketListingFee)) fail(host, ErrorCode.invalidAmount);
  if (call.amount > 0n) {
    host.call(config.oracle, "fund", [addressValue(call.sponsor), i128(call.amount)]);
  }
  return refresh(host, call.selling, call.buying);
}

export type SubsidizeCall = {
  readonly sponsor: Address;
  readonly selling: Address;
  readonly buying: Address;
  readonly amount: bigint;
};

/** Checks an open market against the oracle again; anyone may. */
export function requote(host: ExchangeHost, selling: Address, buying: Address): Value {
  if (selling === buying) fail(host, ErrorCode.invalidMatch);
  if (host.markets.get(canonicalPair(selling, buying)) === undefined) {
    fail(host, ErrorCode.assetsNotVerified);
  }
  return refresh(host, selling, buying);
}

function refresh(host: ExchangeHost, selling: Address, buying: Address): Value {
  const { oracle } = host.instance.get().config;
  for (const token of [selling, buying]) readPrice(host, oracle, token);
  const pair = canonicalPair(selling, buying);
  host.markets.set(pair, host.now);
  host.emit({ kind: "refresh", ...pair });
  return VOID;
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
