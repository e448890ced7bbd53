// LedgerEntries and LedgerKeys as XDR (see xdr-writer.ts for why by hand).
import type { Address } from "../../model/address.ts";
import type { ClassicAsset } from "../asset.ts";
import type { Value } from "../contract/value.ts";
import { issuedWire } from "./asset-wire.ts";
import type {
  AccountEntry,
  DataEntry,
  Durability,
  Entry,
  Executable,
  InstanceEntry,
  IssuedAsset,
  OfferEntry,
  TrustlineEntry,
} from "./entry.ts";
import { addressWire, publicKeyWire } from "./sc-val.ts";
import { writeAddress, writePublicKey, writeScVal, writeValue } from "./write-value.ts";
import { encode, type XdrText, type XdrWriter } from "./xdr-writer.ts";

/** LedgerEntryType. */
const Type = {
  account: 0,
  trustline: 1,
  offer: 2,
  contractData: 6,
  contractCode: 7,
  configSetting: 8,
  ttl: 9,
} as const;
/** ConfigSettingID of CONFIG_SETTING_CONTRACT_EVENTS_V0. */
const EVENTS_SETTING = 4;
/** ScValType of a contract's instance and of its key. */
const INSTANCE = 19;
const INSTANCE_KEY = 20;

/** XDR of the LedgerEntry that ledger `modified` writes. */
export function entryXdr(entry: Entry, modified: number): XdrText {
  return encode((to) => {
    to.uint32(modified);
    writeData(to, entry);
    writeSponsorship(to, entry);
  });
}

/** XDR of the LedgerEntryData alone, and of the entry's extension. */
export function entryDataXdr(entry: Entry): XdrText {
  return encode((to) => writeData(to, entry));
}

export function entryExtensionXdr(entry: Entry): XdrText {
  return encode((to) => writeSponsorship(to, entry));
}

function writeSponsorship(to: XdrWriter, entry: Entry): void {
  const sponsor =
    entry.kind === "account" || entry.kind === "trustline" ? entry.sponsor : undefined;
  if (sponsor === undefined) {
    to.uint32(0);
    return;
  }
  to.uint32(1);
  to.uint32(1);
  writePublicKey(to, publicKeyWire(sponsor));
  to.uint32(0);
}

function writeData(to: XdrWriter, entry: Entry): void {
  switch (entry.kind) {
    case "account":
      writeAccount(to, entry);
      break;
    case "trustline":
      writeTrustline(to, entry);
      break;
    case "offer":
      writeOffer(to, entry);
      break;
    case "data":
      writeContractData(to, entry);
      break;
    case "instance":
      writeInstance(to, entry);
      break;
    case "code":
      to.uint32(Type.contractCode);
      to.uint32(0);
      to.bytes(entry.hash);
      to.opaque(entry.code);
      break;
    case "eventsSetting":
      to.uint32(Type.configSetting);
      to.uint32(EVENTS_SETTING);
      to.uint32(entry.bytesMax);
      to.int64(entry.feePerKilobyte);
      break;
    case "ttl":
      to.uint32(Type.ttl);
      to.bytes(entry.keyHash);
      to.uint32(entry.liveUntil);
      break;
  }
}

/** The master key alone signs, with any weight. */
const THRESHOLDS = new Uint8Array([1, 0, 0, 0]);

/** With all three extensions, as accounts have them that ever sent a transaction. */
function writeAccount(to: XdrWriter, entry: AccountEntry): void {
  to.uint32(Type.account);
  writePublicKey(to, publicKeyWire(entry.account));
  to.int64(entry.balance);
  to.int64(entry.sequence);
  to.uint32(entry.subentries);
  to.uint32(0); // no inflation destination
  to.uint32(entry.flags);
  to.uint32(0); // no home domain
  to.bytes(THRESHOLDS);
  to.uint32(0); // no signers
  to.uint32(1);
  to.int64(entry.buyingLiabilities);
  to.int64(entry.sellingLiabilities);
  to.uint32(2);
  to.uint32(entry.sponsored);
  to.uint32(entry.sponsoring);
  to.uint32(0); // no sponsors of signers
  to.uint32(3);
  to.uint32(0);
  to.uint32(entry.sequenceLedger);
  to.uint64(BigInt(entry.sequenceTime));
}

function writeTrustline(to: XdrWriter, entry: TrustlineEntry): void {
  writeTrustlineKey(to, entry.account, entry.asset);
  to.int64(entry.balance);
  to.int64(entry.limit);
  to.uint32(entry.flags);
  to.uint32(1);
  to.int64(entry.buyingLiabilities);
  to.int64(entry.sellingLiabilities);
  to.uint32(0);
}

function writeOffer(to: XdrWriter, entry: OfferEntry): void {
  writeOfferKey(to, entry.seller, entry.id);
  writeAsset(to, entry.selling);
  writeAsset(to, entry.buying);
  to.int64(entry.amount);
  to.uint32(entry.price.n);
  to.uint32(entry.price.d);
  to.uint32(0); // no flags
  to.uint32(0);
}

/** The key and the start of the entry are the same bytes. */
function writeOfferKey(to: XdrWriter, seller: Address, id: bigint): void {
  to.uint32(Type.offer);
  writePublicKey(to, publicKeyWire(seller));
  to.int64(id);
}

function writeAsset(to: XdrWriter, asset: ClassicAsset): void {
  if (asset.kind === "native") {
    to.uint32(0);
    return;
  }
  const wire = issuedWire(asset);
  const { assetCode, issuer } = wire.type === 1 ? wire.alphaNum4 : wire.alphaNum12;
  to.uint32(wire.type);
  to.bytes(assetCode);
  writePublicKey(to, issuer);
}

function writeContractData(to: XdrWriter, entry: DataEntry): void {
  to.uint32(Type.contractData);
  to.uint32(0);
  writeAddress(to, addressWire(entry.contract));
  writeValue(to, entry.key);
  to.uint32(durabilityCode(entry.durability));
  writeValue(to, entry.value);
}

function writeInstance(to: XdrWriter, entry: InstanceEntry): void {
  to.uint32(Type.contractData);
  to.uint32(0);
  writeAddress(to, addressWire(entry.contract));
  to.uint32(INSTANCE_KEY);
  to.uint32(durabilityCode("persistent"));
  to.uint32(INSTANCE);
  writeExecutable(to, entry.executable);
  if (entry.storage.length === 0) {
    to.uint32(0);
    return;
  }
  to.uint32(1);
  to.uint32(entry.storage.length);
  for (const { key, val } of entry.storage) {
    writeScVal(to, key);
    writeScVal(to, val);
  }
}

function writeExecutable(to: XdrWriter, executable: Executable): void {
  if (executable.kind === "token") {
    to.uint32(1);
    return;
  }
  to.uint32(0);
  to.bytes(executable.hash);
}

function durabilityCode(durability: Durability): number {
  return durability === "temporary" ? 0 : 1;
}

/** The key and the start of the entry are the same bytes. */
function writeTrustlineKey(to: XdrWriter, account: Address, asset: IssuedAsset): void {
  to.uint32(Type.trustline);
  writePublicKey(to, publicKeyWire(account));
  writeAsset(to, asset);
}

export function accountKeyXdr(account: Address): XdrText {
  return encode((to) => {
    to.uint32(Type.account);
    writePublicKey(to, publicKeyWire(account));
  });
}

export function trustlineKeyXdr(account: Address, asset: IssuedAsset): XdrText {
  return encode((to) => writeTrustlineKey(to, account, asset));
}

export function offerKeyXdr(seller: Address, id: bigint): XdrText {
  return encode((to) => writeOfferKey(to, seller, id));
}

export function dataKeyXdr(contract: Address, key: Value, durability: Durability): XdrText {
  return encode((to) => {
    to.uint32(Type.contractData);
    writeAddress(to, addressWire(contract));
    writeValue(to, key);
    to.uint32(durabilityCode(durability));
  });
}

export function instanceKeyXdr(contract: Address): XdrText {
  return encode((to) => {
    to.uint32(Type.contractData);
    writeAddress(to, addressWire(contract));
    to.uint32(INSTANCE_KEY);
    to.uint32(durabilityCode("persistent"));
  });
}

export function codeKeyXdr(hash: Uint8Array): XdrText {
  return encode((to) => {
    to.uint32(Type.contractCode);
    to.bytes(hash);
  });
}

export function eventsSettingKeyXdr(): XdrText {
  return encode((to) => {
    to.uint32(Type.configSetting);
    to.uint32(EVENTS_SETTING);
  });
}

export function ttlKeyXdr(keyHash: Uint8Array): XdrText {
  return encode((to) => {
    to.uint32(Type.ttl);
    to.bytes(keyHash);
  });
}
