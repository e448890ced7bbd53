// The head of a LedgerCloseMeta, read without decoding what follows it.
import { createHash } from "node:crypto";
import {
  BaseType,
  LedgerCloseMetaExt,
  LedgerHeader,
  LedgerHeaderHistoryEntry,
} from "@stellar/stellar-sdk/xdr";
import { errorText, IngestError } from "./ingest-error.ts";
import type { ChainLink } from "./ledger-source.ts";

/** Hashes in lower-case hex, `closeTime` in UNIX seconds, `baseReserve` in stroops. */
export type LedgerHead = {
  readonly sequence: number;
  readonly hash: string;
  readonly previousHash: string;
  readonly closeTime: number;
  readonly protocol: number;
  readonly baseReserve: number;
  /** sha256 of the header's XDR: equals `hash` in an honest ledger. */
  readonly computedHash: string;
};

type XdrReader = Parameters<BaseType<unknown>["_read"]>[0];

/** Reads the discriminant, the extension and the header, and leaves the rest alone. */
class HeadType extends BaseType<LedgerHeaderHistoryEntry> {
  readonly kind = "ledgerHead";

  _read(reader: XdrReader, path: string): LedgerHeaderHistoryEntry {
    const version = reader.readInt32(path);
    if (version !== 0) LedgerCloseMetaExt.schema._read(reader, path);
    const entry = LedgerHeaderHistoryEntry.schema._read(reader, path);
    reader.readBytes(reader.remaining, path);
    return LedgerHeaderHistoryEntry.fromXdrObject(entry);
  }

  _write(): void {
    throw new TypeError("the head of a ledger is only read");
  }
}

const headType = new HeadType("LedgerHead");

/** Throws IngestError `undecodable` naming `sequence` where the bytes are no LedgerCloseMeta. */
export function readLedgerHead(bytes: Uint8Array, sequence: number): LedgerHead {
  let entry: LedgerHeaderHistoryEntry;
  try {
    entry = headType.decode(bytes);
  } catch (cause) {
    throw new IngestError(
      "undecodable",
      `ledger ${sequence}: its header cannot be read: ${errorText(cause)}`,
      { ledger: sequence, cause },
    );
  }
  return ledgerHead(entry);
}

export function ledgerHead(entry: LedgerHeaderHistoryEntry): LedgerHead {
  const { header } = entry;
  return {
    sequence: header.ledgerSeq,
    hash: hex(entry.hash.value),
    previousHash: hex(header.previousLedgerHash.value),
    closeTime: Number(header.scpValue.closeTime),
    protocol: header.ledgerVersion,
    baseReserve: header.baseReserve,
    computedHash: createHash("sha256")
      .update(LedgerHeader.schema.encode(header.toXdrObject()))
      .digest("hex"),
  };
}

/** Undefined where `head` follows `previous`, else what is wrong. */
export function brokenLink(head: LedgerHead, previous: ChainLink | undefined): string | undefined {
  if (head.computedHash !== head.hash) {
    return `ledger ${head.sequence}: its hash is not the hash of its header`;
  }
  if (previous === undefined) return undefined;
  if (head.sequence !== previous.ledger + 1) {
    return `ledger ${head.sequence} came after ledger ${previous.ledger}`;
  }
  if (head.previousHash !== previous.hash) {
    return `ledger ${head.sequence} names ${head.previousHash} as its predecessor, not ${previous.hash}`;
  }
  return undefined;
}

export function linkOf(head: LedgerHead): ChainLink {
  return { ledger: head.sequence, hash: head.hash, closeTime: head.closeTime };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
