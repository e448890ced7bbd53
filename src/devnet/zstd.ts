// Zstandard frames (RFC 8878). Node has a compressor from 22.15 on; elsewhere the bytes go into raw
// blocks, which every decompressor reads.
import * as zlib from "node:zlib";

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** Frame header descriptor: one segment, its size in four bytes. */
const SINGLE_SEGMENT_SIZE_4 = 0xa0;
const BLOCK_BYTES_MAX = 128 * 1024;

const compressor: unknown = Reflect.get(zlib, "zstdCompressSync");

export function zstdFrame(bytes: Uint8Array): Uint8Array {
  return typeof compressor === "function" ? compressor(bytes) : rawFrame(bytes);
}

export function rawFrame(bytes: Uint8Array): Uint8Array {
  const head = Buffer.alloc(5);
  head.writeUInt8(SINGLE_SEGMENT_SIZE_4, 0);
  head.writeUInt32LE(bytes.length, 1);
  const parts: Uint8Array[] = [MAGIC, head];
  for (let at = 0; at === 0 || at < bytes.length; at += BLOCK_BYTES_MAX) {
    const block = bytes.subarray(at, at + BLOCK_BYTES_MAX);
    const isLast = at + BLOCK_BYTES_MAX >= bytes.length;
    const blockHead = Buffer.alloc(3);
    blockHead.writeUIntLE((block.length << 3) | (isLast ? 1 : 0), 0, 3);
    parts.push(blockHead, block);
  }
  return Buffer.concat(parts);
}
