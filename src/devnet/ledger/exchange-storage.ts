// How the exchange contract's storage is written: order entries (contract.md, Events, "Order entry
// on-chain") and its instance storage.
import type { ScValWire } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";
import { configValue, type ExchangeConfig } from "../contract/event.ts";
import type { ExchangeInstance, OrderEntry } from "../contract/host.ts";
import { addressValue, bool, i128, u64, type Value, vec } from "../contract/value.ts";
import { symbolWire, valueFromWire, valueWire } from "./sc-val.ts";

export function orderValue(order: OrderEntry): Value {
  const fields = [
    addressValue(order.owner),
    addressValue(order.selling),
    addressValue(order.buying),
    i128(order.amount),
    i128(order.price),
  ];
  return vec(order.expires === 0n ? fields : [...fields, u64(order.expires)]);
}

/** Throws a TypeError where `value` is no order entry. */
export function orderEntry(value: Value): OrderEntry {
  if (value.type !== "vec") throw new TypeError("an order entry that is no vec");
  const [owner, selling, buying, amount, price, expires] = value.value;
  return {
    owner: addressOf(owner),
    selling: addressOf(selling),
    buying: addressOf(buying),
    amount: integerOf(amount),
    price: integerOf(price),
    expires: expires === undefined ? 0n : integerOf(expires),
  };
}

function addressOf(value: Value | undefined): Address {
  if (value?.type !== "address") throw new TypeError("an order entry's field is no address");
  return value.value;
}

function integerOf(value: Value | undefined): bigint {
  if (value?.type !== "i128" && value?.type !== "u64") {
    throw new TypeError("an order entry's field is no integer");
  }
  return value.value;
}

type Storage = readonly { readonly key: ScValWire; readonly val: ScValWire }[];

export function instanceStorage(instance: ExchangeInstance): Storage {
  return [
    { key: symbolWire("Config"), val: valueWire(configValue(instance.config)) },
    { key: symbolWire("Frozen"), val: valueWire(bool(instance.frozen)) },
  ];
}

/** By the storage it was read from: every call asks for it. */
const instances = new WeakMap<Storage, ExchangeInstance>();

/** Undefined before the constructor ran. */
export function instanceValue(storage: Storage): ExchangeInstance | undefined {
  const known = instances.get(storage);
  if (known !== undefined) return known;
  const read = readInstance(storage);
  if (read !== undefined) instances.set(storage, read);
  return read;
}

function readInstance(storage: Storage): ExchangeInstance | undefined {
  const [config, frozen] = storage.map(({ val }) => valueFromWire(val));
  if (config?.type !== "map" || frozen?.type !== "bool") return undefined;
  return { config: configOf(new Map(config.value)), frozen: frozen.value };
}

function configOf(fields: ReadonlyMap<string, Value>): ExchangeConfig {
  const u32Of = (name: string): number => {
    const value = fields.get(name);
    if (value?.type !== "u32") throw new TypeError(`the configuration has no u32 ${name}`);
    return value.value;
  };
  return {
    ledgerTime: u32Of("ledger_time"),
    listingMinDays: u32Of("listing_min_days"),
    marketListingFee: integerOf(fields.get("market_listing_fee")),
    minTradeSize: integerOf(fields.get("min_trade_size")),
    oracle: addressOf(fields.get("oracle")),
    safetyAdmin: addressOf(fields.get("safety_admin")),
  };
}
