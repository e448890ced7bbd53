// Hot path: the sorted lists of a copy, in blocks of a power of two of u32 entries. Writer only.
// An insertion moves the shorter part of its list by one entry; blocks merge when freed.
import assert from "node:assert/strict";
import {
  ARENA_CLASS_MIN,
  type BookView,
  HEADER_ARENA_FREE,
  HEADER_ARENA_HIGH,
  LIST_BASE,
  LIST_CLASS,
  LIST_COUNT,
  LIST_START,
} from "./shared-layout.ts";
import { BookCapacityError } from "./shared-pool.ts";

/** Lists up to this class use their room on either end before they are moved (guess). */
const SMALL_CLASS = 6;

/** The arena of a new copy: one free block. */
export function initArena(view: BookView): void {
  pushFree(view, 0, topClass(view));
}

/** Makes the arena of `to`, never written but for its start, the same bytes as that of `from`. */
export function copyArena(from: BookView, to: BookView): void {
  const high = from.headerU32[HEADER_ARENA_HIGH]!;
  to.arena.set(from.arena.subarray(0, high));
  to.arenaState.set(from.arenaState.subarray(0, Math.ceil(high / 2 ** ARENA_CLASS_MIN)));
  // Beyond that lie free blocks alone, of which the first entries and states are written.
  for (let sizeClass = ARENA_CLASS_MIN; sizeClass <= topClass(from); sizeClass += 1) {
    let offset = from.headerU32[HEADER_ARENA_FREE + sizeClass]!;
    while (offset !== 0) {
      const at = offset - 1;
      to.arena[at] = from.arena[at]!;
      to.arena[at + 1] = from.arena[at + 1]!;
      const state = at >>> ARENA_CLASS_MIN;
      to.arenaState[state] = from.arenaState[state]!;
      offset = from.arena[at]!;
    }
  }
}

/** Puts `value` at `place` (0 to count) of the list whose fields are at `words[at]`. */
export function insertInList(
  view: BookView,
  words: Uint32Array,
  at: number,
  place: number,
  value: number,
): void {
  const count = words[at + LIST_COUNT]!;
  const toLeft = place < count >>> 1;
  if (!hasRoom(words, at, toLeft)) makeRoom(view, words, at);
  // A small list may have room at the other end only.
  const left = hasRoom(words, at, toLeft) ? toLeft : !toLeft;
  const start = words[at + LIST_START]!;
  if (left) {
    view.arena.copyWithin(start - 1, start, start + place);
    words[at + LIST_START] = start - 1;
    view.arena[start - 1 + place] = value;
  } else {
    view.arena.copyWithin(start + place + 1, start + place, start + count);
    view.arena[start + place] = value;
  }
  words[at + LIST_COUNT] = count + 1;
}

/** Takes the entry at `place` out. An empty list holds no block. */
export function removeFromList(
  view: BookView,
  words: Uint32Array,
  at: number,
  place: number,
): void {
  const start = words[at + LIST_START]!;
  const count = words[at + LIST_COUNT]!;
  assert(place < count, "no such place in a list");
  if (place < count >>> 1) {
    view.arena.copyWithin(start + 1, start, start + place);
    words[at + LIST_START] = start + 1;
  } else {
    view.arena.copyWithin(start + place, start + place + 1, start + count);
  }
  const left = count - 1;
  words[at + LIST_COUNT] = left;
  const sizeClass = words[at + LIST_CLASS]!;
  if (left === 0) {
    freeBlock(view, words[at + LIST_BASE]!, sizeClass);
    words.fill(0, at, at + LIST_CLASS + 1);
  } else if (sizeClass > ARENA_CLASS_MIN && left <= 2 ** (sizeClass - 2)) {
    moveList(view, words, at, sizeClass - 1);
  }
}

/** Puts `values`, at least one, into an empty list, in the middle of its block. */
export function fillList(
  view: BookView,
  words: Uint32Array,
  at: number,
  values: readonly number[],
): void {
  let sizeClass = ARENA_CLASS_MIN;
  // As full as a list that grew to this count: see `makeRoom`.
  while (values.length > 2 ** sizeClass - 2 ** (sizeClass - 2)) sizeClass += 1;
  const base = takeBlock(view, sizeClass);
  const start = base + ((2 ** sizeClass - values.length) >>> 1);
  view.arena.set(values, start);
  words[at + LIST_START] = start;
  words[at + LIST_COUNT] = values.length;
  words[at + LIST_BASE] = base;
  words[at + LIST_CLASS] = sizeClass;
}

function hasRoom(words: Uint32Array, at: number, left: boolean): boolean {
  const sizeClass = words[at + LIST_CLASS]!;
  if (sizeClass === 0) return false;
  const base = words[at + LIST_BASE]!;
  const start = words[at + LIST_START]!;
  if (left) return start > base;
  return start + words[at + LIST_COUNT]! < base + 2 ** sizeClass;
}

function makeRoom(view: BookView, words: Uint32Array, at: number): void {
  const count = words[at + LIST_COUNT]!;
  const sizeClass = words[at + LIST_CLASS]!;
  const size = 2 ** sizeClass;
  if (sizeClass === 0) {
    const base = takeBlock(view, ARENA_CLASS_MIN);
    words[at + LIST_BASE] = base;
    words[at + LIST_START] = base + 2 ** (ARENA_CLASS_MIN - 1);
    words[at + LIST_CLASS] = ARENA_CLASS_MIN;
  } else if (sizeClass <= SMALL_CLASS) {
    if (count === size) moveList(view, words, at, sizeClass + 1);
  } else if (count > size - (size >>> 2)) {
    moveList(view, words, at, sizeClass + 1);
  } else {
    // At least an eighth of the block is then free on each end, which pays for the move.
    const start = words[at + LIST_START]!;
    const centered = words[at + LIST_BASE]! + ((size - count) >>> 1);
    view.arena.copyWithin(centered, start, start + count);
    words[at + LIST_START] = centered;
  }
}

/** To the middle of a block of another class. */
function moveList(view: BookView, words: Uint32Array, at: number, sizeClass: number): void {
  const count = words[at + LIST_COUNT]!;
  const start = words[at + LIST_START]!;
  const base = takeBlock(view, sizeClass);
  const centered = base + ((2 ** sizeClass - count) >>> 1);
  view.arena.copyWithin(centered, start, start + count);
  freeBlock(view, words[at + LIST_BASE]!, words[at + LIST_CLASS]!);
  words[at + LIST_BASE] = base;
  words[at + LIST_START] = centered;
  words[at + LIST_CLASS] = sizeClass;
}

function topClass(view: BookView): number {
  return 31 - Math.clz32(view.arena.length);
}

function takeBlock(view: BookView, wanted: number): number {
  const top = topClass(view);
  let sizeClass = wanted;
  while (sizeClass <= top && view.headerU32[HEADER_ARENA_FREE + sizeClass] === 0) sizeClass += 1;
  if (sizeClass > top) throw new BookCapacityError("arena", view.arena.length);
  const offset = view.headerU32[HEADER_ARENA_FREE + sizeClass]! - 1;
  unlinkFree(view, offset, sizeClass);
  while (sizeClass > wanted) {
    sizeClass -= 1;
    pushFree(view, offset + 2 ** sizeClass, sizeClass);
  }
  const header = view.headerU32;
  header[HEADER_ARENA_HIGH] = Math.max(header[HEADER_ARENA_HIGH]!, offset + 2 ** wanted);
  return offset;
}

function freeBlock(view: BookView, offset: number, sizeClass: number): void {
  const top = topClass(view);
  let merged = offset;
  let mergedClass = sizeClass;
  while (mergedClass < top) {
    const buddy = merged ^ (2 ** mergedClass);
    if (view.arenaState[buddy >>> ARENA_CLASS_MIN] !== mergedClass + 1) break;
    unlinkFree(view, buddy, mergedClass);
    merged = Math.min(merged, buddy);
    mergedClass += 1;
  }
  pushFree(view, merged, mergedClass);
}

// Invariant: a free block has class + 1 in the state of its first smallest block; every other
// state is 0. Its first two entries link the free blocks of its class (offset + 1, 0: none).
function pushFree(view: BookView, offset: number, sizeClass: number): void {
  const head = view.headerU32[HEADER_ARENA_FREE + sizeClass]!;
  view.arena[offset] = head;
  view.arena[offset + 1] = 0;
  if (head !== 0) view.arena[head] = offset + 1;
  view.headerU32[HEADER_ARENA_FREE + sizeClass] = offset + 1;
  view.arenaState[offset >>> ARENA_CLASS_MIN] = sizeClass + 1;
}

function unlinkFree(view: BookView, offset: number, sizeClass: number): void {
  const next = view.arena[offset]!;
  const previous = view.arena[offset + 1]!;
  if (previous === 0) view.headerU32[HEADER_ARENA_FREE + sizeClass] = next;
  else view.arena[previous - 1] = next;
  // Links are offsets + 1, which is also where the link back of that block stands.
  if (next !== 0) view.arena[next] = previous;
  view.arenaState[offset >>> ARENA_CLASS_MIN] = 0;
}
