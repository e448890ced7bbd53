// Messages of one connection that wait, as the bytes they came in: thousands of texts that wait for their turn would
// have the collector copy them. Main thread.

/** Bytes of the first chunk and of the largest; a message that is longer has one of its own. */
const CHUNK_MIN = 4 * 1024;
const CHUNK_MAX = 64 * 1024;
/** Before each message: its length. */
const HEAD_BYTES = 4;
/** In place of the length of a message that is no text, of which nothing is kept. */
const BINARY = 0xffff_ffff;

export class MessageQueue {
  readonly #chunks: Buffer[] = [];
  /** Where the next message is read in the first chunk, and written in the last. */
  #readAt = 0;
  #writeAt = 0;
  #count = 0;
  #bytes = 0;

  get count(): number {
    return this.#count;
  }

  /** Of the messages, without what keeping them takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Undefined: a binary message. Its bytes may change afterwards. */
  push(message: Uint8Array | undefined): void {
    const length = message?.length ?? 0;
    const chunk = this.#chunkFor(HEAD_BYTES + length);
    chunk.writeUInt32LE(message === undefined ? BINARY : length, this.#writeAt);
    this.#writeAt += HEAD_BYTES;
    if (message !== undefined) chunk.set(message, this.#writeAt);
    this.#writeAt += length;
    this.#count += 1;
    this.#bytes += length;
  }

  /** Not where there is none. Valid until the next `push`. */
  shift(): Uint8Array | undefined {
    const [chunk] = this.#chunks;
    if (chunk === undefined || this.#count === 0) throw new RangeError("no message waits");
    const head = chunk.readUInt32LE(this.#readAt);
    const start = this.#readAt + HEAD_BYTES;
    const end = head === BINARY ? start : start + head;
    this.#readAt = end;
    this.#count -= 1;
    this.#bytes -= end - start;
    const isLast = this.#chunks.length === 1;
    if (isLast ? this.#count === 0 : this.#readAt === chunk.length) {
      this.#chunks.shift();
      this.#readAt = 0;
    }
    return head === BINARY ? undefined : chunk.subarray(start, end);
  }

  #chunkFor(bytes: number): Buffer {
    const last = this.#chunks.at(-1);
    if (last !== undefined && last.length - this.#writeAt >= bytes) return last;
    // What is left of it is no message: it ends with the last one.
    if (last !== undefined) this.#chunks[this.#chunks.length - 1] = last.subarray(0, this.#writeAt);
    const size = last === undefined ? CHUNK_MIN : Math.min(2 * last.length, CHUNK_MAX);
    const chunk = Buffer.allocUnsafeSlow(Math.max(size, bytes));
    this.#chunks.push(chunk);
    this.#writeAt = 0;
    return chunk;
  }
}
