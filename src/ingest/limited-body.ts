/** The body of a response, or undefined where it is longer than `bytesMax` (the rest is not read). */
export async function readLimited(
  response: Response,
  bytesMax: number,
): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    if (bytes > bytesMax) {
      await reader.cancel();
      return undefined;
    }
    pieces.push(value);
  }
  return Buffer.concat(pieces, bytes);
}
