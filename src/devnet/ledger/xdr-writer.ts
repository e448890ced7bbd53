declare const xdrBrand: unique symbol;
/**
 * XDR as a string of one character a byte. V8 allocates and frees short strings far cheaper than
 * typed arrays, and a ledger is made of some ten thousand entries and events.
 */
export type XdrText = string & { readonly [xdrBrand]: true };

export function xdrText(bytes: Uint8Array): XdrText {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1") as XdrText;
}

export function xdrBytes(text: XdrText): Buffer {
  return Buffer.from(text, "latin1");
}

/** Bytes to start with; grows by doubling. */
const INITIAL_BYTES = 64 * 1024;
/** A key, a hash or a name. */
const COPIED_BYTES_MAX = 32;
const UINT64_MAX = 2n ** 64n - 1n;
const INT64_MAX = 2n ** 63n - 1n;

/** Appends XDR to one growing buffer. Its methods throw a RangeError for a value out of range. */
export class XdrWriter {
  #buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #view = new DataView(this.#buffer.buffer);
  #at = 0;

  uint32(value: number): void {
    if (value >>> 0 !== value) throw outOfRange("uint32", value);
    this.#reserve(4);
    this.#view.setUint32(this.#at, value);
    this.#at += 4;
  }

  int32(value: number): void {
    if ((value | 0) !== value) throw outOfRange("int32", value);
    this.#reserve(4);
    this.#view.setInt32(this.#at, value);
    this.#at += 4;
  }

  uint64(value: bigint): void {
    if (value < 0n || value > UINT64_MAX) throw outOfRange("uint64", value);
    this.#reserve(8);
    this.#view.setBigUint64(this.#at, value);
    this.#at += 8;
  }

  int64(value: bigint): void {
    if (value > INT64_MAX || value < -INT64_MAX - 1n) throw outOfRange("int64", value);
    this.#reserve(8);
    this.#view.setBigInt64(this.#at, value);
    this.#at += 8;
  }

  bool(value: boolean): void {
    if (typeof value !== "boolean") throw outOfRange("bool", value);
    this.uint32(value ? 1 : 0);
  }

  /** The length of an array, of bytes or of a text, at most `max`. */
  length(value: number, max: number): void {
    if (value > max) throw outOfRange(`length of at most ${max}`, value);
    this.uint32(value);
  }

  /** Of a length that both sides know, with its padding. */
  opaque(value: Uint8Array, length: number): void {
    if (value.length !== length) throw outOfRange(`length of ${length}`, value.length);
    this.#reserve(length + 3);
    // Copying a few bytes by hand is cheaper than the call.
    if (length > COPIED_BYTES_MAX) this.#buffer.set(value, this.#at);
    else for (let at = 0; at < length; at += 1) this.#buffer[this.#at + at] = value[at] ?? 0;
    this.#at += length;
    for (; this.#at % 4 !== 0; this.#at += 1) this.#buffer[this.#at] = 0;
  }

  varOpaque(value: Uint8Array, max: number): void {
    this.length(value.length, max);
    this.opaque(value, value.length);
  }

  /** XDR that was encoded before. */
  xdr(encoded: XdrText | Uint8Array): void {
    this.#reserve(encoded.length);
    if (typeof encoded === "string") this.#buffer.write(encoded, this.#at, "latin1");
    else this.#buffer.set(encoded, this.#at);
    this.#at += encoded.length;
  }

  /** Bytes written since the last call of `take...` or `clear`. */
  get bytes(): number {
    return this.#at;
  }

  takeText(): XdrText {
    const taken = this.#buffer.toString("latin1", 0, this.#at) as XdrText;
    this.#at = 0;
    return taken;
  }

  takeBytes(): Buffer {
    const taken = Buffer.allocUnsafe(this.#at);
    this.#buffer.copy(taken, 0, 0, this.#at);
    this.#at = 0;
    return taken;
  }

  clear(): void {
    this.#at = 0;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(2 * (this.#buffer.length + bytes));
    grown.set(this.#buffer.subarray(0, this.#at));
    this.#buffer = grown;
    this.#view = new DataView(grown.buffer);
  }
}

function outOfRange(what: string, value: unknown): RangeError {
  return new RangeError(`not a ${what}: ${String(value)}`);
}
