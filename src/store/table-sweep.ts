// Reads a whole table from lmdb's own buffers, without a buffer for each entry: several times as fast as a
// range, for what a start reads.
import type { Transaction } from "lmdb";
import type { Root, TableName } from "./tables.ts";

/** Bytes that are good until the function they were given to returns. */
export type EntryBytes = {
  readonly bytes: Buffer;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
};

/** What is needed of the bytes must be read before anything else of the store is. */
export type TakeEntry = (key: EntryBytes, value: EntryBytes) => void;

type Taken = { -readonly [Field in keyof EntryBytes]: EntryBytes[Field] };

const FIRST_KEY = Buffer.from([0]);

/** Gives every entry to `take`, in the order of keys. */
export function sweepTable(
  root: Root,
  name: TableName,
  transaction: Transaction,
  take: TakeEntry,
): void {
  const key: Taken = { bytes: FIRST_KEY, start: 0, end: 0 };
  const value: Taken = { bytes: FIRST_KEY, start: 0, end: 0 };
  // lmdb hands its own buffers to whatever decodes, a key just before its value.
  const options = {
    name,
    keyEncoder: {
      writeKey: (from: Buffer, into: Buffer, at: number) => {
        into.set(from, at);
        return at + from.length;
      },
      readKey: (bytes: Buffer, start: number, end: number) => {
        key.bytes = bytes;
        key.start = start;
        key.end = end;
      },
    },
    encoder: {
      encode: (bytes: Buffer) => bytes,
      decode: (bytes: Buffer, length: number) => {
        value.bytes = bytes;
        value.end = length;
        take(key, value);
      },
    },
  };
  const table = root.openDB<undefined, Buffer>(options);
  const entries = table.getRange({ start: FIRST_KEY, transaction });
  for (const _ of entries);
}
