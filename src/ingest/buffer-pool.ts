// Buffer pool for bodies of many megabytes. A new buffer for each page makes V8 collect the whole heap every
// few pages, since memory outside of the heap counts towards its limits.

const BUFFER_BYTES_FIRST = 4 << 20;
/** Free ones kept (choice): a thread reads two pages at a time. */
const FREE_MAX = 2;

export class BufferPool {
  readonly #free: Buffer[] = [];
  /** Buffers of this pool. One that is never given back is left to the garbage collector. */
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

  /** Takes back the buffer that `bytes` lies in, if it is one of the pool; it must not be read afterwards. */
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
