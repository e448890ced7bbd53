// LedgerEntries as XDR.
import {
  LedgerEntry,
  LedgerEntryData,
  type LedgerEntryDataWire,
  LedgerEntryExt,
  type LedgerEntryExtWire,
  XdrString,
} from "@stellar/stellar-sdk/xdr";
import { assetWire, issuedWire } from "./asset.ts";
import type {
  AccountEntry,
  DataEntry,
  Durability,
  Entry,
  InstanceEntry,
  OfferEntry,
  TrustlineEntry,
} from "./entry.ts";
import { addressWire, publicKeyWire, valueWire } from "./sc-val.ts";
import { encode } from "./xdr-encoder.ts";
import type { XdrText } from "./xdr-writer.ts";

/** ConfigSettingID of CONFIG_SETTING_CONTRACT_EVENTS_V0. */
export const EVENTS_SETTING = 4;
const NO_EXTENSION = { v: 0 } as const;

/** XDR of the LedgerEntry that ledger `modified` writes. */
export function entryXdr(entry: Entry, modified: number): XdrText {
  const wire = { lastModifiedLedgerSeq: modified, data: dataWire(entry), ext: extension(entry) };
  return encode(LedgerEntry, wire);
}

/** XDR of the LedgerEntryData alone, and of the entry's extension. */
export function entryDataXdr(entry: Entry): XdrText {
  return encode(LedgerEntryData, dataWire(entry));
}

export function entryExtensionXdr(entry: Entry): XdrText {
  return encode(LedgerEntryExt, extension(entry));
}

function extension(entry: Entry): LedgerEntryExtWire {
  const sponsor =
    entry.kind === "account" || entry.kind === "trustline" ? entry.sponsor : undefined;
  if (sponsor === undefined) return NO_EXTENSION;
  return { v: 1, v1: { sponsoringId: publicKeyWire(sponsor), ext: NO_EXTENSION } };
}

function dataWire(entry: Entry): LedgerEntryDataWire {
  switch (entry.kind) {
    case "account":
      return { type: 0, account: accountWire(entry) };
    case "trustline":
      return { type: 1, trustLine: trustlineWire(entry) };
    case "offer":
      return { type: 2, offer: offerWire(entry) };
    case "data":
      return { type: 6, contractData: contractDataWire(entry) };
    case "instance":
      return { type: 6, contractData: instanceWire(entry) };
    case "code":
      return {
        type: 7,
        contractCode: { ext: NO_EXTENSION, hash: entry.hash, code: entry.code },
      };
    case "eventsSetting": {
      const contractEvents = {
        txMaxContractEventsSizeBytes: entry.bytesMax,
        feeContractEvents1Kb: entry.feePerKilobyte,
      };
      return { type: 8, configSetting: { configSettingID: EVENTS_SETTING, contractEvents } };
    }
    case "ttl":
      return { type: 9, ttl: { keyHash: entry.keyHash, liveUntilLedgerSeq: entry.liveUntil } };
  }
}

type Wire<Type extends number> = Extract<LedgerEntryDataWire, { readonly type: Type }>;

const NO_DOMAIN = new XdrString("");
/** The master key alone signs, with any weight. */
const THRESHOLDS = new Uint8Array([1, 0, 0, 0]);

/** With all three extensions, as accounts have them that ever sent a transaction. */
function accountWire(entry: AccountEntry): Wire<0>["account"] {
  const v3 = {
    ext: NO_EXTENSION,
    seqLedger: entry.sequenceLedger,
    seqTime: BigInt(entry.sequenceTime),
  };
  const v2 = {
    numSponsored: entry.sponsored,
    numSponsoring: entry.sponsoring,
    signerSponsoringIDs: [],
    ext: { v: 3 as const, v3 },
  };
  const v1 = {
    liabilities: { buying: entry.buyingLiabilities, selling: entry.sellingLiabilities },
    ext: { v: 2 as const, v2 },
  };
  return {
    accountId: publicKeyWire(entry.account),
    balance: entry.balance,
    seqNum: entry.sequence,
    numSubEntries: entry.subentries,
    inflationDest: null,
    flags: entry.flags,
    homeDomain: NO_DOMAIN,
    thresholds: THRESHOLDS,
    signers: [],
    ext: { v: 1, v1 },
  };
}

function trustlineWire(entry: TrustlineEntry): Wire<1>["trustLine"] {
  const liabilities = { buying: entry.buyingLiabilities, selling: entry.sellingLiabilities };
  return {
    accountId: publicKeyWire(entry.account),
    asset: issuedWire(entry.asset),
    balance: entry.balance,
    limit: entry.limit,
    flags: entry.flags,
    ext: { v: 1, v1: { liabilities, ext: NO_EXTENSION } },
  };
}

export function offerWire(entry: OfferEntry): Wire<2>["offer"] {
  return {
    sellerId: publicKeyWire(entry.seller),
    offerId: entry.id,
    selling: assetWire(entry.selling),
    buying: assetWire(entry.buying),
    amount: entry.amount,
    price: entry.price,
    flags: 0,
    ext: NO_EXTENSION,
  };
}

function contractDataWire(entry: DataEntry): Wire<6>["contractData"] {
  return {
    ext: NO_EXTENSION,
    contract: addressWire(entry.contract),
    key: valueWire(entry.key),
    durability: durabilityCode(entry.durability),
    val: valueWire(entry.value),
  };
}

/** ScVal of the key of a contract's instance. */
export const INSTANCE_KEY = { type: 20 } as const;

function instanceWire({ contract, executable, storage }: InstanceEntry): Wire<6>["contractData"] {
  const instance = {
    executable:
      executable.kind === "token"
        ? { type: 1 as const }
        : { type: 0 as const, wasmHash: executable.hash },
    storage: storage.length === 0 ? null : [...storage],
  };
  return {
    ext: NO_EXTENSION,
    contract: addressWire(contract),
    key: INSTANCE_KEY,
    durability: durabilityCode("persistent"),
    val: { type: 19, instance },
  };
}

export function durabilityCode(durability: Durability): 0 | 1 {
  return durability === "temporary" ? 0 : 1;
}
