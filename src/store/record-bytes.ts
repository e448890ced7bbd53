// Encoding of stored records: a sequence of fields without names, in the order that the record's own codec
// fixes. Integers keep their full width (ids and prices exceed 64 bits).
import { StoreError } from "./store-error.ts";

const CHUNK_BYTES = 64 * 1024;
const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const BITS_56 = 1n << 56n;
const BITS_64 = 1n << 64n;

/** Appends fields to one buffer; `take` cuts off what was written since the last `take`. */
export class RecordWriter {
  #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  #view = viewOf(this.#chunk);
  #start = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#start;
  }

  byte(value: number): this {
    this.#room(1);
    this.#chunk[this.#end] = value;
    this.#end += 1;
    return this;
  }

  uint32(value: number): this {
    this.#room(4);
    this.#end = this.#chunk.writeUInt32BE(value, this.#end);
    return this;
  }

  /** A non-negative integer; beyond 2^53 as exact as the number itself. */
  count(value: number): this {
    this.#room(10);
    let rest = value;
    while (rest >= 128) {
      this.#chunk[this.#end] = 128 + (rest % 128);
      this.#end += 1;
      rest = Math.floor(rest / 128);
    }
    this.#chunk[this.#end] = rest;
    this.#end += 1;
    return this;
  }

  /** A non-negative integer of at most 255 bytes. */
  uint(value: bigint): this {
    if (value <= SAFE_MAX) return this.#smallUint(Number(value));
    if (value < BITS_64) return this.#wideUint(value);
    let digits = value.toString(16);
    if (digits.length % 2 === 1) digits = `0${digits}`;
    const bytes = digits.length / 2;
    if (value < 0n || bytes > 255) throw new RangeError(`not a storable integer: ${value}`);
    this.#room(1 + bytes);
    this.#chunk[this.#end] = bytes;
    this.#end += 1 + this.#chunk.write(digits, this.#end + 1, "hex");
    return this;
  }

  bytes(value: Uint8Array): this {
    this.count(value.length);
    this.#room(value.length);
    this.#chunk.set(value, this.#end);
    this.#end += value.length;
    return this;
  }

  text(value: string): this {
    return this.bytes(Buffer.from(value, "utf8"));
  }

  /** The record written since the last call. */
  take(): Buffer {
    const record = this.#chunk.subarray(this.#start, this.#end);
    this.#start = this.#end;
    return record;
  }

  #smallUint(value: number): this {
    if (value < 0) throw new RangeError(`not a storable integer: ${value}`);
    let bytes = 0;
    for (let rest = value; rest >= 1; rest /= 256) bytes += 1;
    this.#room(1 + bytes);
    this.#chunk[this.#end] = bytes;
    this.#end += 1;
    let rest = value;
    for (let at = this.#end + bytes - 1; at >= this.#end; at -= 1) {
      this.#chunk[at] = rest % 256;
      rest = Math.floor(rest / 256);
    }
    this.#end += bytes;
    return this;
  }

  /** Of 7 or 8 bytes. */
  #wideUint(value: bigint): this {
    this.#room(9);
    const at = this.#end;
    const bytes = value < BITS_56 ? 7 : 8;
    // Of 7 bytes, the upper one of 8 lies where their count comes.
    this.#view.setBigUint64(at + bytes - 7, value);
    this.#chunk[at] = bytes;
    this.#end = at + 1 + bytes;
    return this;
  }

  // Taken records stay views of the old chunk, so a full chunk is left behind, never overwritten.
  #room(bytes: number): void {
    if (this.#end + bytes <= this.#chunk.length) return;
    const written = this.#end - this.#start;
    const chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, 2 * (written + bytes)));
    this.#chunk.copy(chunk, 0, this.#start, this.#end);
    this.#chunk = chunk;
    this.#view = viewOf(chunk);
    this.#start = 0;
    this.#end = written;
  }
}

/** Reads the fields back in the same order. Reading past the end is a damaged record. */
export class RecordReader {
  readonly #record: Buffer;
  #at = 0;

  constructor(record: Uint8Array) {
    this.#record = Buffer.isBuffer(record)
      ? record
      : Buffer.from(record.buffer, record.byteOffset, record.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#record.length;
  }

  get offset(): number {
    return this.#at;
  }

  /** The next field is the one at an offset. */
  goTo(offset: number): void {
    this.#at = offset;
  }

  skipUint(): void {
    this.#advance(this.byte());
  }

  byte(): number {
    return this.#record[this.#advance(1)] ?? 0;
  }

  uint32(): number {
    return this.#record.readUInt32BE(this.#advance(4));
  }

  count(): number {
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte % 128) * unit;
      if (byte < 128) return value;
      unit *= 128;
    }
  }

  uint(): bigint {
    const bytes = this.byte();
    const at = this.#advance(bytes);
    const record = this.#record;
    if (bytes <= 6) return bytes === 0 ? 0n : BigInt(record.readUIntBE(at, bytes));
    if (bytes <= 8) return wide(record, at, bytes);
    if (bytes <= 16) {
      const low = at + bytes - 8;
      return (wide(record, at, bytes - 8) << 64n) | record.readBigUInt64BE(low);
    }
    return BigInt(`0x${record.toString("hex", at, at + bytes)}`);
  }

  bytes(): Buffer {
    const length = this.count();
    const at = this.#advance(length);
    return this.#record.subarray(at, at + length);
  }

  text(): string {
    return this.bytes().toString("utf8");
  }

  #advance(bytes: number): number {
    const at = this.#at;
    if (at + bytes > this.#record.length) {
      throw new StoreError("damaged", "the store is damaged: a record ends too early");
    }
    this.#at = at + bytes;
    return at;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** The `bytes` (1 to 8) big-endian bytes at `at`. */
function wide(record: Buffer, at: number, bytes: number): bigint {
  if (bytes === 8) return record.readBigUInt64BE(at);
  if (bytes <= 6) return BigInt(record.readUIntBE(at, bytes));
  return (
    (BigInt(record.readUIntBE(at, bytes - 6)) << 48n) | BigInt(record.readUIntBE(at + bytes - 6, 6))
  );
}
