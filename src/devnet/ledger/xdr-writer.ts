// Hot path: every value, key, entry and event of a ledger is written through here, some thousands a
// ledger. The SDK's encoder allocates 8 KB for each value it encodes, which costs more than the
// values do; what is written often is therefore written by hand, and tests compare it with the SDK.

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

/** Appends XDR to one growing buffer. */
export class XdrWriter {
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  #at = 0;

  uint32(value: number): void {
    this.#reserve(4);
    this.#at = this.#buffer.writeUInt32BE(value, this.#at);
  }

  int32(value: number): void {
    this.#reserve(4);
    this.#at = this.#buffer.writeInt32BE(value, this.#at);
  }

  uint64(value: bigint): void {
    this.#reserve(8);
    this.#at = this.#buffer.writeBigUInt64BE(value, this.#at);
  }

  int64(value: bigint): void {
    this.#reserve(8);
    this.#at = this.#buffer.writeBigInt64BE(value, this.#at);
  }

  /** Of a length that both sides know; a multiple of 4. */
  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#buffer.set(value, this.#at);
    this.#at += value.length;
  }

  /** With its length before it and padding behind. */
  opaque(value: Uint8Array): void {
    this.uint32(value.length);
    this.#reserve(value.length + 3);
    this.#buffer.set(value, this.#at);
    this.#at += value.length;
    while (this.#at % 4 !== 0) {
      this.#buffer[this.#at] = 0;
      this.#at += 1;
    }
  }

  /** An array of variable length: its length, then what `write` appends for each item. */
  list<T>(items: readonly T[], write: (item: T) => void): void {
    this.uint32(items.length);
    for (const item of items) write(item);
  }

  /** As an optional value: whether it is there, and what `write` appends for it. */
  option<T>(value: T | undefined, write: (value: T) => void): void {
    this.uint32(value === undefined ? 0 : 1);
    if (value !== undefined) write(value);
  }

  /** XDR that was encoded before; of a multiple of 4 bytes. */
  xdr(text: XdrText): void {
    this.#reserve(text.length);
    this.#at += this.#buffer.write(text, this.#at, "latin1");
  }

  /** Bytes written since the last `take`. */
  get length(): number {
    return this.#at;
  }

  /** What was written since the last call. */
  takeText(): XdrText {
    const taken = this.#buffer.toString("latin1", 0, this.#at) as XdrText;
    this.#at = 0;
    return taken;
  }

  takeBytes(): Buffer {
    const taken = Buffer.from(this.#buffer.subarray(0, this.#at));
    this.#at = 0;
    return taken;
  }

  /** Forgets what was written since the last call. */
  clear(): void {
    this.#at = 0;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(2 * (this.#buffer.length + bytes));
    grown.set(this.#buffer.subarray(0, this.#at));
    this.#buffer = grown;
  }
}

/** One writer for each level of nesting: an entry may be encoded while a list of them is. */
const writers: XdrWriter[] = [];
let depth = 0;

/** The XDR that `write` appends. */
export function encode(write: (to: XdrWriter) => void): XdrText {
  return withWriter(write, (writer) => writer.takeText());
}

/** As `encode`, for what is large or goes into a hash. */
export function encodeBytes(write: (to: XdrWriter) => void): Buffer {
  return withWriter(write, (writer) => writer.takeBytes());
}

function withWriter<T>(write: (to: XdrWriter) => void, take: (writer: XdrWriter) => T): T {
  const writer = writers[depth] ?? new XdrWriter();
  writers[depth] = writer;
  depth += 1;
  try {
    write(writer);
  } catch (error) {
    writer.clear();
    throw error;
  } finally {
    depth -= 1;
  }
  return take(writer);
}
