// The exchange contract: its functions by name, as spec'd for the test network's contract.
import {
  construct,
  delegate,
  freeze,
  requote,
  setFloor,
  setLedgerTime,
  setListingMinDays,
  setOracle,
  subsidize,
} from "./admin.ts";
import {
  argument,
  asAddress,
  asBool,
  asI128,
  asId,
  asU32,
  expectCount,
  field,
  missingFunction,
} from "./arguments.ts";
import { readCrossfill, readSwap, readTrade, readUpdate } from "./call.ts";
import { crossfill } from "./crossfill.ts";
import type { ExchangeConfig } from "./event.ts";
import type { ContractModel, ExchangeHost } from "./host.ts";
import { deriveOrderId } from "./order-id.ts";
import { swap } from "./swap.ts";
import { type DeriveOrderId, trade } from "./trade.ts";
import { update } from "./update.ts";
import type { Value } from "./value.ts";
import { configView, frozenView, marketView, orderView } from "./views.ts";

/** The exchange as deployed. */
export const exchange: ContractModel<ExchangeHost> = exchangeContract(deriveOrderId);

/** `deriveId` stands in for the id hash where a test fixes the ids. */
export function exchangeContract(deriveId: DeriveOrderId): ContractModel<ExchangeHost> {
  return (host, fn, args) => {
    switch (fn) {
      case "trade":
        return trade(host, readTrade(args), deriveId);
      case "update":
        return update(host, readUpdate(args));
      case "crossfill":
        return crossfill(host, readCrossfill(args));
      case "swap":
        return swap(host, readSwap(args));
      case "config":
        expectCount(args, 0);
        return configView(host);
      case "frozen":
        expectCount(args, 0);
        return frozenView(host);
      case "market":
        expectCount(args, 2);
        return marketView(host, asAddress(argument(args, 0)), asAddress(argument(args, 1)));
      case "order":
        expectCount(args, 1);
        return orderView(host, asId(argument(args, 0)));
      default:
        return runMarketFunction(host, fn, args);
    }
  };
}

function runMarketFunction(host: ExchangeHost, fn: string, args: readonly Value[]): Value {
  switch (fn) {
    case "requote":
      expectCount(args, 2);
      return requote(host, asAddress(argument(args, 0)), asAddress(argument(args, 1)));
    case "subsidize":
      expectCount(args, 4);
      return subsidize(host, {
        sponsor: asAddress(argument(args, 0)),
        selling: asAddress(argument(args, 1)),
        buying: asAddress(argument(args, 2)),
        amount: asI128(argument(args, 3)),
      });
    default:
      return runAdminFunction(host, fn, args);
  }
}

const ADMIN_FUNCTIONS: readonly string[] = [
  "__constructor",
  "freeze",
  "delegate",
  "set_oracle",
  "set_floor",
  "set_listing_min_days",
  "set_ledger_time",
];

function runAdminFunction(host: ExchangeHost, fn: string, args: readonly Value[]): Value {
  if (!ADMIN_FUNCTIONS.includes(fn)) return missingFunction(fn);
  expectCount(args, 1);
  const value = argument(args, 0);
  switch (fn) {
    case "__constructor":
      return construct(host, readConfig(value));
    case "freeze":
      return freeze(host, asBool(value));
    case "delegate":
      return delegate(host, asAddress(value));
    case "set_oracle":
      return setOracle(host, asAddress(value));
    case "set_floor":
      return setFloor(host, asI128(value));
    case "set_listing_min_days":
      return setListingMinDays(host, asU32(value));
    case "set_ledger_time":
      return setLedgerTime(host, asU32(value));
    default:
      return missingFunction(fn);
  }
}

function readConfig(value: Value): ExchangeConfig {
  return {
    ledgerTime: asU32(field(value, "ledger_time")),
    listingMinDays: asU32(field(value, "listing_min_days")),
    marketListingFee: asI128(field(value, "market_listing_fee")),
    minTradeSize: asI128(field(value, "min_trade_size")),
    oracle: asAddress(field(value, "oracle")),
    safetyAdmin: asAddress(field(value, "safety_admin")),
  };
}
