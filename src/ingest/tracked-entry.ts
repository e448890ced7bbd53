// Ledger entries that can be tracked, as the domain knows them, and the keys they are tracked by.
import {
  type AccountEntry,
  type ConfigSettingEntry,
  ConfigSettingId,
  type LedgerEntryData,
  LedgerKey,
  LedgerKeyAccount,
  LedgerKeyConfigSetting,
  LedgerKeyContractData,
  LedgerKeyTrustLine,
  type TrustLineEntry,
} from "@stellar/stellar-sdk/xdr";
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
import { scValueOf } from "./sdk-value.ts";

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
 * Undefined where the entry is not of the form that a Stellar Asset Contract, an account, a trustline
 * or the network's setting of events gives it: there is nothing in it that we could follow.
 */
export function trackedEntry(data: LedgerEntryData): TrackedEntry | undefined {
  if (data.type === "account") return accountEntry(data.account);
  if (data.type === "trustline") return trustlineEntry(data.trustLine);
  if (data.type === "configSetting") return settingEntry(data.configSetting);
  if (data.type !== "contractData") return undefined;
  const { key, val } = data.contractData;
  return contractEntry({ key: scValueOf(key), val: scValueOf(val) });
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

/** As `trackedEntry`, of contract data. */
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
  return asset === undefined ? { kind: "token" } : { kind: "token", asset };
}
