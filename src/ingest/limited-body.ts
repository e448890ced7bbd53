import type { BufferPool } from "./buffer-pool.ts";

/** The body of a response, or undefined where it is longer than `bytesMax` (the rest is not read). `heard`: bytes came. */
export async function readLimited(
  response: Response,
  bytesMax: number,
  heard: () => void = () => undefined,
): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  const bytes = await readPieces(response, bytesMax, (piece) => {
    pieces.push(piece);
    heard();
  });
  return bytes === undefined ? undefined : Buffer.concat(pieces, bytes);
}

/** The same in a buffer: the caller's until it gives it back. */
export async function readIntoPooled(
  response: Response,
  bytesMax: number,
  buffers: BufferPool,
  heard: () => void = () => undefined,
): Promise<Buffer | undefined> {
  let buffer = buffers.take();
  const bytes = await readPieces(response, bytesMax, (piece, at) => {
    if (at + piece.length > buffer.length) buffer = buffers.grown(buffer, at, at + piece.length);
    buffer.set(piece, at);
    heard();
  });
  return bytes === undefined ? undefined : buffer.subarray(0, bytes);
}

/** Returns how many bytes there are. */
async function readPieces(
  response: Response,
  bytesMax: number,
  take: (piece: Uint8Array, at: number) => void,
): Promise<number | undefined> {
  const reader = response.body?.getReader();
  let bytes = 0;
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    if (bytes + value.length > bytesMax) {
      await reader.cancel();
      return undefined;
    }
    take(value, bytes);
    bytes += value.length;
  }
  return bytes;
}
