// Encoding of the exchange contract's storage: order entries (contract.md, Events, "Order entry
// on-chain") and its instance storage.
import type { ScValWire } from "@stellar/stellar-sdk/xdr";
import { argument, asAddress, asBool, asI128, asU64, asVec } from "../contract/arguments.ts";
import { configCodec } from "../contract/event.ts";
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

/** Throws a CallFailure where `value` is no order entry. */
export function orderEntry(value: Value): OrderEntry {
  const fields = asVec(value);
  const expires = fields[5];
  return {
    owner: asAddress(argument(fields, 0)),
    selling: asAddress(argument(fields, 1)),
    buying: asAddress(argument(fields, 2)),
    amount: asI128(argument(fields, 3)),
    price: asI128(argument(fields, 4)),
    expires: expires === undefined ? 0n : asU64(expires),
  };
}

type Storage = readonly { readonly key: ScValWire; readonly val: ScValWire }[];

export function instanceStorage(instance: ExchangeInstance): Storage {
  return [
    { key: symbolWire("Config"), val: valueWire(configCodec.write(instance.config)) },
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
  if (config === undefined || frozen === undefined) return undefined;
  return { config: configCodec.read(config), frozen: asBool(frozen) };
}
