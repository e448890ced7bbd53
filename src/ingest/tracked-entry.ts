// Ledger entries that can be tracked, as the domain knows them, and the keys they are tracked by.
//
// Hot path: every followed entry that a ledger changed. The fields that count are read in place.
import {
  ConfigSettingId,
  LedgerEntryData,
  LedgerKey,
  LedgerKeyAccount,
  LedgerKeyConfigSetting,
  LedgerKeyContractData,
  LedgerKeyTrustLine,
} from "@stellar/stellar-sdk/xdr";
import { parseAssetText } from "../model/asset-text.ts";
import type { EntryChange, TrackedEntry } from "../model/ledger-delta.ts";
import type { Oddity } from "./ledger-decoder.ts";
import {
  readBool,
  readField,
  readI128,
  readItem,
  readSymbol,
  readText,
  readU32,
  readVec,
  type ScValue,
} from "./sc-value.ts";
import { ValueReader } from "./value-reader.ts";
import { compileWalker } from "./xdr/compile-walker.ts";

/** Of LedgerEntryType. */
const ENTRY_ACCOUNT = 0;
const ENTRY_TRUSTLINE = 1;
const ENTRY_CONTRACT_DATA = 6;
const ENTRY_CONFIG_SETTING = 8;
/** ConfigSettingID of CONFIG_SETTING_CONTRACT_EVENTS_V0: bytes at most, and a fee. */
const EVENTS_SETTING = 4;

/** Where the fields lie; 0 is nowhere: an entry begins with its type. */
class FieldPlaces {
  balanceAt = 0;
  limitAt = 0;
  subentriesAt = 0;
  flagsAt = 0;
  liabilitiesAt = 0;
  sponsoredAt = 0;
  sponsoringAt = 0;
}

const walkEntry = compileWalker<FieldPlaces>(LedgerEntryData.schema, [
  { at: "AccountEntry.balance", when: "put", call: "balanceAt" },
  { at: "AccountEntry.numSubEntries", when: "put", call: "subentriesAt" },
  { at: "AccountEntry.flags", when: "put", call: "flagsAt" },
  { at: "AccountEntryExtensionV1.liabilities", when: "put", call: "liabilitiesAt" },
  { at: "AccountEntryExtensionV2.numSponsored", when: "put", call: "sponsoredAt" },
  { at: "AccountEntryExtensionV2.numSponsoring", when: "put", call: "sponsoringAt" },
  { at: "TrustLineEntry.balance", when: "put", call: "balanceAt" },
  { at: "TrustLineEntry.limit", when: "put", call: "limitAt" },
  { at: "TrustLineEntry.flags", when: "put", call: "flagsAt" },
  { at: "TrustLineEntryV1.liabilities", when: "put", call: "liabilitiesAt" },
]);

/** The entry's LedgerKey in base64 XDR; undefined for entries of kinds that are never tracked. */
export function entryKey(data: LedgerEntryData): string | undefined {
  if (data.type === "account") {
    const { accountId } = data.account;
    return LedgerKey.account(new LedgerKeyAccount({ accountId })).toXdr("base64");
  }
  if (data.type === "trustline") {
    const { accountId, asset } = data.trustLine;
    return LedgerKey.trustline(new LedgerKeyTrustLine({ accountId, asset })).toXdr("base64");
  }
  if (data.type === "contractData") {
    const { contract, key, durability } = data.contractData;
    const dataKey = new LedgerKeyContractData({ contract, key, durability });
    return LedgerKey.contractData(dataKey).toXdr("base64");
  }
  if (data.type === "configSetting") {
    const configSettingId = ConfigSettingId.fromName(data.configSetting.type);
    return LedgerKey.configSetting(new LedgerKeyConfigSetting({ configSettingId })).toXdr("base64");
  }
  return undefined;
}

/**
 * Of the LedgerEntryData at byte `from`, which was found to be one. Undefined where it is not of the form that a
 * Stellar Asset Contract, an account, a trustline or the network's setting of events gives it: there is nothing in
 * it that could be followed.
 */
export function readTrackedEntry(
  bytes: Uint8Array,
  view: DataView,
  from: number,
): TrackedEntry | undefined {
  const type = view.getInt32(from);
  if (type === ENTRY_CONTRACT_DATA) {
    return contractEntry(new ValueReader(bytes, view).contractData(from + 4));
  }
  if (type === ENTRY_CONFIG_SETTING && view.getInt32(from + 4) === EVENTS_SETTING) {
    return { kind: "eventsSetting", bytesMax: view.getUint32(from + 8) };
  }
  if (type !== ENTRY_ACCOUNT && type !== ENTRY_TRUSTLINE) return undefined;
  const places = new FieldPlaces();
  walkEntry(view, from, places);
  const { balanceAt, limitAt, subentriesAt, flagsAt, liabilitiesAt } = places;
  // Liabilities: buying, then selling.
  const buyingLiabilities = liabilitiesAt === 0 ? 0n : view.getBigInt64(liabilitiesAt);
  const sellingLiabilities = liabilitiesAt === 0 ? 0n : view.getBigInt64(liabilitiesAt + 8);
  const balance = view.getBigInt64(balanceAt);
  const flags = view.getUint32(flagsAt);
  if (type === ENTRY_TRUSTLINE) {
    const limit = view.getBigInt64(limitAt);
    return { kind: "trustline", balance, limit, sellingLiabilities, buyingLiabilities, flags };
  }
  const { sponsoredAt, sponsoringAt } = places;
  return {
    kind: "account",
    balance,
    sellingLiabilities,
    buyingLiabilities,
    subentries: view.getUint32(subentriesAt),
    sponsoring: sponsoringAt === 0 ? 0 : view.getUint32(sponsoringAt),
    sponsored: sponsoredAt === 0 ? 0 : view.getUint32(sponsoredAt),
    flags,
  };
}

/** The same of an entry that the SDK decoded. */
export function trackedEntry(data: LedgerEntryData): TrackedEntry | undefined {
  const bytes = data.toXdr();
  return readTrackedEntry(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0);
}

/** An entry that cannot be followed (`entry` undefined) counts as gone and is reported as an oddity. */
export function entryChange(
  key: string,
  entry: TrackedEntry | undefined,
  oddities: Oddity[],
): EntryChange {
  if (entry !== undefined) return { key, entry };
  const message = `followed entry ${key} is of a form that cannot be followed`;
  oddities.push({ kind: "entry", message });
  return { key };
}

/** As `readTrackedEntry`, of contract data. */
export function contractEntry({
  key,
  val,
}: {
  readonly key: ScValue;
  readonly val: ScValue;
}): TrackedEntry | undefined {
  if (key.kind === "instanceKey") return tokenEntry(val);
  const amount = readI128(readField(val, "amount"));
  if (amount === undefined) return undefined;
  switch (readSymbol(readVec(key)?.[0]) ?? "") {
    case "Balance": {
      const authorized = readBool(readField(val, "authorized"));
      return authorized === undefined ? undefined : { kind: "balance", amount, authorized };
    }
    case "Allowance": {
      const liveUntil = readU32(readField(val, "live_until_ledger"));
      return liveUntil === undefined ? undefined : { kind: "allowance", amount, liveUntil };
    }
    default:
      return undefined;
  }
}

function tokenEntry(val: ScValue): TrackedEntry | undefined {
  if (val.kind !== "instance") return undefined;
  const asset = readText(readField(readItem(val.storage ?? [], "METADATA"), "name"));
  if (asset === undefined) return { kind: "token" };
  return isAssetName(asset) ? { kind: "token", asset } : undefined;
}

/** As a Stellar Asset Contract has it: a source may say anything. */
function isAssetName(name: string): boolean {
  if (name === "native") return true;
  return name.includes(":") && parseAssetText(name)?.kind === "classic";
}
