// Buffers for bodies of many megabytes, used again. A new one for each page makes the collector run
// through the whole heap every few pages: memory outside of the heap counts for its limits.

const BUFFER_BYTES_FIRST = 4 << 20;
/** Free ones kept (choice): a thread reads two pages at a time. */
const FREE_MAX = 2;

export class BufferPool {
  readonly #free: Buffer[] = [];
  /** Those that are ours. Who never gives one back leaves it to the collector. */
  readonly #known = new WeakSet<ArrayBufferLike>();

  /** The caller's alone until it is given back. */
  take(): Buffer {
    return this.#free.pop() ?? this.#make(BUFFER_BYTES_FIRST);
  }

  /** A buffer for at least `bytes`, with the first `used` bytes of `buffer`, which is forgotten. */
  grown(buffer: Buffer, used: number, bytes: number): Buffer {
    const larger = this.#make(Math.max(bytes, buffer.length * 2));
    buffer.copy(larger, 0, 0, used);
    return larger;
  }

  /** What `bytes` is a part of, if that is one of the pool: nobody may look at any of it afterwards. */
  give(bytes: Uint8Array): void {
    const { buffer } = bytes;
    if (!this.#known.has(buffer) || this.#free.some((one) => one.buffer === buffer)) return;
    if (this.#free.length < FREE_MAX) this.#free.push(Buffer.from(buffer));
  }

  #make(bytes: number): Buffer {
    const made = Buffer.allocUnsafeSlow(bytes);
    this.#known.add(made.buffer);
    return made;
  }
}
