// The orders of a side that are likely to be part of a best selection, whatever the amount: what is left
// once dominated orders are dropped. Made once for each building of a curve, some 20 ns an order of it.
//
// Order j is dominated where more orders than a route lists are no dearer and no smaller, each of
// another maker who can fill it, or of one with backing for all: one of those is not listed, and in
// the place of j it costs no more, since what it takes beyond j comes off the break item. So a flood
// of small orders leaves only its best few, and what lies behind it stays in sight. The orders that
// no others dominate form a k-skyband (Papadias et al., ACM TODS 30, 2005): some k ln(n / k) of n.
//
// That fails where j uses up more than the one in its place and nothing else takes the rest, or where what
// comes off is a break item cheaper than both, which its maker can only fill in part. So what is dropped is
// noted: a search tells which of it could matter (hop-solver.ts), and those orders are then candidates, too.
//
// One maker's orders beyond its backing are thinned against each other: the cheapest stay, and of those as
// cheap and as large, and of those as cheap and as small, as many as its backing can fill at once. That is
// no proof: the path counts as unproven.
import { ORDERS_MAX } from "../quote.ts";
import {
  groupMakers,
  type HopColumns,
  newColumns,
  pickEntries,
  UNCONSTRAINED,
} from "./hop-columns.ts";
import { KnownProfits } from "./known-profits.ts";
import type { SideCurves } from "./side-curves.ts";

/**
 * Orders that must be better than one that is dropped: one more than a route lists. As many would do, since
 * the dropped one takes a slot itself; the one more is a reserve (choice).
 */
const DEPTH = ORDERS_MAX + 1;
/** Orders of a maker that are not thinned. */
const MAKER_MIN = 2 * DEPTH;
/** Cheapest orders of a maker that are not thinned: 4 cost one of 12 ladders, 21 one of 3 (measured). */
const CHEAPEST_MIN = 12;
/**
 * Candidates of a hop at most; past it of each size, a power of two, the cheapest stay, fewer of each where
 * there are more sizes than these numbers allow for (guesses).
 */
export const CANDIDATES_MAX = 1 << 9;
const SIZE_MAX = 12;

/** Space beyond what is needed, so that a side that grows need not be given more each time (choice). */
const GROWTH = 1.25;
const NO_COLUMNS = newColumns(0);

/** Made anew, a set keeps its memory. */
export type Candidates = {
  /** NO_BUILD: it is yet to be made. */
  build: number;
  columns: HopColumns;
  count: number;
  groups: number;
  /** Whether orders were left out that no others dominate. */
  isThinned: boolean;
  readonly profits: KnownProfits;
  readonly dropped: Dropped;
  /** `Dropped.version` that it was made of: another one since dropped orders were wanted. */
  version: number;
};

const NO_BUILD = -1;

function newSet(dropped: Dropped): Candidates {
  return {
    build: NO_BUILD,
    columns: NO_COLUMNS,
    count: 0,
    groups: 0,
    isThinned: false,
    profits: new KnownProfits(),
    dropped,
    version: 0,
  };
}

/** The dominated orders of a side, cheapest first. */
export class Dropped {
  count = 0;
  owner = new Uint32Array(0);
  price = new Float64Array(0);
  amount = new Float64Array(0);
  /** What its maker can deliver of it. */
  backed = new Float64Array(0);
  /** What one of them costs at most. */
  costMax = 0;
  /** Those that searches of the quote at hand asked for, and how many. */
  isWanted = new Uint8Array(0);
  wanted = 0;
  /** Changes with what is wanted. */
  version = 0;

  /** Empty, with space for so many. */
  begin(length: number): void {
    this.clear();
    this.count = 0;
    this.costMax = 0;
    if (this.owner.length >= length) return;
    const space = Math.ceil(length * GROWTH);
    this.owner = new Uint32Array(space);
    this.price = new Float64Array(space);
    this.amount = new Float64Array(space);
    this.backed = new Float64Array(space);
    this.isWanted = new Uint8Array(space);
  }

  /** False where it was wanted before. */
  want(place: number): boolean {
    if (this.isWanted[place] === 1) return false;
    this.isWanted[place] = 1;
    this.wanted += 1;
    this.version += 1;
    return true;
  }

  /** Whether some were not wanted before. */
  wantAll(): boolean {
    if (this.wanted === this.count) return false;
    this.isWanted.fill(1, 0, this.count);
    this.wanted = this.count;
    this.version += 1;
    return true;
  }

  clear(): void {
    if (this.wanted === 0) return;
    this.isWanted.fill(0);
    this.wanted = 0;
    this.version += 1;
  }
}

/** What it reads of them. */
type Curves = Pick<SideCurves, "build" | "columns" | "count" | "forgotten" | "groups" | "start">;

export class CandidateSets {
  readonly #curves: Curves;
  /** By curve: without dropped orders, and with those that were wanted last. */
  readonly #sets: Candidates[] = [];
  readonly #wider: Candidates[] = [];
  /** Of the quote at hand. */
  readonly #used = new Set<Dropped>();
  /** As `SideCurves.forgotten`: sets are forgotten with the curves. */
  #forgotten = 0;

  // The orders kept so far that dominate: the largest amounts, and the maker of each, or -1.
  readonly #amounts = new Float64Array(DEPTH);
  readonly #makers = new Int32Array(DEPTH);
  #held = 0;
  /** Of the set at hand. */
  #isThinned = false;
  #kept = new Int32Array(256);
  /** Candidates by group. */
  #counts = new Int32Array(256);

  constructor(curves: Curves) {
    this.#curves = curves;
  }

  /** To be called for another request. */
  begin(): void {
    // Clearing an empty one makes it anew.
    if (this.#used.size > 0) {
      for (const dropped of this.#used) dropped.clear();
      this.#used.clear();
    }
    if (this.#forgotten === this.#curves.forgotten) return;
    this.#forgotten = this.#curves.forgotten;
    this.#sets.length = 0;
    this.#wider.length = 0;
  }

  /** Those of a curve that holds its whole side. */
  of(curve: number): Candidates {
    const build = this.#curves.build[curve]!;
    this.#sets[curve] ??= newSet(new Dropped());
    const set = this.#sets[curve];
    const { dropped } = set;
    if (set.build !== build) {
      dropped.begin(this.#curves.count[curve]!);
      this.#make(set, curve, build);
    }
    if (dropped.count > 0) this.#used.add(dropped);
    if (dropped.wanted === 0) return set;
    this.#wider[curve] ??= newSet(dropped);
    const wider = this.#wider[curve];
    if (wider.build !== build || wider.version !== dropped.version) this.#make(wider, curve, build);
    return wider;
  }

  #make(set: Candidates, curve: number, build: number): void {
    const { columns, start, count } = this.#curves;
    const from = start[curve]!;
    const all = count[curve]!;
    if (this.#kept.length < all) this.#kept = new Int32Array(2 * all);
    let kept = this.#dropDominated(from, all, set.dropped);
    this.#isThinned = false;
    kept = this.#thinMakers(from, kept, this.#curves.groups[curve]!);
    if (kept > CANDIDATES_MAX) {
      this.#isThinned = true;
      kept = this.#thinSizes(from, kept);
    }
    set.build = build;
    set.isThinned = this.#isThinned;
    set.version = set.dropped.version;
    if (set.columns.slot.length < kept) set.columns = newColumns(Math.ceil(kept * GROWTH));
    if (!pickEntries(columns, from, all, set.columns, set.count, this.#kept, kept)) return;
    set.count = kept;
    set.groups = groupMakers(set.columns, 0, kept);
    set.profits.clear();
  }

  #dropDominated(from: number, all: number, dropped: Dropped): number {
    const { columns } = this.#curves;
    this.#held = 0;
    let kept = 0;
    dropped.count = 0;
    for (let entry = 0; entry < all; entry += 1) {
      const at = from + entry;
      const most = columns.most[at]!;
      // Headroom that is short can be released at the hop before.
      const backed = Math.min(columns.amount[at]!, columns.budget[at]!);
      this.#kept[kept] = entry;
      if (this.#held === DEPTH && this.#amounts[DEPTH - 1]! >= backed) {
        const place = dropped.count;
        dropped.count += 1;
        dropped.owner[place] = columns.owner[at]!;
        dropped.price[place] = columns.price[at]!;
        dropped.amount[place] = columns.amount[at]!;
        dropped.backed[place] = backed;
        dropped.costMax = Math.max(dropped.costMax, backed * columns.price[at]!);
        kept += dropped.isWanted[place]!;
        continue;
      }
      kept += 1;
      // What cannot be filled whole does not stand in for others.
      const isAlone = columns.group[at] === UNCONSTRAINED;
      if (most === columns.amount[at]) this.#insert(most, isAlone ? -1 : columns.owner[at]!);
    }
    return kept;
  }

  /** One order counts for each maker who has not backing for all. */
  #insert(amount: number, maker: number): void {
    let place = this.#held;
    if (maker >= 0) {
      for (let at = 0; at < this.#held; at += 1) {
        if (this.#makers[at] !== maker) continue;
        if (this.#amounts[at]! >= amount) return;
        place = at;
        break;
      }
    }
    if (place === DEPTH) place -= 1;
    else if (place === this.#held) this.#held += 1;
    while (place > 0 && this.#amounts[place - 1]! < amount) {
      this.#amounts[place] = this.#amounts[place - 1]!;
      this.#makers[place] = this.#makers[place - 1]!;
      place -= 1;
    }
    this.#amounts[place] = amount;
    this.#makers[place] = maker;
  }

  /** Drops orders of makers with many that their own other ones make useless. */
  #thinMakers(from: number, kept: number, groups: number): number {
    if (groups === 0) return kept;
    if (this.#counts.length < groups) this.#counts = new Int32Array(2 * groups);
    this.#counts.fill(0, 0, groups);
    const { columns } = this.#curves;
    const drops = new Set<number>();
    for (let at = 0; at < kept; at += 1) {
      const group = columns.group[from + this.#kept[at]!]!;
      if (group === UNCONSTRAINED) continue;
      this.#counts[group]! += 1;
      if (this.#counts[group] === MAKER_MIN + 1) this.#thinMaker(from, kept, group, drops);
    }
    if (drops.size === 0) return kept;
    let left = 0;
    for (let at = 0; at < kept; at += 1) {
      const entry = this.#kept[at]!;
      if (drops.has(entry)) continue;
      this.#kept[left] = entry;
      left += 1;
    }
    return left;
  }

  #thinMaker(from: number, kept: number, group: number, drops: Set<number>): void {
    const { columns } = this.#curves;
    let least = Number.POSITIVE_INFINITY;
    let budget = 0;
    for (let at = 0; at < kept; at += 1) {
      const entry = from + this.#kept[at]!;
      if (columns.group[entry] !== group) continue;
      least = Math.min(least, columns.amount[entry]!);
      budget = columns.budget[entry]!;
    }
    const depth = Math.min(DEPTH, 1 + Math.floor(budget / least));
    // Amounts of its orders so far: the largest, and the negatives of the smallest.
    const largest: number[] = [];
    const smallest: number[] = [];
    let hasPart = false;
    let cheapest = CHEAPEST_MIN;
    for (let at = 0; at < kept; at += 1) {
      const entry = from + this.#kept[at]!;
      if (columns.group[entry] !== group) continue;
      const amount = columns.amount[entry]!;
      if (amount > budget) {
        // Never whole: of those the cheapest is the best break item.
        if (hasPart) drops.add(this.#kept[at]!);
        hasPart = true;
        continue;
      }
      const isLarge = rank(largest, amount, depth);
      const isSmall = rank(smallest, -amount, depth);
      cheapest -= 1;
      if (isLarge || isSmall || cheapest >= 0) continue;
      // Not proven: an order between them can use the backing up better.
      this.#isThinned = true;
      drops.add(this.#kept[at]!);
    }
  }

  /** Of each size, a power of two of the amount, the cheapest. */
  #thinSizes(from: number, kept: number): number {
    const { columns } = this.#curves;
    const sizeOf = (entry: number): number => Math.floor(Math.log2(columns.most[from + entry]!));
    const sizes = new Set(Array.from(this.#kept.subarray(0, kept), sizeOf)).size;
    const sizeMax = Math.min(SIZE_MAX, Math.floor(CANDIDATES_MAX / sizes));
    const counts = new Map<number, number>();
    let left = 0;
    for (let at = 0; at < kept; at += 1) {
      const entry = this.#kept[at]!;
      const size = sizeOf(entry);
      const count = counts.get(size) ?? 0;
      counts.set(size, count + 1);
      if (count >= sizeMax) continue;
      this.#kept[left] = entry;
      left += 1;
    }
    return left;
  }
}

/** Whether `value` is among the `depth` largest so far, equal ones first; it then is noted. */
function rank(values: number[], value: number, depth: number): boolean {
  if (values.length === depth && value <= values[depth - 1]!) return false;
  let place = values.length;
  while (place > 0 && values[place - 1]! < value) place -= 1;
  values.splice(place, 0, value);
  if (values.length > depth) values.pop();
  return true;
}
