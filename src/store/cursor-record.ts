import { RecordReader, type RecordWriter } from "./record-bytes.ts";
import type { LedgerCursor } from "./step-record.ts";
import { StoreError } from "./store-error.ts";

/** Highest ledger number of the protocol: a cursor above it was never written by us. */
const LEDGER_MAX = 0xffff_ffff;

export function writeCursor(writer: RecordWriter, cursor: LedgerCursor): Buffer {
  return writer
    .count(cursor.ledger)
    .bytes(Buffer.from(cursor.hash, "hex"))
    .count(cursor.closeTime)
    .count(cursor.protocol)
    .count(cursor.baseReserve)
    .take();
}

/** Throws a StoreError where it is a ledger that no chain can have. */
export function readCursor(bytes: Buffer): LedgerCursor {
  const reader = new RecordReader(bytes);
  const cursor = {
    ledger: reader.count(),
    hash: reader.bytes().toString("hex"),
    closeTime: reader.count(),
    protocol: reader.count(),
    baseReserve: reader.count(),
  };
  if (cursor.ledger < 1 || cursor.ledger > LEDGER_MAX || cursor.hash.length !== 64) {
    throw new StoreError("damaged", `the store is damaged: no ledger ${cursor.ledger} exists`);
  }
  return cursor;
}
