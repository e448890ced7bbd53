// Hot path at start: live orders in the shared book's form, a row of numbers and words instead of an object
// with texts and bigints. 0.5 us an order, of which most is lmdb's.
import { POSITION_BYTES } from "./keys.ts";
import { StoreError } from "./store-error.ts";
import type { EntryBytes } from "./table-sweep.ts";

/** Where the words of each integer of 128 bits begin in `LiveRow.words`, lowest word first. */
export const ROW_ID = 0;
export const ROW_PRICE = 4;
export const ROW_AMOUNT = 8;
export const ROW_POSITION = 12;
const WORD_BYTES = 4;
const INTEGER_BYTES_MAX = 16;

/** One live order. The same object again for each: good until the next. */
export type LiveRow = {
  /** Numbers of addresses (address-ids.ts). */
  owner: number;
  selling: number;
  buying: number;
  /** UNIX seconds; 0: never. */
  expires: number;
  readonly words: Uint32Array;
};

export function newLiveRow(): LiveRow {
  return { owner: 0, selling: 0, buying: 0, expires: 0, words: new Uint32Array(16) };
}

/** Reads what `writeOrder` wrote. Throws a StoreError where that does not end with the entry. */
export function readLiveRow(
  row: LiveRow,
  key: EntryBytes,
  { bytes, start, end }: EntryBytes,
): void {
  row.words.fill(0);
  readInteger(row.words, ROW_POSITION, key.bytes, key.start, POSITION_BYTES);
  let at = start + 1;
  at = readUint(row.words, ROW_ID, bytes, at);
  row.owner = readUint32(bytes, at);
  row.selling = readUint32(bytes, at + WORD_BYTES);
  row.buying = readUint32(bytes, at + 2 * WORD_BYTES);
  at = readUint(row.words, ROW_PRICE, bytes, at + 3 * WORD_BYTES);
  // The amount at creation is for the API alone.
  at += 1 + byteAt(bytes, at);
  at = readUint(row.words, ROW_AMOUNT, bytes, at);
  let expires = 0;
  let unit = 1;
  while (at < end && byteAt(bytes, at) >= 128) {
    expires += (byteAt(bytes, at) - 128) * unit;
    unit *= 128;
    at += 1;
  }
  row.expires = expires + byteAt(bytes, at) * unit;
  if (at >= end || key.end - key.start !== POSITION_BYTES) {
    throw new StoreError("damaged", "the store is damaged: a live order ends too early");
  }
}

/** A length and as many bytes. Returns where they end. */
function readUint(words: Uint32Array, to: number, bytes: Buffer, at: number): number {
  const length = byteAt(bytes, at);
  if (length > INTEGER_BYTES_MAX) {
    throw new StoreError("damaged", "the store is damaged: a live order with too large a number");
  }
  readInteger(words, to, bytes, at + 1, length);
  return at + 1 + length;
}

/** Big-endian bytes to words that are 0 before. */
function readInteger(words: Uint32Array, to: number, bytes: Buffer, at: number, length: number) {
  for (let byte = 0; byte < length; byte += 1) {
    const word = to + (byte >>> 2);
    words[word] = (words[word] ?? 0) | (byteAt(bytes, at + length - 1 - byte) << (8 * (byte & 3)));
  }
}

function readUint32(bytes: Buffer, at: number): number {
  const high = (byteAt(bytes, at) << 24) | (byteAt(bytes, at + 1) << 16);
  return (high | (byteAt(bytes, at + 2) << 8) | byteAt(bytes, at + 3)) >>> 0;
}

/** 0 past the end of the buffer, which the check of the whole entry finds. */
function byteAt(bytes: Buffer, at: number): number {
  return bytes[at] ?? 0;
}
