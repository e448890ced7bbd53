// A copy of a table's rows, for later reading: smaller than the pages that they lie in, and immutable.
import type { EntryBytes } from "./table-sweep.ts";

export type Row = { readonly key: string; readonly value: Uint8Array };

const BYTES_MIN = 1 << 16;
/** Before each row: the lengths of its key and its value. */
const HEAD_BYTES = 8;

export class RowCopy {
  #bytes = Buffer.allocUnsafeSlow(BYTES_MIN);
  #end = 0;
  /** Where the rows begin whose keys begin with a byte. */
  readonly #starts = new Map<number, number>();

  /** In the order of keys. */
  add(key: EntryBytes, value: EntryBytes): void {
    const [keyBytes, valueBytes] = [key.end - key.start, value.end - value.start];
    const end = this.#end + HEAD_BYTES + keyBytes + valueBytes;
    if (end > this.#bytes.length) this.#grow(end);
    const bytes = this.#bytes;
    bytes.writeUInt32LE(keyBytes, this.#end);
    bytes.writeUInt32LE(valueBytes, this.#end + 4);
    // Not `copy`, which trusts the buffer's own length: lmdb's buffer has that of the last value.
    bytes.set(key.bytes.subarray(key.start, key.end), this.#end + HEAD_BYTES);
    bytes.set(value.bytes.subarray(value.start, value.end), end - valueBytes);
    const first = bytes[this.#end + HEAD_BYTES] ?? 0;
    if (!this.#starts.has(first)) this.#starts.set(first, this.#end);
    this.#end = end;
  }

  /** Those whose keys begin with `prefix`, in the order they were added. For keys of ASCII alone. */
  *withPrefix(prefix: string): Generator<Row> {
    const [bytes, wanted] = [this.#bytes, Buffer.from(prefix, "latin1")];
    const [first] = wanted;
    for (
      let at = first === undefined ? 0 : (this.#starts.get(first) ?? this.#end);
      at < this.#end;
    ) {
      const keyAt = at + HEAD_BYTES;
      const valueAt = keyAt + bytes.readUInt32LE(at);
      at = valueAt + bytes.readUInt32LE(at + 4);
      if (wanted.compare(bytes, keyAt, Math.min(keyAt + wanted.length, valueAt)) === 0) {
        yield {
          key: bytes.toString("latin1", keyAt, valueAt),
          value: bytes.subarray(valueAt, at),
        };
      } else if (bytes[keyAt] !== first) return;
    }
  }

  #grow(least: number): void {
    const bytes = Buffer.allocUnsafeSlow(2 * least);
    this.#bytes.copy(bytes, 0, 0, this.#end);
    this.#bytes = bytes;
  }
}
