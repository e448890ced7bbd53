// Tables of a copy: free indexes, and the hash tables that find a record. Writer only.
import assert from "node:assert/strict";
import { atOnce } from "../model/slice-turns.ts";
import {
  type BookView,
  type HashTable,
  NONE,
  POOL_COUNT,
  POOL_FREE,
  POOL_HIGH,
} from "./shared-layout.ts";

/** The book is full: what it holds cannot be kept in step with the chain with this configuration. */
export class BookCapacityError extends Error {
  readonly code = "BOOK_CAPACITY";
  readonly what: string;

  constructor(what: string, max: number) {
    super(`the shared book is full: at most ${max} ${what}; raise max-orders`);
    this.what = what;
  }
}

/** A table's records as the pool of its free indexes sees them. */
export type Pool = {
  readonly name: string;
  /** Where the pool stands in the header. */
  readonly at: number;
  readonly max: number;
  readonly records: Uint32Array;
  readonly stride: number;
  /** Field of a free record that links the next one. */
  readonly nextFree: number;
};

/** An index that is free; its record still holds what its last user left. */
export function takeIndex(view: BookView, pool: Pool): number {
  const header = view.headerU32;
  const free = header[pool.at + POOL_FREE]!;
  if (free !== NONE) {
    header[pool.at + POOL_FREE] = pool.records[free * pool.stride + pool.nextFree]!;
    header[pool.at + POOL_COUNT] = header[pool.at + POOL_COUNT]! + 1;
    return free;
  }
  const index = header[pool.at + POOL_HIGH]! + 1;
  if (index > pool.max) throw new BookCapacityError(pool.name, pool.max);
  header[pool.at + POOL_HIGH] = index;
  header[pool.at + POOL_COUNT] = header[pool.at + POOL_COUNT]! + 1;
  return index;
}

export function takenCount(view: BookView, pool: Pool): number {
  return view.headerU32[pool.at + POOL_COUNT]!;
}

export function releaseIndex(view: BookView, pool: Pool, index: number): void {
  const header = view.headerU32;
  pool.records[index * pool.stride + pool.nextFree] = header[pool.at + POOL_FREE]!;
  header[pool.at + POOL_FREE] = index;
  header[pool.at + POOL_COUNT] = header[pool.at + POOL_COUNT]! - 1;
}

/** Entries of a table that holds little (a guess): growing costs nothing yet. */
const HASH_ENTRIES_MIN = 1 << 12;

/** In memory that was never written. */
export function initHash({ entries, header, mask }: HashTable): void {
  header[mask] = Math.min(HASH_ENTRIES_MIN, entries.length) - 1;
}

/** Entries moved in one portion of growing: some ten microseconds (a guess). */
const GROWTH_PORTION = 1 << 8;
/** Entries kept aside and cleared in one portion: as much (a guess). */
const CLEARED_PORTION = 1 << 13;

/**
 * Makes the table one of `count` indexes, in portions; nothing may be looked for in it meanwhile. At most half
 * of the entries are in use: past that the table takes twice as many of those it has room for. A table of the
 * full capacity from the start would cost the memory of all its pages, since entries lie anywhere. To
 * grow costs a look at each record (a guess: 50 ns), once for every doubling.
 * `homeOf` gives the unmasked hash of an index in the table.
 */
export function* growHash(
  table: HashTable,
  count: number,
  homeOf: (index: number) => number,
): Generator<void, void> {
  const { entries, header, mask } = table;
  const size = header[mask]! + 1;
  let wanted = size;
  while (2 * count > wanted && wanted < entries.length) wanted *= 2;
  if (wanted === size) return;
  const former = new Uint32Array(size);
  for (let at = 0; at < size; at += CLEARED_PORTION) {
    const end = Math.min(size, at + CLEARED_PORTION);
    former.set(entries.subarray(at, end), at);
    entries.fill(NONE, at, end);
    yield;
  }
  header[mask] = wanted - 1;
  for (let place = 0; place < size; place += 1) {
    if (former[place] !== NONE) insertAt(table, homeOf(former[place]!), former[place]!);
    if (place % GROWTH_PORTION === 0) yield;
  }
}

/** Puts `index` in, at once, however long making room takes; `count` is how many the table then holds. */
export function insertInHash(
  table: HashTable,
  count: number,
  index: number,
  homeOf: (index: number) => number,
): void {
  if (2 * count > table.header[table.mask]! + 1) atOnce(growHash(table, count, homeOf));
  insertAt(table, homeOf(index), index);
}

/** Puts the indexes from 1 to `count` into an empty table: as `insertInHash` of each, but faster. */
export function fillHash(table: HashTable, count: number, homeOf: (index: number) => number): void {
  const { entries, header, mask } = table;
  let size = header[mask]! + 1;
  while (2 * count > size && size < entries.length) size *= 2;
  header[mask] = size - 1;
  for (let index = 1; index <= count; index += 1) insertAt(table, homeOf(index), index);
}

/** At the first empty place from its home. */
function insertAt({ entries, header, mask: maskAt }: HashTable, home: number, index: number): void {
  const mask = header[maskAt]!;
  let place = home & mask;
  while (entries[place] !== NONE) place = (place + 1) & mask;
  entries[place] = index;
}

/** Takes `index` out and moves later entries of its run back, so that no probe ends early. */
export function removeFromHash(
  { entries, header, mask: maskAt }: HashTable,
  index: number,
  homeOf: (index: number) => number,
): void {
  const mask = header[maskAt]!;
  let hole = homeOf(index) & mask;
  while (entries[hole] !== index) {
    assert(entries[hole] !== NONE, "an index is not in its hash table");
    hole = (hole + 1) & mask;
  }
  let place = hole;
  for (;;) {
    place = (place + 1) & mask;
    const entry = entries[place]!;
    if (entry === NONE) break;
    // An entry may fill the hole only when its home does not lie after the hole.
    const distance = (place - (homeOf(entry) & mask)) & mask;
    if (distance >= ((place - hole) & mask)) {
      entries[hole] = entry;
      hole = place;
    }
  }
  entries[hole] = NONE;
}
