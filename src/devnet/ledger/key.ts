// Keys of ledger entries: the bytes of the LedgerKey as a string of one character a byte, which a
// Map compares fast and stores compactly.
import { LedgerKey, type LedgerKeyWire } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";
import type { Value } from "../contract/value.ts";
import { type Durability, type Entry, type IssuedAsset, trustlineAssetWire } from "./entry.ts";
import { sha256 } from "./hash.ts";
import { addressWire, publicKeyWire, valueWire } from "./sc-val.ts";

declare const keyBrand: unique symbol;
export type EntryKey = string & { readonly [keyBrand]: true };

export function keyFromXdr(xdr: Uint8Array): EntryKey {
  return Buffer.from(xdr.buffer, xdr.byteOffset, xdr.byteLength).toString("latin1") as EntryKey;
}

export function keyXdr(key: EntryKey): Uint8Array {
  return Buffer.from(key, "latin1");
}

function keyOf(wire: LedgerKeyWire): EntryKey {
  return keyFromXdr(LedgerKey.schema.encode(wire));
}

const accountKeys = new Map<Address, EntryKey>();
/** Guess: above the accounts of the largest preset; past it the cache starts anew. */
const ACCOUNT_KEYS_MAX = 1_000_000;

export function accountKey(account: Address): EntryKey {
  let key = accountKeys.get(account);
  if (key === undefined) {
    key = keyOf({ type: 0, account: { accountId: publicKeyWire(account) } });
    if (accountKeys.size >= ACCOUNT_KEYS_MAX) accountKeys.clear();
    accountKeys.set(account, key);
  }
  return key;
}

export function trustlineKey(account: Address, asset: IssuedAsset): EntryKey {
  return keyOf({
    type: 1,
    trustLine: { accountId: publicKeyWire(account), asset: trustlineAssetWire(asset) },
  });
}

export function dataKey(contract: Address, key: Value, durability: Durability): EntryKey {
  return keyOf({
    type: 6,
    contractData: {
      contract: addressWire(contract),
      key: valueWire(key),
      durability: durability === "temporary" ? 0 : 1,
    },
  });
}

const instanceKeys = new Map<Address, EntryKey>();
/** Guess: above the contracts of the largest preset. */
const INSTANCE_KEYS_MAX = 10_000;

export function instanceKey(contract: Address): EntryKey {
  let key = instanceKeys.get(contract);
  if (key === undefined) {
    key = keyOf({
      type: 6,
      contractData: { contract: addressWire(contract), key: { type: 20 }, durability: 1 },
    });
    if (instanceKeys.size >= INSTANCE_KEYS_MAX) instanceKeys.clear();
    instanceKeys.set(contract, key);
  }
  return key;
}

/** The key of the entry that says how long the data under `key` lives. */
export function ttlKey(key: EntryKey): EntryKey {
  return keyOf({ type: 9, ttl: { keyHash: sha256(keyXdr(key)) } });
}

/** The hash inside a TTL entry's key. */
export function ttlKeyHash(key: EntryKey): Uint8Array {
  return Buffer.from(key, "latin1").subarray(4);
}

/** Byte 3 of a LedgerKey is its type, all types being below 256. */
const CONTRACT_DATA = 6;
const TTL = 9;

export function isContractData(key: EntryKey): boolean {
  return key.charCodeAt(3) === CONTRACT_DATA;
}

/** Of contract data, durability comes last in the key: 0 is temporary. */
export function isTemporary(key: EntryKey): boolean {
  return isContractData(key) && key.charCodeAt(key.length - 1) === 0;
}

export function isTtl(key: EntryKey): boolean {
  return key.charCodeAt(3) === TTL;
}

export function keyOfEntry(entry: Entry): EntryKey {
  switch (entry.kind) {
    case "account":
      return accountKey(entry.account);
    case "trustline":
      return trustlineKey(entry.account, entry.asset);
    case "data":
      return dataKey(entry.contract, entry.key, entry.durability);
    case "instance":
      return instanceKey(entry.contract);
    case "ttl":
      return keyOf({ type: 9, ttl: { keyHash: entry.keyHash } });
  }
}
