import assert from "node:assert/strict";
// Tables of a copy: free indexes, and the hash tables that find a record. Writer only.
import { type BookView, NONE, POOL_COUNT, POOL_FREE, POOL_HIGH } from "./shared-layout.ts";

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

export function releaseIndex(view: BookView, pool: Pool, index: number): void {
  const header = view.headerU32;
  pool.records[index * pool.stride + pool.nextFree] = header[pool.at + POOL_FREE]!;
  header[pool.at + POOL_FREE] = index;
  header[pool.at + POOL_COUNT] = header[pool.at + POOL_COUNT]! - 1;
}

/** Open addressing with linear probing: puts `index` at the first empty place from its home. */
export function insertInHash(hash: Uint32Array, home: number, index: number): void {
  const mask = hash.length - 1;
  let place = home & mask;
  while (hash[place] !== NONE) place = (place + 1) & mask;
  hash[place] = index;
}

/**
 * Takes `index` out and moves later entries of its run back, so that no probe ends early.
 * `homeOf` gives the unmasked hash of an index in the table.
 */
export function removeFromHash(
  hash: Uint32Array,
  home: number,
  index: number,
  homeOf: (index: number) => number,
): void {
  const mask = hash.length - 1;
  let hole = home & mask;
  while (hash[hole] !== index) {
    assert(hash[hole] !== NONE, "an index is not in its hash table");
    hole = (hole + 1) & mask;
  }
  let place = hole;
  for (;;) {
    place = (place + 1) & mask;
    const entry = hash[place]!;
    if (entry === NONE) break;
    // An entry may fill the hole only when its home does not lie after the hole.
    const distance = (place - (homeOf(entry) & mask)) & mask;
    if (distance >= ((place - hole) & mask)) {
      hash[hole] = entry;
      hole = place;
    }
  }
  hash[hole] = NONE;
}
