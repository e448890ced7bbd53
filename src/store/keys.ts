// Keys sort by their bytes. A position is 10 big-endian bytes, so that records and the entries of
// an index (some prefix, then a position) lie in chain order.
import type { Position } from "../model/position.ts";

export const POSITION_BYTES = 10;

function writePosition(into: Buffer, at: number, position: Position): void {
  // Half as many bigints as with one of 64 bits.
  into.writeUInt32BE(Number(position >> 48n), at);
  into.writeUIntBE(Number(BigInt.asUintN(48, position)), at + 4, 6);
}

export function readPosition(from: Buffer, at: number): Position {
  const high = from.readUInt16BE(at);
  const low = from.readBigUInt64BE(at + 2);
  // Up to ledger 65,535 the upper bytes are 0.
  return (high === 0 ? low : (BigInt(high) << 64n) | low) as Position;
}

export function positionKey(position: Position): Buffer {
  const key = Buffer.allocUnsafe(POSITION_BYTES);
  writePosition(key, 0, position);
  return key;
}

export function indexKey(prefix: Uint8Array, position: Position): Buffer {
  const key = Buffer.allocUnsafe(prefix.length + POSITION_BYTES);
  key.set(prefix);
  writePosition(key, prefix.length, position);
  return key;
}

/** A prefix: what the index tells apart (`tag`), then four bytes a number. */
export function indexPrefix(tag: number, ...numbers: readonly number[]): Buffer {
  const prefix = Buffer.allocUnsafe(1 + 4 * numbers.length);
  prefix[0] = tag;
  for (let at = 0; at < numbers.length; at += 1) prefix.writeUInt32BE(numbers[at] ?? 0, 1 + 4 * at);
  return prefix;
}

/** 16 big-endian bytes of a u128. */
export function orderKey(id: bigint): Buffer {
  const key = Buffer.allocUnsafe(16);
  key.writeBigUInt64BE(id >> 64n, 0);
  key.writeBigUInt64BE(id & 0xffff_ffff_ffff_ffffn, 8);
  return key;
}

/** 8 bytes that sort as the times do; a u64 that a number cannot hold exactly sorts as shown. */
export function timeBytes(seconds: number): Buffer {
  const key = Buffer.allocUnsafe(8);
  key.writeDoubleBE(seconds, 0);
  return key;
}
