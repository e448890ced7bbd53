// The head of a LedgerCloseMeta, read in place without looking at what follows it.
import { createHash } from "node:crypto";
import { LedgerCloseMetaExt, LedgerHeaderHistoryEntry } from "@stellar/stellar-sdk/xdr";
import { errorText, IngestError } from "./ingest-error.ts";
import type { ChainLink } from "./ledger-source.ts";
import { compileWalker } from "./xdr/compile-walker.ts";

/** Hashes in lower-case hex, `closeTime` in UNIX seconds, `baseReserve` in stroops. */
export type HeaderFields = {
  readonly sequence: number;
  readonly hash: string;
  readonly previousHash: string;
  readonly closeTime: number;
  readonly protocol: number;
  readonly baseReserve: number;
};

export type LedgerHead = HeaderFields & {
  /** sha256 of the header's XDR: equals `hash` in an honest ledger. */
  readonly computedHash: string;
};

/** Where the fields of a LedgerHeaderHistoryEntry lie. */
class HeaderPlaces {
  hashAt = 0;
  headerFrom = 0;
  headerTo = 0;
  versionAt = 0;
  previousAt = 0;
  closeTimeAt = 0;
  sequenceAt = 0;
  baseReserveAt = 0;

  header(_view: DataView, from: number, to: number): void {
    this.headerFrom = from;
    this.headerTo = to;
  }
}

const walkExtension = compileWalker<object>(LedgerCloseMetaExt.schema, []);
const walkHeader = compileWalker<HeaderPlaces>(LedgerHeaderHistoryEntry.schema, [
  { at: "LedgerHeaderHistoryEntry.hash", when: "put", call: "hashAt" },
  { at: "LedgerHeaderHistoryEntry.header", when: "end", call: "header" },
  { at: "LedgerHeader.ledgerVersion", when: "put", call: "versionAt" },
  { at: "LedgerHeader.previousLedgerHash", when: "put", call: "previousAt" },
  { at: "StellarValue.closeTime", when: "put", call: "closeTimeAt" },
  { at: "LedgerHeader.ledgerSeq", when: "put", call: "sequenceAt" },
  { at: "LedgerHeader.baseReserve", when: "put", call: "baseReserveAt" },
]);

/** Throws IngestError `undecodable` naming `sequence` where the bytes are no LedgerCloseMeta. */
export function readLedgerHead(bytes: Uint8Array, sequence: number): LedgerHead {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    // The union's discriminant; versions after the first one have an extension before the header.
    const from = view.getInt32(0) === 0 ? 4 : walkExtension(view, 4, {});
    const places = new HeaderPlaces();
    walkHeader(view, from, places);
    const header = bytes.subarray(places.headerFrom, places.headerTo);
    if (header.length !== places.headerTo - places.headerFrom) throw new RangeError("cut short");
    const computedHash = createHash("sha256").update(header).digest("hex");
    return { ...fieldsAt(view, places), computedHash };
  } catch (cause) {
    throw new IngestError(
      "undecodable",
      `ledger ${sequence}: its header cannot be read: ${errorText(cause)}`,
      { ledger: sequence, cause },
    );
  }
}

/** Of the LedgerHeaderHistoryEntry that begins at `from` and was found to be one. */
export function readHeader(view: DataView, from: number): HeaderFields {
  const places = new HeaderPlaces();
  walkHeader(view, from, places);
  return fieldsAt(view, places);
}

function fieldsAt(view: DataView, places: HeaderPlaces): HeaderFields {
  return {
    sequence: view.getUint32(places.sequenceAt),
    hash: hexAt(view, places.hashAt),
    previousHash: hexAt(view, places.previousAt),
    closeTime: Number(view.getBigUint64(places.closeTimeAt)),
    protocol: view.getUint32(places.versionAt),
    baseReserve: view.getUint32(places.baseReserveAt),
  };
}

export function linkOf(head: HeaderFields): ChainLink {
  return { ledger: head.sequence, hash: head.hash, closeTime: head.closeTime };
}

function hexAt(view: DataView, at: number): string {
  return Buffer.from(view.buffer, view.byteOffset + at, 32).toString("hex");
}

/** Names the protocol as well where at least the header can be read. */
export function undecodable(bytes: Uint8Array, sequence: number, cause: unknown): IngestError {
  const protocol = protocolOf(bytes, sequence);
  const named = protocol === undefined ? "" : ` (protocol ${protocol})`;
  return new IngestError(
    "undecodable",
    `ledger ${sequence}${named} cannot be decoded: ${errorText(cause)}`,
    { ledger: sequence, ...(protocol === undefined ? {} : { protocol }), cause },
  );
}

function protocolOf(bytes: Uint8Array, sequence: number): number | undefined {
  try {
    return readLedgerHead(bytes, sequence).protocol;
  } catch {
    // The error that is being named says it all.
    return undefined;
  }
}
