// What the exchange's functions take and return (sandbox limits of the published contract's interface;
// names of errors: the API's document).
import { ErrorCode } from "./error-code.ts";
import {
  defined,
  enumeration,
  errors,
  fn,
  option,
  Spec,
  specModule,
  struct,
  tuple,
  vecOf,
} from "./spec.ts";

const { address, bool, i128, u32, u64, u128 } = Spec;

/** By the names that the API document gives the codes. */
const ERRORS = Object.fromEntries(
  Object.entries(ErrorCode).map(([name, code]) => [name[0]?.toUpperCase() + name.slice(1), code]),
);

const direction = defined("TradeDirection");
const approval = defined("Approval");
const market = defined("Market");
const side = defined("MarketSide");

export const exchangeModule = specModule([
  fn("__constructor", { config: defined("Config") }),
  fn(
    "trade",
    {
      direction,
      kind: defined("OrderKind"),
      trader: address,
      amount: i128,
      selling: address,
      buying: address,
      price: i128,
      orders: vecOf(u128),
      nonce: u64,
      expires: u64,
      approve: option(approval),
    },
    tuple(i128, i128, option(u128)),
  ),
  fn(
    "update",
    { trader: address, updates: vecOf(defined("OrderUpdate")), approvals: vecOf(approval) },
    vecOf(u128),
  ),
  fn(
    "crossfill",
    { trader: address, taker_order_id: u128, orders: vecOf(u128) },
    tuple(i128, i128, i128),
  ),
  fn(
    "swap",
    {
      direction,
      trader: address,
      selling: address,
      selling_amount: i128,
      buying_amount: i128,
      path: vecOf(defined("TradeStep")),
      approve: option(approval),
    },
    tuple(i128, i128),
  ),
  fn("requote", { selling: address, buying: address }, option(market)),
  fn(
    "subsidize",
    { sponsor: address, selling: address, buying: address, amount: i128 },
    vecOf(u64),
  ),
  fn("config", {}, defined("Config")),
  fn("frozen", {}, bool),
  fn("market", { selling: address, buying: address }, option(market)),
  fn("order", { id: u128 }, option(defined("Order"))),
  fn("freeze", { frozen: bool }),
  fn("delegate", { safety_admin: address }),
  fn("set_oracle", { oracle: address }),
  fn("set_floor", { amount: i128 }),
  fn("set_listing_min_days", { days: u32 }),
  fn("set_ledger_time", { seconds: u32 }),
  enumeration("TradeDirection", { Sell: 1, Buy: 2 }),
  enumeration("OrderKind", { Limit: 1, Fill: 2, FillOrKill: 3 }),
  struct("Approval", { amount: i128, asset: address, live_until: u32 }),
  struct("OrderUpdate", { amount: i128, expires: u64, id: u128, price: i128 }),
  struct("TradeStep", { asset: address, orders: vecOf(u128) }),
  struct("Order", {
    amount: i128,
    buying: address,
    expires: u64,
    id: u128,
    owner: address,
    price: i128,
    selling: address,
  }),
  struct("Config", {
    ledger_time: u32,
    listing_min_days: u32,
    market_listing_fee: i128,
    min_trade_size: i128,
    oracle: address,
    safety_admin: address,
  }),
  struct("MarketSide", { asset: address, decimals: u32, listed: bool }),
  struct("Market", { base: side, created: u64, quote: side }),
  errors("Error", ERRORS),
]);
