// Keys of ledger entries: the XDR of the LedgerKey, by which Maps find them.
import { LedgerKey, type LedgerKeyWire, type ScValWire } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";
import type { Value } from "../contract/value.ts";
import { type IssuedAsset, issuedWire } from "./asset.ts";
import type { Durability, Entry } from "./entry.ts";
import { sha256 } from "./hash.ts";
import { remembered } from "./remembered.ts";
import { addressWire, publicKeyWire, valueWire } from "./sc-val.ts";
import { durabilityCode, EVENTS_SETTING, INSTANCE_KEY } from "./write-entry.ts";
import { encode } from "./xdr-encoder.ts";
import { type XdrText, xdrBytes } from "./xdr-writer.ts";

declare const keyBrand: unique symbol;
/** XDR of a LedgerKey. */
export type EntryKey = XdrText & { readonly [keyBrand]: true };

/** `xdr` must be a LedgerKey's. */
export function keyFromXdr(xdr: XdrText): EntryKey {
  return xdr as EntryKey;
}

/** Guess: above the accounts of the largest preset. */
const ACCOUNT_KEYS_MAX = 1_000_000;

export const accountKey = remembered(ACCOUNT_KEYS_MAX, (account: Address) =>
  keyXdr({ type: 0, account: { accountId: publicKeyWire(account) } }),
);

export function trustlineKey(account: Address, asset: IssuedAsset): EntryKey {
  const trustLine = { accountId: publicKeyWire(account), asset: issuedWire(asset) };
  return keyXdr({ type: 1, trustLine });
}

export function offerKey(seller: Address, id: bigint): EntryKey {
  return keyXdr({ type: 2, offer: { sellerId: publicKeyWire(seller), offerId: id } });
}

function keyXdr(wire: LedgerKeyWire): EntryKey {
  return keyFromXdr(encode(LedgerKey, wire));
}

/** The part of an offer's key that says whose it is: type and account. */
const SELLER_BYTES = 40;
const OFFER = 2;

/** Undefined where the key is no offer's. */
export function offerSeller(key: EntryKey): string | undefined {
  return key.charCodeAt(3) === OFFER ? key.slice(0, SELLER_BYTES) : undefined;
}

export function dataKey(contract: Address, key: Value, durability: Durability): EntryKey {
  return contractDataKey(contract, valueWire(key), durability);
}

function contractDataKey(contract: Address, key: ScValWire, durability: Durability): EntryKey {
  const contractData = {
    contract: addressWire(contract),
    key,
    durability: durabilityCode(durability),
  };
  return keyXdr({ type: 6, contractData });
}

/** Guess: above the contracts of the largest preset. */
const INSTANCE_KEYS_MAX = 10_000;

export const instanceKey = remembered(INSTANCE_KEYS_MAX, (contract: Address) =>
  contractDataKey(contract, INSTANCE_KEY, "persistent"),
);

export function codeKey(hash: Uint8Array): EntryKey {
  return keyXdr({ type: 7, contractCode: { hash } });
}

export const EVENTS_SETTING_KEY = keyXdr({
  type: 8,
  configSetting: { configSettingId: EVENTS_SETTING },
});

/** Guess: the allowances of some hundred makers, whose life is looked at each time they are read. */
const TEMPORARY_TTL_KEYS_MAX = 50_000;
const temporaryTtlKey = remembered(TEMPORARY_TTL_KEYS_MAX, hashedTtlKey);

/** The key of the entry that says how long the data under `key` lives. */
export function ttlKey(key: EntryKey): EntryKey {
  return isTemporary(key) ? temporaryTtlKey(key) : hashedTtlKey(key);
}

function hashedTtlKey(key: EntryKey): EntryKey {
  return keyOfTtl(sha256(xdrBytes(key)));
}

function keyOfTtl(keyHash: Uint8Array): EntryKey {
  return keyXdr({ type: 9, ttl: { keyHash } });
}

/** The hash inside a TTL entry's key. */
export function ttlKeyHash(key: EntryKey): Uint8Array {
  return xdrBytes(key).subarray(4);
}

/** Byte 3 of a LedgerKey is its type, all types being below 256. */
const CONTRACT_DATA = 6;
const TTL = 9;

/** Whether another entry says how long it lives. */
export function hasLife(key: EntryKey): boolean {
  return isContractData(key) || key.charCodeAt(3) === CONTRACT_CODE;
}

function isContractData(key: EntryKey): boolean {
  return key.charCodeAt(3) === CONTRACT_DATA;
}

/** Of contract data, durability comes last in the key: 0 is temporary. */
export function isTemporary(key: EntryKey): boolean {
  return isContractData(key) && key.charCodeAt(key.length - 1) === 0;
}

/** Of an account, a trustline or an offer: entries that are read from disk. */
export function isClassic(key: EntryKey): boolean {
  return key.charCodeAt(3) <= OFFER;
}

/** Of a kind that a contract's footprint may name: accounts, trustlines, contract data and code. */
export function isFootprintKey(key: EntryKey): boolean {
  return FOOTPRINT_TYPES.includes(key.charCodeAt(3));
}

const CONTRACT_CODE = 7;
const FOOTPRINT_TYPES: readonly number[] = [0, 1, CONTRACT_DATA, CONTRACT_CODE];

export function isTtl(key: EntryKey): boolean {
  return key.charCodeAt(3) === TTL;
}

export function keyOfEntry(entry: Entry): EntryKey {
  switch (entry.kind) {
    case "account":
      return accountKey(entry.account);
    case "trustline":
      return trustlineKey(entry.account, entry.asset);
    case "offer":
      return offerKey(entry.seller, entry.id);
    case "data":
      return dataKey(entry.contract, entry.key, entry.durability);
    case "instance":
      return instanceKey(entry.contract);
    case "code":
      return codeKey(entry.hash);
    case "eventsSetting":
      return EVENTS_SETTING_KEY;
    case "ttl":
      return keyOfTtl(entry.keyHash);
  }
}
