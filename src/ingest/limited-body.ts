import type { BodyRooms } from "./body-rooms.ts";

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

/** The same in a room: the caller's until it gives it back. */
export async function readIntoRoom(
  response: Response,
  bytesMax: number,
  rooms: BodyRooms,
  heard: () => void = () => undefined,
): Promise<Buffer | undefined> {
  let room = rooms.take();
  const bytes = await readPieces(response, bytesMax, (piece, at) => {
    if (at + piece.length > room.length) room = rooms.grown(room, at, at + piece.length);
    room.set(piece, at);
    heard();
  });
  return bytes === undefined ? undefined : room.subarray(0, bytes);
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
