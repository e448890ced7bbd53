// The exchange contract: its functions by name, and what they take and return (sandbox limits of the published
// contract's interface; names of errors: the API's document).
import { type Address, canonicalPair } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
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
  CALL_TYPES,
  crossfillParameters,
  swapParameters,
  tradeParameters,
  updateParameters,
} from "./call.ts";
import {
  address,
  bool,
  contractOf,
  i128,
  id,
  type Methods,
  method,
  specOf,
  structOf,
  u32,
  u64,
} from "./codec.ts";
import { crossfill } from "./crossfill.ts";
import { ErrorCode } from "./error-code.ts";
import { configCodec } from "./event.ts";
import type { ContractModel, ExchangeHost, OrderEntry } from "./host.ts";
import { MARKET_TYPES, marketValue } from "./market.ts";
import { isLive } from "./match.ts";
import { deriveOrderId } from "./order-id.ts";
import { defined, errors, option, specModule, tuple, vecOf } from "./spec.ts";
import { swap } from "./swap.ts";
import { type DeriveOrderId, trade } from "./trade.ts";
import { update } from "./update.ts";
import { type Value, VOID } from "./value.ts";

const order = structOf<OrderEntry & { readonly id: OrderId }>("Order", {
  amount: i128,
  buying: address,
  expires: u64,
  id,
  owner: address,
  price: i128,
  selling: address,
});
const config = { config: configCodec };
const assets = { selling: address, buying: address };
type Assets = { readonly selling: Address; readonly buying: Address };
const market = option(defined("Market"));

function methodsWith(deriveId: DeriveOrderId): Methods<ExchangeHost> {
  return {
    __constructor: method(config, undefined, (host, given) => construct(host, given.config)),
    trade: method(tradeParameters, tuple(i128.type, i128.type, option(id.type)), (host, call) =>
      trade(host, call, deriveId),
    ),
    update: method(updateParameters, vecOf(id.type), update),
    crossfill: method(crossfillParameters, tuple(i128.type, i128.type, i128.type), crossfill),
    swap: method(swapParameters, tuple(i128.type, i128.type), swap),
    requote: method(assets, market, (host, pair) => requote(host, pair.selling, pair.buying)),
    subsidize: method({ sponsor: address, ...assets, amount: i128 }, vecOf(u64.type), subsidize),
    config: method({}, configCodec.type, (host) => configCodec.write(host.instance.get().config)),
    frozen: method({}, bool.type, (host) => bool.write(host.instance.get().frozen)),
    market: method(assets, market, marketView),
    order: method({ id }, option(order.type), (host, given) => orderView(host, given.id)),
    freeze: method({ frozen: bool }, undefined, (host, given) => freeze(host, given.frozen)),
    delegate: method({ safetyAdmin: address }, undefined, (host, given) =>
      delegate(host, given.safetyAdmin),
    ),
    set_oracle: method({ oracle: address }, undefined, (host, given) =>
      setOracle(host, given.oracle),
    ),
    set_floor: method({ amount: i128 }, undefined, (host, given) => setFloor(host, given.amount)),
    set_listing_min_days: method({ days: u32 }, undefined, (host, given) =>
      setListingMinDays(host, given.days),
    ),
    set_ledger_time: method({ seconds: u32 }, undefined, (host, given) =>
      setLedgerTime(host, given.seconds),
    ),
  };
}

/** Void where there is no market of the two. */
function marketView(host: ExchangeHost, { selling, buying }: Assets): Value {
  const pair = canonicalPair(selling, buying);
  const entry = host.markets.get(pair);
  return entry === undefined ? VOID : marketValue(pair, entry);
}

/** Void where there is no such order, or it has expired. */
function orderView(host: ExchangeHost, of: OrderId): Value {
  const entry = host.orders.get(of);
  return entry === undefined || !isLive(host, entry) ? VOID : order.write({ ...entry, id: of });
}

/** `deriveId` stands in for the id hash where a test fixes the ids. */
export function exchangeContract(deriveId: DeriveOrderId): ContractModel<ExchangeHost> {
  return contractOf(methodsWith(deriveId));
}

export const exchange: ContractModel<ExchangeHost> = exchangeContract(deriveOrderId);

/** By the names that the API document gives the codes. */
const ERRORS = Object.fromEntries(
  Object.entries(ErrorCode).map(([name, code]) => [name[0]?.toUpperCase() + name.slice(1), code]),
);

export const exchangeModule = specModule([
  ...specOf(methodsWith(deriveOrderId)),
  ...[...CALL_TYPES, order, configCodec, ...MARKET_TYPES].map(({ entry }) => entry),
  errors("Error", ERRORS),
]);
