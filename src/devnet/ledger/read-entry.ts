// Ledger entries read back from XDR, with the SDK.
import { LedgerEntry, type LedgerEntryDataWire } from "@stellar/stellar-sdk/xdr";
import { accountAddress } from "../../model/address.ts";
import { assetFromWire } from "./asset.ts";
import type {
  AccountEntry,
  DataEntry,
  Entry,
  InstanceEntry,
  OfferEntry,
  TrustlineEntry,
} from "./entry.ts";
import { addressFromWire, valueFromWire } from "./sc-val.ts";
import { type XdrText, xdrBytes } from "./xdr-writer.ts";

type AccountWire = Extract<LedgerEntryDataWire, { type: 0 }>["account"];

/** Throws a TypeError for kinds the devnet never writes. */
export function entryFromXdr(xdr: XdrText): Entry {
  const wire = LedgerEntry.schema.decode(xdrBytes(xdr));
  const { data } = wire;
  const sponsor =
    wire.ext.v === 1 && wire.ext.v1.sponsoringId !== null
      ? { sponsor: accountAddress(wire.ext.v1.sponsoringId.ed25519) }
      : {};
  if (data.type === 0) return { ...accountFromWire(data.account), ...sponsor };
  if (data.type === 1) return { ...trustlineFromWire(data.trustLine), ...sponsor };
  if (data.type === 2) return offerFromWire(data.offer);
  if (data.type === 6) return dataFromWire(data.contractData);
  if (data.type === 7) {
    const { hash, code } = data.contractCode;
    return { kind: "code", hash, code };
  }
  if (data.type === 8 && data.configSetting.configSettingID === 4) {
    const { txMaxContractEventsSizeBytes, feeContractEvents1Kb } =
      data.configSetting.contractEvents;
    return {
      kind: "eventsSetting",
      bytesMax: txMaxContractEventsSizeBytes,
      feePerKilobyte: feeContractEvents1Kb,
    };
  }
  if (data.type === 9) {
    return { kind: "ttl", keyHash: data.ttl.keyHash, liveUntil: data.ttl.liveUntilLedgerSeq };
  }
  throw new TypeError(`a ledger entry of type ${data.type}`);
}

function accountFromWire(wire: AccountWire): AccountEntry {
  const v1 = wire.ext.v === 1 ? wire.ext.v1 : undefined;
  const v2 = v1?.ext.v === 2 ? v1.ext.v2 : undefined;
  const v3 = v2?.ext.v === 3 ? v2.ext.v3 : undefined;
  if (v1 === undefined || v2 === undefined || v3 === undefined) {
    throw new TypeError("an account entry without its extensions");
  }
  return {
    kind: "account",
    account: accountAddress(wire.accountId.ed25519),
    balance: wire.balance,
    sequence: wire.seqNum,
    subentries: wire.numSubEntries,
    flags: wire.flags,
    buyingLiabilities: v1.liabilities.buying,
    sellingLiabilities: v1.liabilities.selling,
    sponsored: v2.numSponsored,
    sponsoring: v2.numSponsoring,
    sequenceLedger: v3.seqLedger,
    sequenceTime: Number(v3.seqTime),
  };
}

type TrustlineWire = Extract<LedgerEntryDataWire, { type: 1 }>["trustLine"];

function trustlineFromWire(wire: TrustlineWire): TrustlineEntry {
  const { asset } = wire;
  if (asset.type === 3) throw new TypeError("a trustline of pool shares");
  const issued = assetFromWire(asset);
  if (issued.kind === "native") throw new TypeError("a trustline of no issued asset");
  if (wire.ext.v !== 1) throw new TypeError("a trustline without its extension");
  return {
    kind: "trustline",
    account: accountAddress(wire.accountId.ed25519),
    asset: issued,
    balance: wire.balance,
    limit: wire.limit,
    flags: wire.flags,
    buyingLiabilities: wire.ext.v1.liabilities.buying,
    sellingLiabilities: wire.ext.v1.liabilities.selling,
  };
}

type OfferWire = Extract<LedgerEntryDataWire, { type: 2 }>["offer"];

function offerFromWire(wire: OfferWire): OfferEntry {
  return {
    kind: "offer",
    seller: accountAddress(wire.sellerId.ed25519),
    id: wire.offerId,
    selling: assetFromWire(wire.selling),
    buying: assetFromWire(wire.buying),
    amount: wire.amount,
    price: wire.price,
  };
}

type DataWire = Extract<LedgerEntryDataWire, { type: 6 }>["contractData"];

function dataFromWire(wire: DataWire): DataEntry | InstanceEntry {
  const contract = addressFromWire(wire.contract);
  if (wire.val.type === 19) {
    const { executable, storage } = wire.val.instance;
    if (executable.type === 2) throw new TypeError("a contract with an external executable");
    return {
      kind: "instance",
      contract,
      executable:
        executable.type === 1 ? { kind: "token" } : { kind: "wasm", hash: executable.wasmHash },
      storage: storage ?? [],
    };
  }
  return {
    kind: "data",
    contract,
    durability: wire.durability === 0 ? "temporary" : "persistent",
    key: valueFromWire(wire.key),
    value: valueFromWire(wire.val),
  };
}
