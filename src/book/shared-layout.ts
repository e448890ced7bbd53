// The one place that names the shared-memory layout of the book: what stands where in a copy.
//
// A copy is one SharedArrayBuffer, allocated at the configured capacity. Pages that were never
// written cost nothing, so growing means writing into memory that is already there: nothing is
// ever moved to a larger buffer. All indexes start at 1: memory that was never written reads as
// NONE. Integers of 128 bits are two u64, low word first.
//
//   header    256 B   HEADER_* (f64 and u32), one POOL_* per table, one HASH_* per hash table
//   orders    128 B   each
//   orderChanged 8 B  each: sequence of the last step that changed the order or its backing, f64
//   orderHash   4 B   order slot by id, open addressing in the entries that HASH_ORDERS names
//   sides      64 B   each: all orders that sell one asset for one other
//   assets     64 B   each: address, references
//   assetHash   4 B
//   assetLinks 64 B   each: the sides that touch the asset, the contract's own backing
//   owners     64 B   each: address, references
//   ownerHash   4 B
//   backings   64 B   each: what stands behind one owner in one asset
//   backingHash 4 B
//   arena       4 B   each: sorted arrays of order slots (sides) and of sides (asset links)
//   arenaState  1 B   for each smallest block of the arena
//
//   order     0 price f64      8 amount f64    16 expires f64   24 owner     28 side
//            32 price i128                     48 sold backing  52 received backing
//            56 selling asset 60 buying asset
//            64 amount i128                    80 id u128
//            96 position u80                  112 next, 116 previous order on the sold backing
//           120 next, 124 previous order on the received backing
//   side      0 changed f64    8 start        12 count         16 base      20 class
//            24 taker sells   28 taker buys   32 next free     40 front changed f64
//            36 .. 39, 48 .. 63 unused
//   address   0 .. 55 strkey in ASCII         56 references    60 hash (next free when unused)
//   links     0 list of sides by what the taker buys: start, count, base, class
//            16 list of sides by what the taker sells: start, count, base, class
//            32 the contract's own backing    36 bytes of the asset's name in an event
//            40 .. 63 unused
//   backing   0 budget f64     8 headroom f64 16 budget i128                32 headroom u64
//            40 owner         44 asset        48 flags         52 skipped
//            56 first order that sells the asset               60 first order that receives it
//
// A list in the arena is `count` sorted entries from `start`, inside the block of 2^class entries
// at `base`: the room on both ends lets an insertion move the shorter part.
import assert from "node:assert/strict";

/** Index, slot or link that leads nowhere. */
export const NONE = 0;

/** Largest number of each thing a book can hold. Reaching one is a `BookCapacityError`. */
export type BookCapacity = {
  readonly orders: number;
  readonly owners: number;
  readonly assets: number;
  /** Directed: a market with orders on both sides counts twice. */
  readonly sides: number;
  readonly backings: number;
};

/**
 * A book of so many live orders, each by a maker of its own if need be, beside accounts that are
 * watched. The room for markets and watched accounts is a guess. Two million orders take 0.9 GB of
 * address space a copy, of which only what is written to becomes memory.
 */
export function capacityFor(orders: number): BookCapacity {
  return {
    orders,
    owners: orders + (1 << 14),
    assets: 1 << 14,
    sides: 1 << 17,
    backings: 2 * orders + (1 << 18),
  };
}

// Header, as f64.
/** Count of steps published: every step raises it by one. */
export const HEADER_SEQUENCE_F64 = 0;
/** 0 until a ledger was applied. */
export const HEADER_LEDGER_F64 = 1;
/** UNIX seconds. */
export const HEADER_CLOSE_TIME_F64 = 2;
// Header, as u32.
/** 1 while the contract is frozen. */
export const HEADER_FROZEN = 6;
/** Owner index of the exchange contract itself. */
export const HEADER_CONTRACT_OWNER = 7;
/** One pool a table: entries in use, highest index ever used, head of the list of free indexes. */
export const POOL_COUNT = 0;
export const POOL_HIGH = 1;
export const POOL_FREE = 2;
export const POOL_ORDERS = 8;
export const POOL_SIDES = 11;
export const POOL_ASSETS = 14;
export const POOL_OWNERS = 17;
export const POOL_BACKINGS = 20;
/** One a hash table: entries in use by it now, less one. It grows with its records. */
const HASH_ORDERS = 23;
const HASH_ASSETS = 24;
const HASH_OWNERS = 25;
const HASH_BACKINGS = 26;
/** Bytes of events and return value that the network carries of one call (contract.md). */
export const HEADER_EVENTS_MAX = 28;
/** The public networks' limit (2026): what counts while the network's own setting is not known. */
export const EVENTS_MAX_DEFAULT = 16_384;
/** End of the arena's blocks that were ever taken, in entries. */
export const HEADER_ARENA_HIGH = 27;
/** One free list for each block class of the arena: offset + 1, or NONE. */
export const HEADER_ARENA_FREE = 32;
const HEADER_BYTES = 256;

// Order slots: multiply the slot by the stride of the array, add the field.
export const ORDER_STRIDE_F64 = 16;
/** Approximations for ranking and pruning, rounded to nearest: `a < b` here means `a < b` exactly. */
export const ORDER_PRICE_F64 = 0;
export const ORDER_AMOUNT_F64 = 1;
/** UNIX seconds; Infinity: never. */
export const ORDER_EXPIRES_F64 = 2;
export const ORDER_STRIDE_U32 = 32;
export const ORDER_OWNER = 6;
export const ORDER_SIDE = 7;
/** Backing of the owner in what the order sells, and in what it receives. Never NONE. */
export const ORDER_SOLD_BACKING = 12;
export const ORDER_RECEIVED_BACKING = 13;
export const ORDER_SELLING = 14;
export const ORDER_BUYING = 15;
/** Links through the orders of one backing; the first of them also links the free slots. */
export const ORDER_SOLD_NEXT = 28;
export const ORDER_SOLD_PREVIOUS = 29;
export const ORDER_RECEIVED_NEXT = 30;
export const ORDER_RECEIVED_PREVIOUS = 31;
export const ORDER_STRIDE_U64 = 16;
export const ORDER_PRICE_U64 = 4;
export const ORDER_AMOUNT_U64 = 8;
export const ORDER_ID_U64 = 10;
/** Position of the creating event: the age of the order. */
export const ORDER_POSITION_U64 = 12;

export const SIDE_STRIDE_F64 = 8;
/** Sequence of the last step that changed an order of the side or the backing of one. */
export const SIDE_CHANGED_F64 = 0;
/**
 * Of the last step that may have changed one of the first `FRONT_ORDERS` orders, or the backing of one:
 * what was derived from no more of them is as good as new, whatever changed behind.
 */
export const SIDE_FRONT_CHANGED_F64 = 5;
/** Most quotes look no further: amounts of two median orders reach a handful (a guess). */
export const FRONT_ORDERS = 16;
export const SIDE_STRIDE_U32 = 16;
export const SIDE_LIST = 2;
/** The asset a taker pays (what the side's orders buy) and the asset a taker gets. */
export const SIDE_TAKER_SELLS = 6;
export const SIDE_TAKER_BUYS = 7;
export const SIDE_NEXT_FREE = 8;

// Fields of a list in the arena, from SIDE_LIST, LINKS_SELLING_LIST or LINKS_BUYING_LIST.
export const LIST_START = 0;
export const LIST_COUNT = 1;
export const LIST_BASE = 2;
export const LIST_CLASS = 3;

export const ADDRESS_STRIDE_U32 = 16;
export const ADDRESS_STRIDE_U8 = 64;
export const ADDRESS_CHARACTERS = 56;
export const ADDRESS_REFERENCES = 14;
/** Hash of the address while in use, next free index while not. */
export const ADDRESS_HASH = 15;

export const LINKS_STRIDE_U32 = 16;
/** Sides on which a taker sells the asset, ascending by the asset bought. */
export const LINKS_SELLING_LIST = 0;
/** Sides on which a taker buys the asset, ascending by the asset sold. */
export const LINKS_BUYING_LIST = 4;
/** The exchange contract's own backing in the asset; NONE while it is not known. */
export const LINKS_CONTRACT_BACKING = 8;

/**
 * Bytes that the asset's name takes in the topics of a transfer (contract.md, What fits in one call);
 * 0 for a token that is no Stellar Asset Contract, and while the kind is not known.
 */
export const LINKS_NAME_BYTES = 9;

export const BACKING_STRIDE_F64 = 8;
/** Approximations: budget; headroom with Infinity for no bound. */
export const BACKING_BUDGET_F64 = 0;
export const BACKING_HEADROOM_F64 = 1;
export const BACKING_STRIDE_U64 = 8;
export const BACKING_BUDGET_U64 = 2;
/** Exact; means nothing without FLAG_HEADROOM. */
export const BACKING_HEADROOM_U64 = 4;
export const BACKING_STRIDE_U32 = 16;
export const BACKING_OWNER = 10;
export const BACKING_ASSET = 11;
export const BACKING_FLAGS = 12;
/** UNIX seconds of the last skip of an order of the owner that sells the asset; 0: none. */
export const BACKING_SKIPPED = 13;
/** First order on the backing; the list of free records runs through the first one. */
export const BACKING_SOLD_FIRST = 14;
export const BACKING_RECEIVED_FIRST = 15;

/** A backing change named the record and no `forget` came since: not just a place for orders. */
export const FLAG_TRACKED = 1;
/** Its values were loaded. Without it the record holds what the book was told to assume. */
export const FLAG_LOADED = 2;
/** The owner can send and receive the asset. */
export const FLAG_AUTHORIZED = 4;
/** A confirming reload is due. */
export const FLAG_PENDING = 8;
/** What the owner can still receive is bounded by the headroom. */
export const FLAG_HEADROOM = 16;
/** The owner issues the asset: what it sells is minted, what it receives is burned. */
export const FLAG_ISSUER = 32;

/** Smallest block of the arena: 2^3 entries, one order or side in it being the common case. */
export const ARENA_CLASS_MIN = 3;
const ARENA_CLASS_MAX = 30;

/** The typed arrays over one copy. Readers only read; see `shared-reader.ts` for exact values. */
export type BookView = {
  readonly capacity: BookCapacity;
  readonly headerF64: Float64Array;
  readonly headerU32: Uint32Array;
  readonly orderF64: Float64Array;
  readonly orderU64: BigUint64Array;
  readonly orderU32: Uint32Array;
  /** By slot, the sequence of the last step that changed its order or the backing of that. */
  readonly orderChanged: Float64Array;
  readonly orderHash: HashTable;
  readonly sideF64: Float64Array;
  readonly sideU32: Uint32Array;
  readonly assets: AddressTable;
  readonly assetLinks: Uint32Array;
  readonly owners: AddressTable;
  readonly backingF64: Float64Array;
  readonly backingU64: BigUint64Array;
  readonly backingU32: Uint32Array;
  readonly backingHash: HashTable;
  /** Entries of the sorted lists: order slots of a side, sides of an asset. */
  readonly arena: Uint32Array;
  readonly arenaState: Uint8Array;
};

export type AddressTable = {
  readonly u32: Uint32Array;
  readonly characters: Buffer;
  readonly hash: HashTable;
};

/** Open addressing with linear probing, in the first `mask + 1` of the entries. */
export type HashTable = {
  readonly entries: Uint32Array;
  readonly header: Uint32Array;
  /** Where the mask stands in the header. */
  readonly mask: number;
};

type Region = { readonly offset: number; readonly bytes: number };
type Regions = ReturnType<typeof bookRegions>;

function powerOfTwoFrom(least: number): number {
  return 2 ** Math.ceil(Math.log2(least));
}

/** Entries of the arena, as a class. */
function arenaClass(capacity: BookCapacity): number {
  // A block is at least a quarter full, or of the smallest class; the same again lets blocks of
  // unlike sizes lie in each other's way. A side stands in two asset lists.
  const smallest = 2 ** ARENA_CLASS_MIN;
  const orders = 4 * capacity.orders + smallest * capacity.sides;
  const links = 2 * (4 * capacity.sides + smallest * capacity.assets);
  return Math.log2(powerOfTwoFrom(2 * (orders + links)));
}

function bookRegions(capacity: BookCapacity) {
  let offset = 0;
  const region = (bytes: number): Region => {
    const at = offset;
    // Regions start on a page, so that touching one does not touch its neighbour.
    offset += Math.ceil(bytes / 4096) * 4096;
    return { offset: at, bytes };
  };
  const table = (count: number, bytes: number) => region((count + 1) * bytes);
  const hash = (count: number) => region(4 * powerOfTwoFrom(2 * (count + 1)));
  const arena = 2 ** arenaClass(capacity);
  return {
    header: region(HEADER_BYTES),
    orders: table(capacity.orders, 128),
    orderChanged: table(capacity.orders, 8),
    orderHash: hash(capacity.orders),
    sides: table(capacity.sides, 64),
    assets: table(capacity.assets, 64),
    assetHash: hash(capacity.assets),
    assetLinks: table(capacity.assets, 64),
    owners: table(capacity.owners, 64),
    ownerHash: hash(capacity.owners),
    backings: table(capacity.backings, 64),
    backingHash: hash(capacity.backings),
    arena: region(4 * arena),
    arenaState: region(arena >> ARENA_CLASS_MIN),
    get totalBytes() {
      return offset;
    },
  };
}

/** Bytes of address space of one copy. Throws on a capacity that the indexes cannot hold. */
export function bookBytes(capacity: BookCapacity): number {
  for (const [name, count] of Object.entries(capacity)) {
    // Slots are shifted left by 5 in 32-bit arithmetic.
    assert(Number.isInteger(count) && count >= 1 && count < 1 << 26, `book capacity of ${name}`);
  }
  assert(arenaClass(capacity) <= ARENA_CLASS_MAX, "book capacity: arena too large");
  return bookRegions(capacity).totalBytes;
}

/** The arrays over a copy that was made with `bookBytes(capacity)`. */
export function bookView(buffer: SharedArrayBuffer, capacity: BookCapacity): BookView {
  assert.equal(buffer.byteLength, bookBytes(capacity), "book buffer of another capacity");
  const at: Regions = bookRegions(capacity);
  const f64 = (of: Region) => new Float64Array(buffer, of.offset, of.bytes / 8);
  const u64 = (of: Region) => new BigUint64Array(buffer, of.offset, of.bytes / 8);
  const u32 = (of: Region) => new Uint32Array(buffer, of.offset, of.bytes / 4);
  const u8 = (of: Region) => new Uint8Array(buffer, of.offset, of.bytes);
  const header = u32(at.header);
  const hash = (of: Region, mask: number) => ({ entries: u32(of), header, mask });
  const addresses = (of: Region, hashOf: Region, mask: number) => ({
    u32: u32(of),
    characters: Buffer.from(buffer, of.offset, of.bytes),
    hash: hash(hashOf, mask),
  });
  return {
    capacity,
    headerF64: f64(at.header),
    headerU32: header,
    orderF64: f64(at.orders),
    orderU64: u64(at.orders),
    orderU32: u32(at.orders),
    orderChanged: f64(at.orderChanged),
    orderHash: hash(at.orderHash, HASH_ORDERS),
    sideF64: f64(at.sides),
    sideU32: u32(at.sides),
    assets: addresses(at.assets, at.assetHash, HASH_ASSETS),
    assetLinks: u32(at.assetLinks),
    owners: addresses(at.owners, at.ownerHash, HASH_OWNERS),
    backingF64: f64(at.backings),
    backingU64: u64(at.backings),
    backingU32: u32(at.backings),
    backingHash: hash(at.backingHash, HASH_BACKINGS),
    arena: u32(at.arena),
    arenaState: u8(at.arenaState),
  };
}

/**
 * Makes the memory of the first `orders` orders ready, and as much of the other tables: the first
 * write to a page costs about ten microseconds. Only before anything else has the buffer.
 */
export function touchBook(buffer: SharedArrayBuffer, capacity: BookCapacity, orders: number): void {
  const bytes = new Uint8Array(buffer);
  const { totalBytes, ...regions } = bookRegions(capacity);
  const share = Math.min(1, orders / capacity.orders);
  for (const region of Object.values(regions)) {
    for (let at = 0; at < share * region.bytes; at += 4096) bytes[region.offset + at] = 0;
  }
}
