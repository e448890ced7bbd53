import type { Entry } from "./entry.ts";
import { entryFromXdr } from "./read-entry.ts";
import { entryXdr } from "./write-entry.ts";
import { type XdrText, xdrBytes } from "./xdr-writer.ts";

/**
 * An entry as the ledger holds it, and its XDR. Each is made from the other when first asked for:
 * most entries read back from disk are never looked at, most written ones are encoded once.
 */
export class StoredEntry {
  #entry: Entry | undefined;
  #modified: number | undefined;
  #xdr: XdrText | undefined;

  private constructor(entry: Entry | undefined, modified: number | undefined, xdr?: XdrText) {
    this.#entry = entry;
    this.#modified = modified;
    this.#xdr = xdr;
  }

  /** `modified`: the ledger that writes it. */
  static written(entry: Entry, modified: number): StoredEntry {
    return new StoredEntry(entry, modified);
  }

  /** From the XDR of a LedgerEntry of a kind the devnet writes. */
  static fromXdr(xdr: XdrText): StoredEntry {
    return new StoredEntry(undefined, undefined, xdr);
  }

  /** Throws a TypeError for XDR of a kind the devnet does not write. */
  get entry(): Entry {
    this.#entry ??= entryFromXdr(this.xdr);
    return this.#entry;
  }

  /** Sequence of the ledger that last wrote it: the first field of a LedgerEntry. */
  get modified(): number {
    this.#modified ??= xdrBytes(this.xdr).readUInt32BE(0);
    return this.#modified;
  }

  get xdr(): XdrText {
    if (this.#xdr === undefined) {
      if (this.#entry === undefined || this.#modified === undefined) throw new Error("no entry");
      this.#xdr = entryXdr(this.#entry, this.#modified);
    }
    return this.#xdr;
  }
}
