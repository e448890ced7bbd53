// Values of contracts and followed entries out of what the SDK decoded: what the readers in src have to agree with.
import type {
  AccountEntry,
  ConfigSettingEntry,
  LedgerEntryData,
  ScAddress,
  ScContractInstance,
  ScError,
  ScMapEntry,
  ScVal,
  TrustLineEntry,
} from "@stellar/stellar-sdk/xdr";
import { accountOf, contractOf } from "../../src/ingest/address-cache.ts";
import type { ScFault, ScMapItem, ScValue } from "../../src/ingest/sc-value.ts";
import { contractEntry } from "../../src/ingest/tracked-entry.ts";
import type { Address } from "../../src/model/address.ts";
import type { TrackedEntry } from "../../src/model/ledger-delta.ts";

export function scValueOf(value: ScVal): ScValue {
  switch (value.type) {
    case "scvAddress":
      return { kind: "address", address: addressOf(value.address) };
    case "scvI128":
      return { kind: "i128", value: (value.i128.hi << 64n) | value.i128.lo };
    case "scvU128":
      return { kind: "u128", value: (value.u128.hi << 64n) | value.u128.lo };
    case "scvU64":
      return { kind: "u64", value: value.u64 };
    case "scvU32":
      return { kind: "u32", value: value.u32 };
    case "scvBool":
      return { kind: "bool", value: value.b };
    case "scvSymbol":
      return { kind: "symbol", text: value.sym.toString() };
    case "scvString":
      return { kind: "string", text: value.str.toString() };
    case "scvBytes":
      return { kind: "bytes", bytes: value.bytes.value };
    case "scvVec":
      return { kind: "vec", items: (value.vec ?? []).map(scValueOf) };
    case "scvMap":
      return { kind: "map", entries: (value.map ?? []).map(itemOf) };
    case "scvError":
      return { kind: "error", error: faultOf(value.error) };
    case "scvContractInstance":
      return { kind: "instance", storage: assetStorage(value.instance) };
    case "scvLedgerKeyContractInstance":
      return { kind: "instanceKey" };
    case "scvVoid":
      return { kind: "void" };
    case "scvI32":
    case "scvI64":
    case "scvTimepoint":
    case "scvDuration":
    case "scvU256":
    case "scvI256":
    case "scvLedgerKeyNonce":
    case "scvExecutableTag":
      return { kind: "other" };
  }
}

/** Undefined for addresses that are neither accounts nor contracts. */
function addressOf(from: ScAddress): Address | undefined {
  if (from.type === "scAddressTypeAccount") return accountOf(from.accountId.ed25519.value);
  if (from.type === "scAddressTypeContract") return contractOf(from.contractId.value);
  return undefined;
}

function itemOf({ key, val }: ScMapEntry): ScMapItem {
  return { key: scValueOf(key), val: scValueOf(val) };
}

function assetStorage(instance: ScContractInstance): readonly ScMapItem[] | undefined {
  if (instance.executable.type !== "contractExecutableStellarAsset") return undefined;
  return (instance.storage ?? []).map(itemOf);
}

function faultOf(error: ScError): ScFault {
  if (error.type === "sceContract") return { kind: "contract", code: error.contractCode };
  if (error.type === "sceAuth") return { kind: "auth" };
  if (error.type === "sceBudget") return { kind: "resources" };
  const exceeded = error.type === "sceStorage" && error.code.name === "scecExceededLimit";
  return { kind: exceeded ? "resources" : "other" };
}

/** As `readTrackedEntry`. */
export function trackedEntry(data: LedgerEntryData): TrackedEntry | undefined {
  if (data.type === "account") return accountEntry(data.account);
  if (data.type === "trustline") return trustlineEntry(data.trustLine);
  if (data.type === "configSetting") return settingEntry(data.configSetting);
  if (data.type !== "contractData") return undefined;
  const { key, val } = data.contractData;
  return contractEntry({ key: scValueOf(key), val: scValueOf(val) });
}

function accountEntry(entry: AccountEntry): TrackedEntry {
  const first = entry.ext.type === "v1" ? entry.ext.v1 : undefined;
  const second = first?.ext.type === "v2" ? first.ext.v2 : undefined;
  return {
    kind: "account",
    balance: entry.balance,
    sellingLiabilities: first?.liabilities.selling ?? 0n,
    buyingLiabilities: first?.liabilities.buying ?? 0n,
    subentries: entry.numSubEntries,
    sponsoring: second?.numSponsoring ?? 0,
    sponsored: second?.numSponsored ?? 0,
    flags: entry.flags,
  };
}

function trustlineEntry(entry: TrustLineEntry): TrackedEntry {
  const liabilities = entry.ext.type === "v1" ? entry.ext.v1.liabilities : undefined;
  return {
    kind: "trustline",
    balance: entry.balance,
    limit: entry.limit,
    sellingLiabilities: liabilities?.selling ?? 0n,
    buyingLiabilities: liabilities?.buying ?? 0n,
    flags: entry.flags,
  };
}

function settingEntry(entry: ConfigSettingEntry): TrackedEntry | undefined {
  if (entry.type !== "configSettingContractEventsV0") return undefined;
  return { kind: "eventsSetting", bytesMax: entry.contractEvents.txMaxContractEventsSizeBytes };
}
