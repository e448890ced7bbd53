// What a ledger wrote, and snapshots of all entries, as the devnet keeps them on disk: pairs of key
// and entry, each with its length (big-endian u32); an absent entry has length 0.

import { type EntryKey, keyFromXdr } from "./key.ts";
import { StoredEntry } from "./stored-entry.ts";
import { uint32 } from "./xdr-frame.ts";
import { type XdrText, xdrBytes, xdrText } from "./xdr-writer.ts";

export type Written = readonly [EntryKey, StoredEntry | undefined];

/** The pairs as parts of a file, to be written one after the other. */
export function pairParts(written: Iterable<Written>): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (const [key, stored] of written) {
    const keyBytes = xdrBytes(key);
    const entry = stored === undefined ? NONE : xdrBytes(stored.xdr);
    parts.push(uint32(keyBytes.length), keyBytes, uint32(entry.length), entry);
  }
  return parts;
}

const NONE = new Uint8Array(0);

/** Throws a RangeError where the bytes end inside a pair. */
export function readPairs(bytes: Uint8Array): Written[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const written: Written[] = [];
  let at = 0;
  const take = (): XdrText => {
    const length = view.getUint32(at);
    const end = at + 4 + length;
    if (end > bytes.length) throw new RangeError("the pairs end too early");
    const taken = xdrText(bytes.subarray(at + 4, end));
    at = end;
    return taken;
  };
  while (at < bytes.length) {
    const key = keyFromXdr(take());
    const entry = take();
    written.push([key, entry.length === 0 ? undefined : StoredEntry.fromXdr(entry)]);
  }
  return written;
}
