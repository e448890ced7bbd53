// getLedgerEntries: entries as of the latest ledger.
import { LedgerKey } from "@stellar/stellar-sdk/xdr";
import { type EntryKey, hasLife, isTemporary, isTtl, keyFromXdr, ttlKey } from "../ledger/key.ts";
import type { StoredEntry } from "../ledger/stored-entry.ts";
import { entryDataXdr, entryExtensionXdr } from "../ledger/write-entry.ts";
import { xdrBytes, xdrText } from "../ledger/xdr-writer.ts";
import { servedRange } from "./get-ledgers.ts";
import { type Params, stringsParam } from "./params.ts";
import { invalidParams } from "./rpc-error.ts";
import type { RpcSource } from "./source.ts";

const KEYS_MAX = 200;

type EntryJson = {
  readonly key: string;
  readonly xdr: string;
  readonly lastModifiedLedgerSeq: number;
  readonly liveUntilLedgerSeq?: number;
  readonly extXdr: string;
};

export function getLedgerEntries(source: RpcSource, params: Params) {
  const texts = stringsParam(params, "keys");
  if (texts.length > KEYS_MAX) {
    throw invalidParams(`key count (${texts.length}) exceeds maximum supported (${KEYS_MAX})`);
  }
  const keys = texts.map(readKey);
  const { ledger } = servedRange(source).latest;
  const entries = keys.flatMap((key, at) => {
    const stored = source.chain.state.get(key);
    if (stored === undefined) return [];
    const found = entryJson(source, { key, text: texts[at] ?? "", stored, ledger });
    return found === undefined ? [] : [found];
  });
  return { entries, latestLedger: ledger };
}

function readKey(text: string, at: number): EntryKey {
  const xdr = Buffer.from(text, "base64");
  if (xdr.toString("base64") !== text || !LedgerKey.validateXdr(xdr)) {
    throw invalidParams(`cannot unmarshal key value ${text} at index ${at}`);
  }
  const key = keyFromXdr(xdrText(xdr));
  if (isTtl(key)) throw invalidParams("ledger ttl entries cannot be queried directly");
  return key;
}

/** Undefined for temporary data whose life is over, although it is not evicted yet. */
function entryJson(
  source: RpcSource,
  of: {
    readonly key: EntryKey;
    readonly text: string;
    readonly stored: StoredEntry;
    readonly ledger: number;
  },
): EntryJson | undefined {
  const { key, text, stored, ledger } = of;
  const { entry } = stored;
  const ttl = hasLife(key) ? source.chain.state.get(ttlKey(key))?.entry : undefined;
  const liveUntil = ttl?.kind === "ttl" ? ttl.liveUntil : undefined;
  const lapsed = liveUntil !== undefined && liveUntil < ledger;
  if (lapsed && isTemporary(key)) return undefined;
  return {
    key: text,
    xdr: xdrBytes(entryDataXdr(entry)).toString("base64"),
    lastModifiedLedgerSeq: stored.modified,
    // 0: archived.
    ...(liveUntil === undefined ? {} : { liveUntilLedgerSeq: lapsed ? 0 : liveUntil }),
    extXdr: xdrBytes(entryExtensionXdr(entry)).toString("base64"),
  };
}
