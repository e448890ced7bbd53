// Ledger entries that can be tracked, as the domain knows them, and the keys they are tracked by.
import {
  type AccountEntry,
  type ContractDataEntry,
  type LedgerEntryData,
  LedgerKey,
  LedgerKeyAccount,
  LedgerKeyContractData,
  LedgerKeyTrustLine,
  type ScVal,
  type TrustLineEntry,
} from "@stellar/stellar-sdk/xdr";
import type { EntryChange, TrackedEntry } from "../model/ledger-delta.ts";
import {
  readBool,
  readField,
  readI128,
  readSymbol,
  readText,
  readU32,
  readVec,
} from "./sc-value.ts";

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
  return undefined;
}

/**
 * Undefined where the entry is not of the form that a Stellar Asset Contract, an account or a
 * trustline gives it: there is nothing in it that we could follow.
 */
export function trackedEntry(data: LedgerEntryData): TrackedEntry | undefined {
  if (data.type === "account") return accountEntry(data.account);
  if (data.type === "trustline") return trustlineEntry(data.trustLine);
  return data.type === "contractData" ? contractEntry(data.contractData) : undefined;
}

/** What cannot be followed (`entry` undefined) counts as gone and is told. */
export function entryChange(
  key: string,
  entry: TrackedEntry | undefined,
  oddities: string[],
): EntryChange {
  if (entry !== undefined) return { key, entry };
  oddities.push(`followed entry ${key} is of a form that cannot be followed`);
  return { key };
}

/** A temporary entry is gone once evicted; a persistent one is archived and comes back as it was. */
export function isLostByEviction(key: LedgerKey): boolean {
  return key.type === "contractData" && key.contractData.durability.name === "temporary";
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

function contractEntry({ key, val }: ContractDataEntry): TrackedEntry | undefined {
  if (key.type === "scvLedgerKeyContractInstance") return tokenEntry(val);
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

function tokenEntry(val: ScVal): TrackedEntry | undefined {
  if (val.type !== "scvContractInstance") return undefined;
  const { executable, storage } = val.instance;
  if (executable.type !== "contractExecutableStellarAsset") return { kind: "token" };
  const metadata = storage?.find((entry) => readSymbol(entry.key) === "METADATA")?.val;
  const asset = readText(readField(metadata, "name"));
  return asset === undefined ? { kind: "token" } : { kind: "token", asset };
}
