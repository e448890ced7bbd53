// What the functions of the network's other contracts take and return.
import { ROUTER_REJECTED } from "./router.ts";
import { defined, errors, fn, option, Spec, specModule, struct, vecOf } from "./spec.ts";

const { address, bool, i128, string, symbol, u32, u64, val } = Spec;

const price = option(defined("PriceData"));

export const oracleModule = specModule([
  fn("lastprice", { asset: address }, price),
  fn("daily_fee", {}, i128),
  fn("fund", { sponsor: address, amount: i128 }, u64),
  struct("PriceData", { price: i128, timestamp: u64 }),
]);

const calls = vecOf(defined("RoutedCall"));

export const routerModule = specModule([
  fn("run", { calls }, vecOf(bool)),
  fn("run_then_fail", { calls }),
  struct("RoutedCall", { args: vecOf(val), caught: bool, contract: address, fn: symbol }),
  errors("Error", { Rejected: ROUTER_REJECTED }),
]);

export const plainTokenModule = specModule([
  fn("balance", { id: address }, i128),
  fn("allowance", { from: address, spender: address }, i128),
  fn("decimals", {}, u32),
  fn("name", {}, string),
  fn("symbol", {}, string),
  fn("approve", { from: address, spender: address, amount: i128, expiration_ledger: u32 }),
  fn("transfer", { from: address, to: address, amount: i128 }),
  fn("transfer_from", { spender: address, from: address, to: address, amount: i128 }),
  fn("mint", { to: address, amount: i128 }),
  errors("Error", { NegativeAmount: 8, Allowance: 9, Balance: 10, Overflow: 12 }),
]);
