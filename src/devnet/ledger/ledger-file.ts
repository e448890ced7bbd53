// Closed ledgers on disk: append-only segment files of records, each with its length and checksum,
// so that a torn last record (a kill in mid-write) is found and cut off at the next start.
import {
  closeSync,
  ftruncateSync,
  openSync,
  read,
  readdirSync,
  readSync,
  unlinkSync,
  writevSync,
} from "node:fs";
import { join as joinPath } from "node:path";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { pairParts, readPairs, type Written } from "./delta.ts";
import type { ClosedLedger } from "./ledger-meta.ts";

/*
 * Record, big-endian:
 *   0  u32 magic           4  u32 ledger         8  u64 close time (UNIX seconds)
 *  16  u32 header bytes   20  u32 meta bytes    24  u32 delta bytes   28  u32 places bytes
 *  32  u32 crc32 of what follows                36  hash (32)         68  header, meta, delta, places
 */
const MAGIC = 0x48_42_4c_32;
const RECORD_HEAD = 68;
const CRC_AT = 32;
const HASH_AT = 36;
/** A new segment starts past it; segments are deleted whole. */
const SEGMENT_BYTES = 64 * 1024 * 1024;

export type LedgerInfo = {
  readonly ledger: number;
  /** UNIX seconds. */
  readonly closeTime: number;
  readonly hash: Uint8Array;
  readonly headerBytes: number;
  readonly metaBytes: number;
};

type Indexed = LedgerInfo & {
  readonly segment: Segment;
  readonly offset: number;
  readonly deltaBytes: number;
  readonly placesBytes: number;
};

type Segment = { readonly first: number; readonly path: string; readonly fd: number; end: number };

const readAsync = promisify(read);

export class LedgerFile {
  readonly #directory: string;
  readonly #segmentBytes: number;
  readonly #segments: Segment[] = [];
  /** In sequence, without gaps. */
  readonly #index: Indexed[] = [];

  /** Opens what is there. Throws an Error that names the file where records do not follow on. */
  constructor(directory: string, segmentBytes = SEGMENT_BYTES) {
    this.#directory = directory;
    this.#segmentBytes = segmentBytes;
    const firsts = readdirSync(directory)
      .map((name) => /^ledgers-(\d+)\.log$/.exec(name)?.[1])
      .filter((first) => first !== undefined)
      .map(Number)
      .sort((one, other) => one - other);
    for (const first of firsts) this.#load(first, first === firsts.at(-1));
  }

  get oldest(): LedgerInfo | undefined {
    return this.#index[0];
  }

  get latest(): LedgerInfo | undefined {
    return this.#index.at(-1);
  }

  info(ledger: number): LedgerInfo | undefined {
    return this.#indexed(ledger);
  }

  append(closed: ClosedLedger, written: Iterable<Written>): void {
    const { ledger, closeTime, hash } = closed.tip;
    const delta = Buffer.concat(pairParts(written));
    const body = [hash, closed.header, closed.meta, delta, closed.places];
    const head = Buffer.alloc(HASH_AT);
    head.writeUInt32BE(MAGIC, 0);
    head.writeUInt32BE(ledger, 4);
    head.writeBigUInt64BE(BigInt(closeTime), 8);
    head.writeUInt32BE(closed.header.length, 16);
    head.writeUInt32BE(closed.meta.length, 20);
    head.writeUInt32BE(delta.length, 24);
    head.writeUInt32BE(closed.places.length, 28);
    head.writeUInt32BE(
      body.reduce((crc, part) => crc32(part, crc), 0),
      CRC_AT,
    );
    const segment = this.#segmentFor(ledger);
    const bytes = writeParts(segment.fd, [head, ...body], segment.end);
    this.#index.push({
      ledger,
      closeTime,
      hash,
      headerBytes: closed.header.length,
      metaBytes: closed.meta.length,
      deltaBytes: delta.length,
      placesBytes: closed.places.length,
      segment,
      offset: segment.end,
    });
    segment.end += bytes;
  }

  /** XDR of the LedgerHeaderHistoryEntry and of the LedgerCloseMeta; undefined where not kept. */
  async read(ledger: number): Promise<{ header: Buffer; meta: Buffer } | undefined> {
    const at = this.#indexed(ledger);
    if (at === undefined) return undefined;
    const buffer = Buffer.allocUnsafe(at.headerBytes + at.metaBytes);
    const { bytesRead } = await readAsync(
      at.segment.fd,
      buffer,
      0,
      buffer.length,
      at.offset + RECORD_HEAD,
    );
    if (bytesRead !== buffer.length) throw new Error(`${at.segment.path} ends too early`);
    return { header: buffer.subarray(0, at.headerBytes), meta: buffer.subarray(at.headerBytes) };
  }

  /** What the ledger wrote; for the replay at start. Throws where it is not kept. */
  readDelta(ledger: number): Written[] {
    const at = this.#kept(ledger);
    const offset = at.offset + RECORD_HEAD + at.headerBytes + at.metaBytes;
    return readPairs(readWhole(at.segment, offset, at.deltaBytes));
  }

  /** As `read` gives the LedgerCloseMeta, at once. Throws where it is not kept. */
  readMeta(ledger: number): Uint8Array {
    const at = this.#kept(ledger);
    return readWhole(at.segment, at.offset + RECORD_HEAD + at.headerBytes, at.metaBytes);
  }

  /** Where its transactions lie in its LedgerCloseMeta; undefined where it is not kept. */
  readPlaces(ledger: number): Buffer | undefined {
    const at = this.#indexed(ledger);
    if (at === undefined) return undefined;
    const offset = at.offset + RECORD_HEAD + at.headerBytes + at.metaBytes + at.deltaBytes;
    return readWhole(at.segment, offset, at.placesBytes);
  }

  readHeader(ledger: number): Uint8Array {
    const at = this.#kept(ledger);
    return readWhole(at.segment, at.offset + RECORD_HEAD, at.headerBytes);
  }

  /** Deletes segments all of whose ledgers are below `ledger`. */
  trim(ledger: number): void {
    for (let next = this.#segments[1]; next !== undefined && next.first <= ledger; ) {
      const removed = this.#segments.shift();
      if (removed === undefined) return;
      this.#index.splice(0, next.first - removed.first);
      closeSync(removed.fd);
      unlinkSync(removed.path);
      next = this.#segments[1];
    }
  }

  close(): void {
    for (const { fd } of this.#segments) closeSync(fd);
    this.#segments.length = 0;
    this.#index.length = 0;
  }

  #kept(ledger: number): Indexed {
    const at = this.#indexed(ledger);
    if (at === undefined) throw new Error(`ledger ${ledger} is not kept`);
    return at;
  }

  #indexed(ledger: number): Indexed | undefined {
    const first = this.#index[0];
    return first === undefined ? undefined : this.#index[ledger - first.ledger];
  }

  #segmentFor(ledger: number): Segment {
    const last = this.#segments.at(-1);
    if (last !== undefined && last.end < this.#segmentBytes) return last;
    const path = joinPath(this.#directory, `ledgers-${ledger}.log`);
    const segment = { first: ledger, path, fd: openSync(path, "w+"), end: 0 };
    this.#segments.push(segment);
    return segment;
  }

  #load(first: number, isLast: boolean): void {
    const path = joinPath(this.#directory, `ledgers-${first}.log`);
    const segment: Segment = { first, path, fd: openSync(path, "r+"), end: 0 };
    this.#segments.push(segment);
    for (;;) {
      const record = readRecord(segment, segment.end, isLast);
      if (record === undefined) break;
      const expected = (this.#index.at(-1)?.ledger ?? record.ledger - 1) + 1;
      if (record.ledger !== expected) {
        throw new Error(`${path}: ledger ${record.ledger} follows ${expected - 1}`);
      }
      this.#index.push(record);
      segment.end = record.offset + RECORD_HEAD + bodyBytes(record);
    }
    if (isLast) ftruncateSync(segment.fd, segment.end);
  }
}

function bodyBytes(record: Indexed): number {
  return record.headerBytes + record.metaBytes + record.deltaBytes + record.placesBytes;
}

/** The record at `offset`; undefined at the end, or where a record is torn and `check` is set. */
function readRecord(segment: Segment, offset: number, check: boolean): Indexed | undefined {
  const head = Buffer.alloc(RECORD_HEAD);
  const bytes = readSync(segment.fd, head, 0, RECORD_HEAD, offset);
  if (bytes < RECORD_HEAD || head.readUInt32BE(0) !== MAGIC) return undefined;
  const record: Indexed = {
    ledger: head.readUInt32BE(4),
    closeTime: Number(head.readBigUInt64BE(8)),
    hash: head.subarray(HASH_AT, RECORD_HEAD),
    headerBytes: head.readUInt32BE(16),
    metaBytes: head.readUInt32BE(20),
    deltaBytes: head.readUInt32BE(24),
    placesBytes: head.readUInt32BE(28),
    segment,
    offset,
  };
  if (!check) return record;
  const body = Buffer.alloc(RECORD_HEAD - HASH_AT + bodyBytes(record));
  if (readSync(segment.fd, body, 0, body.length, offset + HASH_AT) < body.length) return undefined;
  return crc32(body) === head.readUInt32BE(CRC_AT) ? record : undefined;
}

function readWhole(segment: Segment, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  if (length > 0 && readSync(segment.fd, buffer, 0, length, offset) < length) {
    throw new Error(`${segment.path} ends too early`);
  }
  return buffer;
}

/** Gives the bytes written. Throws where the file takes fewer, as a full disk does. */
function writeParts(fd: number, parts: readonly Uint8Array[], offset: number): number {
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  const written = writevSync(fd, parts, offset);
  if (written < bytes)
    throw new Error(`only ${written} of ${bytes} bytes of a ledger were written`);
  return bytes;
}
