// Hot path: looked up for every account, trustline and contract entry that a ledger changes, some
// thousands a ledger. No allocation; a few ns where the key is not followed.
//
// The keys of followed ledger entries, found by their bytes inside a ledger. A LedgerKey is its type
// (32 bits) and a body; the same body stands, in one piece, in the entry itself.

const SLOTS_MIN = 1 << 10;
/** LedgerEntryType: account, trustline, contract data, setting of the network. */
const FOLLOWED_TYPES: ReadonlySet<number> = new Set([0, 1, 6, 8]);
/** Bodies of settings have one word, their id. Of others the filter looks at the second. */
const SETTING_TYPE = 8;
/** Bytes of a setting's key, and at least of any other. */
const SETTING_BYTES = 8;
const KEY_BYTES_MIN = 12;
/** Slots for each 32 bits of the filter: 16 bits a key where the slots are half used. */
const FILTER_SHARE = 4;
const EMPTY = -1;
const DELETED = -2;

export class KeyTable {
  /** Open addressing: ids, or EMPTY, or DELETED. Invariant: a power of two, at most half used. */
  #slots = new Int32Array(SLOTS_MIN).fill(EMPTY);
  /**
   * One bit for each second word of a body: the first one random in keys of every type but settings,
   * which are few and not in it. Most keys of a ledger are not followed and end here. Bits of deleted
   * keys stay until the next rehash.
   */
  #filter = new Int32Array(SLOTS_MIN / FILTER_SHARE);
  /** Slots that are not EMPTY. */
  #used = 0;
  readonly #ids = new Map<string, number>();
  readonly #free: number[] = [];
  /** By id: the key in base64 XDR, and where its body lies in `bodies`. */
  readonly #texts: string[] = [];
  readonly #types: number[] = [];
  readonly #hashes: number[] = [];
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];
  #bodies = new DataView(new ArrayBuffer(1 << 16));
  #bodiesUsed = 0;
  #bodiesLost = 0;

  get size(): number {
    return this.#ids.size;
  }

  has(key: string): boolean {
    return this.#ids.has(key);
  }

  keys(): Iterable<string> {
    return this.#ids.keys();
  }

  /**
   * `key` is the LedgerKey of an account, a trustline, contract data or a setting, in base64 XDR.
   * Throws a RangeError where it cannot be one.
   */
  add(key: string): void {
    if (this.#ids.has(key)) return;
    const bytes = Buffer.from(key, "base64");
    if (
      bytes.length % 4 !== 0 ||
      bytes.toString("base64") !== key ||
      bytes.length < SETTING_BYTES ||
      !FOLLOWED_TYPES.has(bytes.readInt32BE(0)) ||
      (bytes.readInt32BE(0) === SETTING_TYPE
        ? bytes.length !== SETTING_BYTES
        : bytes.length < KEY_BYTES_MIN)
    ) {
      throw new RangeError(`no LedgerKey that can be followed: ${key.slice(0, 200)}`);
    }
    const id = this.#free.pop() ?? this.#texts.length;
    const start = this.#keep(bytes.subarray(4));
    this.#ids.set(key, id);
    this.#texts[id] = key;
    this.#types[id] = bytes.readInt32BE(0);
    this.#starts[id] = start;
    this.#lengths[id] = bytes.length - 4;
    this.#hashes[id] = hashBody(
      this.#bodies,
      bytes.readInt32BE(0),
      start,
      start + bytes.length - 4,
    );
    if ((this.#used + 1) * 2 > this.#slots.length) this.#rehash();
    else this.#place(id);
  }

  delete(key: string): void {
    const id = this.#ids.get(key);
    if (id === undefined) return;
    this.#ids.delete(key);
    const mask = this.#slots.length - 1;
    for (let at = (this.#hashes[id] ?? 0) & mask; ; at = (at + 1) & mask) {
      if (this.#slots[at] !== id) continue;
      this.#slots[at] = DELETED;
      break;
    }
    this.#bodiesLost += this.#lengths[id] ?? 0;
    this.#texts[id] = "";
    this.#free.push(id);
  }

  /** The id of the followed key with this type and body, or -1. */
  find(view: DataView, type: number, from: number, to: number): number {
    if (type !== SETTING_TYPE) {
      const word = view.getInt32(from + 4);
      const bits = this.#filter[(word >>> 5) & (this.#filter.length - 1)] ?? 0;
      if ((bits & (1 << (word & 31))) === 0) return -1;
    }
    const hash = hashBody(view, type, from, to);
    const mask = this.#slots.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const id = this.#slots[at] ?? EMPTY;
      if (id === EMPTY) return -1;
      if (id !== DELETED && this.#hashes[id] === hash && this.#equals(id, view, type, from, to)) {
        return id;
      }
    }
  }

  /** The key of an id that `find` gave, in base64 XDR. */
  text(id: number): string {
    return this.#texts[id] ?? "";
  }

  #equals(id: number, view: DataView, type: number, from: number, to: number): boolean {
    if (this.#types[id] !== type || this.#lengths[id] !== to - from) return false;
    const start = this.#starts[id] ?? 0;
    for (let at = from; at < to; at += 4) {
      if (view.getInt32(at) !== this.#bodies.getInt32(start + at - from)) return false;
    }
    return true;
  }

  #place(id: number): void {
    const mask = this.#slots.length - 1;
    let at = (this.#hashes[id] ?? 0) & mask;
    while (this.#slots[at] !== EMPTY) at = (at + 1) & mask;
    this.#slots[at] = id;
    this.#used += 1;
    if (this.#types[id] === SETTING_TYPE) return;
    const word = this.#bodies.getInt32((this.#starts[id] ?? 0) + 4);
    const bits = (word >>> 5) & (this.#filter.length - 1);
    this.#filter[bits] = (this.#filter[bits] ?? 0) | (1 << (word & 31));
  }

  /** Into slots four times as many as keys, without those deleted. */
  #rehash(): void {
    let size = SLOTS_MIN;
    while (size < this.#ids.size * 4) size *= 2;
    this.#slots = new Int32Array(size).fill(EMPTY);
    this.#filter = new Int32Array(size / FILTER_SHARE);
    this.#used = 0;
    for (const id of this.#ids.values()) this.#place(id);
  }

  #keep(body: Uint8Array): number {
    if (this.#bodiesUsed + body.length > this.#bodies.byteLength) this.#makeRoom(body.length);
    const start = this.#bodiesUsed;
    new Uint8Array(this.#bodies.buffer).set(body, start);
    this.#bodiesUsed += body.length;
    return start;
  }

  /** Copies the bodies still needed to a buffer with room for twice as many. */
  #makeRoom(bytes: number): void {
    const needed = this.#bodiesUsed - this.#bodiesLost + bytes;
    const next = new Uint8Array(needed * 2);
    const old = new Uint8Array(this.#bodies.buffer);
    let used = 0;
    for (const id of this.#ids.values()) {
      const start = this.#starts[id] ?? 0;
      const length = this.#lengths[id] ?? 0;
      next.set(old.subarray(start, start + length), used);
      this.#starts[id] = used;
      used += length;
    }
    this.#bodies = new DataView(next.buffer);
    this.#bodiesUsed = used;
    this.#bodiesLost = 0;
  }
}

/** Of whole 32-bit words; mixes each so that keys that differ in one bit part. */
function hashBody(view: DataView, type: number, from: number, to: number): number {
  let hash = type;
  for (let at = from; at < to; at += 4) {
    hash = Math.imul(hash ^ view.getInt32(at), 0x9e37_79b1);
    hash ^= hash >>> 15;
  }
  return hash & 0x3fff_ffff;
}
