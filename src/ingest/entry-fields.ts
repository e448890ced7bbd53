// Hot path: every followed entry that a ledger changed. The fields that count are read in place.
import { LedgerEntryData } from "@stellar/stellar-sdk/xdr";
import type { TrackedEntry } from "../model/ledger-delta.ts";
import { contractEntry } from "./tracked-entry.ts";
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

/**
 * The LedgerEntryData at byte `from`, which was found to be one. Undefined where it is of a
 * form that cannot be followed.
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
