// Backing for benches: whatever the records ask for is there.
import { BackingRecords } from "../src/book/backing/backing-records.ts";
import type { Address } from "../src/model/address.ts";
import type { TrackingRequest } from "../src/model/entry-tracking.ts";
import type { EntryChange, TrackedEntry } from "../src/model/ledger-delta.ts";
import { testAccount } from "../test/support/http/test-server.ts";

const AMOUNT = 10n ** 12n;
const KEY_ACCOUNT = 0;
const KEY_TRUSTLINE = 1;
const KEY_SETTING = 8;
/** Bytes that the events and the return value of a call may take, as on the main network. */
const EVENTS_MAX = 16_384;
/** Where the key of a contract's data names its ScVal type: after key type and contract address. */
const DATA_KEY_TYPE_AT = 40;
const SCV_INSTANCE = 20;

export class PlentyBacking {
  readonly records: BackingRecords;
  /** Of the entries loaded so far. */
  readonly keys: string[] = [];
  readonly #asked: Extract<TrackingRequest, { kind: "track" }>[] = [];

  constructor(contract: Address) {
    this.records = new BackingRecords({
      contract,
      watchedAccountsMax: 1,
      track: (request) => {
        if (request.kind === "track" && request.load) this.#asked.push(request);
      },
    });
  }

  /** Loads every record; `close` closes a ledger without anything behind `ledger`. */
  async load(ledger: () => number, close: () => Promise<void>): Promise<void> {
    // Answers bring new questions.
    while (this.#asked.length > 0) {
      for (const { request, keys } of this.#asked.splice(0)) {
        for (const key of keys) this.keys.push(key);
        const entries = keys.map(plentyOf);
        this.records.entriesLoaded({ request, ledger: ledger(), entries });
      }
      await close();
    }
  }
}

/** The entry of a key where everyone has plenty of everything. */
export function plentyOf(key: string): EntryChange {
  const bytes = Buffer.from(key, "base64");
  return { key, entry: trackedEntry(bytes) };
}

function trackedEntry(key: Buffer): TrackedEntry {
  const type = key.readUInt32BE(0);
  if (type === KEY_ACCOUNT) {
    return {
      kind: "account",
      balance: AMOUNT,
      sellingLiabilities: 0n,
      buyingLiabilities: 0n,
      subentries: 1,
      sponsoring: 0,
      sponsored: 0,
      flags: 0,
    };
  }
  if (type === KEY_TRUSTLINE) {
    const limit = 10n ** 18n;
    return {
      kind: "trustline",
      balance: AMOUNT,
      limit,
      sellingLiabilities: 0n,
      buyingLiabilities: 0n,
      flags: 1,
    };
  }
  if (type === KEY_SETTING) return { kind: "eventsSetting", bytesMax: EVENTS_MAX };
  if (key.readUInt32BE(DATA_KEY_TYPE_AT) === SCV_INSTANCE) {
    // Any asset will do, as long as it is always the same one.
    return { kind: "token", asset: `T${key[8]}:${testAccount(250)}` };
  }
  const isTemporary = key.readUInt32BE(key.length - 4) === 0;
  return isTemporary
    ? { kind: "allowance", amount: AMOUNT, liveUntil: 1_000_000 }
    : { kind: "balance", amount: AMOUNT, authorized: true };
}
