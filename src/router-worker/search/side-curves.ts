// Hot path: what each side of the book gives at most, kept until the side changes.
//
// A curve lists the orders of a side that a quote may use, cheapest first, each cut down to what
// its maker's backing and headroom leave it, with running totals. Read as if orders were divisible, it
// bounds what any selection can do: rounding, orders that must be filled whole and the cap on orders
// only make it worse. A lookup costs some 20 ns; building costs some 50 ns an order, and 15 for one that
// stayed as it was. A curve begins with the front of its side and is built anew once that has changed; what
// an amount added to it, once anything of the side has. Allocates only while growing.
import {
  BACKING_BUDGET_F64,
  BACKING_FLAGS,
  BACKING_HEADROOM_F64,
  BACKING_SKIPPED,
  BACKING_STRIDE_F64,
  BACKING_STRIDE_U32,
  type BookView,
  FLAG_AUTHORIZED,
  FLAG_PENDING,
  FRONT_ORDERS,
  LIST_COUNT,
  LIST_START,
  ORDER_AMOUNT_F64,
  ORDER_EXPIRES_F64,
  ORDER_OWNER,
  ORDER_PRICE_F64,
  ORDER_RECEIVED_BACKING,
  ORDER_SOLD_BACKING,
  ORDER_STRIDE_F64,
  ORDER_STRIDE_U32,
  SIDE_CHANGED_F64,
  SIDE_FRONT_CHANGED_F64,
  SIDE_LIST,
  SIDE_STRIDE_F64,
  SIDE_STRIDE_U32,
} from "../../book/shared-layout.ts";
import { orderAmount, orderPrice } from "../../book/shared-reader.ts";
import { costUp, I128_MAX, isDust } from "../../model/settlement.ts";
import { ORDERS_MAX } from "../quote.ts";
import { EXPIRY_MARGIN } from "../quote-engine.ts";
import { addressBytes, sideNameBytes, transferBytes } from "./call-bytes.ts";
import {
  copyColumns,
  groupMakers,
  limitEntry,
  moveEntries,
  newColumns,
  priceAt,
} from "./hop-columns.ts";
import { costOf, outputOf, realPrice } from "./rounding.ts";
import { WorkBudget } from "./work-budget.ts";

/** Relative error of running totals. */
const SUM_ERROR = 1e-12;

/** What costs more than an i128 holds cannot be planned by the contract. */
const COST_MAX = 2 ** 127;

/** When an amount reaches the end of a curve, so many times as many orders are looked at. */
const DEPTH_GROWTH = 4;

/** Times that the entries behind one move in a building: past it they are read anew (guess). */
const MOVES_MAX = 32;

/** Smallest block of the columns, entries. */
const BLOCK_MIN = 8;
const COLUMNS_FIRST = 1 << 14;
/**
 * 96 bytes an entry. Past it all curves are forgotten before the next quote, past twice as many in the middle of
 * one (see `forgotten`), and built anew as they are needed.
 */
const COLUMNS_MAX = 1 << 22;

/**
 * The curve of a side for a route of one hop; and for longer routes, which leave out makers whose
 * backing awaits confirmation, and on which what a maker delivers at one hop can release headroom for what
 * it is paid at the next: so its sums know no bound of headroom.
 */
export const ONE_HOP = 0;
export const MANY_HOPS = 1;
/** Some makers' backing awaits confirmation; some makers have no headroom to be paid in full. */
const PENDING = 1;
const TIGHT = 2;
export type CurveUse = typeof ONE_HOP | typeof MANY_HOPS;

export class SideCurves {
  // By curve: 2 * side + CurveUse.
  /** First entry and number of entries in the columns. */
  readonly start: Int32Array;
  readonly count: Int32Array;
  /** Makers who cannot fill all of their entries (see `HopColumns.group`). */
  readonly groups: Int32Array;
  /** Another number for each building: what was made of a curve is good while it is the same. */
  readonly build: Float64Array;
  /** The same of its first ORDERS_MAX entries: those that a route by price lists. */
  readonly headBuild: Float64Array;
  #builds = 0;
  /** Orders of the side looked at, and whether that is all of them. */
  readonly #depth: Int32Array;
  readonly #complete: Uint8Array;
  readonly #block: Int32Array;
  /** Steps that last changed the side, and its front, when the curve was built. */
  readonly #changed: Float64Array;
  readonly #frontChanged: Float64Array;
  /** Entries of the front. */
  readonly #frontCount: Int32Array;
  /** Entries in the block, those behind the curve included; and a step before which none of them was read. */
  readonly #held: Int32Array;
  readonly #since: Float64Array;
  /** Bytes of names in what the entries' transfers take of a call. */
  readonly #names: Int32Array;
  readonly #builtAt: Float64Array;
  /** 0: it was not built, or forgotten. */
  readonly #validUntil: Float64Array;
  /** The quote that found it as the view has it; what a quote looks at stays. */
  readonly #foundIn: Float64Array;
  #quote = 0;
  /**
   * By curve the flags PENDING and TIGHT. On a curve for one hop any of them says that longer routes need a curve of
   * their own; otherwise they share it. TIGHT is read of both curves.
   */
  readonly #differs: Uint8Array;

  // By entry.
  columns = newColumns(COLUMNS_FIRST);
  /** What is surely left for the entry once its maker's cheaper orders here are filled whole. */
  share = new Float64Array(COLUMNS_FIRST);
  /** What the entries up to and including this one give and cost at most. */
  gotSum = new Float64Array(COLUMNS_FIRST);
  paidSum = new Float64Array(COLUMNS_FIRST);
  #columnsUsed = 0;
  /** Times that all curves were forgotten: those found before the latest are to be found again. */
  forgotten = 0;

  // The quote at hand.
  #view!: BookView;
  #skipWindow = 0;
  /** UNIX seconds. */
  #now = 0;

  /** Entries of the curve that the last `sell` or `buy` reached. */
  used = 0;
  /** Building takes a work unit an order. */
  readonly workBudget = new WorkBudget();

  /** Open addressing by backing record, for the curve being built: entry + 1. */
  #makerHash = new Int32Array(64);
  #makerMask = 0;
  /** By entry of the curve being built: what the maker has left after it. */
  #budgetLeft = new Float64Array(64);
  #headroomLeft = new Float64Array(64);
  /** What is left of the headroom when the entry and the maker's earlier ones are filled whole. */
  #headroomBesideWhole = new Float64Array(64);

  readonly #entriesMax: number;

  /** `sides`: the capacity of the book that will be read. `entriesMax`: see `COLUMNS_MAX`. */
  constructor(sides: number, entriesMax = COLUMNS_MAX) {
    this.#entriesMax = entriesMax;
    const curves = 2 * (sides + 1);
    this.start = new Int32Array(curves);
    this.count = new Int32Array(curves);
    this.groups = new Int32Array(curves);
    this.build = new Float64Array(curves);
    this.headBuild = new Float64Array(curves);
    this.#depth = new Int32Array(curves);
    this.#complete = new Uint8Array(curves);
    this.#block = new Int32Array(curves);
    this.#changed = new Float64Array(curves);
    this.#frontChanged = new Float64Array(curves);
    this.#frontCount = new Int32Array(curves);
    this.#held = new Int32Array(curves);
    this.#since = new Float64Array(curves);
    this.#names = new Int32Array(curves);
    this.#builtAt = new Float64Array(curves);
    this.#validUntil = new Float64Array(curves);
    this.#foundIn = new Float64Array(curves);
    this.#differs = new Uint8Array(curves);
  }

  /**
   * Before each quote, at `now` in UNIX seconds: the view stays as it is until the next one. Makers the contract
   * skipped within so many seconds are left out, and curves are forgotten where they have come to take too much memory.
   */
  begin(view: BookView, skipWindow: number, now: number): void {
    this.#quote += 1;
    this.#view = view;
    this.#now = now;
    if (skipWindow === this.#skipWindow && this.#columnsUsed <= this.#entriesMax) return;
    this.#skipWindow = skipWindow;
    this.#forgetAll();
  }

  /**
   * The curve of a side as the view has it, for use with the other methods until the next call of
   * this one.
   */
  curveOf(side: number, use: CurveUse): number {
    const one = 2 * side;
    if (this.#foundIn[one] !== this.#quote) this.#refresh(one);
    if (use === ONE_HOP || this.#differs[one] === 0) return one;
    if (this.#foundIn[one + 1] !== this.#quote) this.#refresh(one + 1);
    return one + 1;
  }

  /** Whether the curve holds all of its side. */
  isComplete(curve: number): boolean {
    return this.#complete[curve] === 1;
  }

  /** As `curveOf`, with the whole side in it. */
  wholeCurveOf(side: number, use: CurveUse): number {
    const curve = this.curveOf(side, use);
    if (this.#complete[curve] === 1) return curve;
    this.#build(curve, Number.POSITIVE_INFINITY);
    // Deeper orders can show that another curve is the one for this use.
    return this.wholeCurveOf(side, use);
  }

  /** Whether some makers of the curve's orders cannot be paid in full. */
  isTight(curve: number): boolean {
    return (this.#differs[curve]! & TIGHT) !== 0;
  }

  /** At most what `paid` gets, or any part of it. */
  sell(side: number, use: CurveUse, paid: number): number {
    return this.#follow(side, use, paid, true);
  }

  /** At least what getting `wanted` costs; Infinity where there is not that much. */
  buy(side: number, use: CurveUse, wanted: number): number {
    return this.#follow(side, use, wanted, false);
  }

  #follow(side: number, use: CurveUse, flow: number, sells: boolean): number {
    const curve = this.curveOf(side, use);
    const start = this.start[curve]!;
    const end = start + this.count[curve]!;
    const from = sells ? this.paidSum : this.gotSum;
    const to = sells ? this.gotSum : this.paidSum;
    const at = firstReaching(from, start, end, flow);
    // Whether the orders reached are the best list depends on the price behind them.
    if (at >= end - 1 && this.#deepen(curve)) return this.#follow(side, use, flow, sells);
    if (at === end) {
      this.used = end - start;
      // The sums may fall short of the exact ones by as much.
      const isEnough = end > start && (sells || from[end - 1]! >= flow * (1 - SUM_ERROR));
      return isEnough ? to[end - 1]! : sells ? 0 : Number.POSITIVE_INFINITY;
    }
    this.used = at - start + 1;
    const left = at > start ? flow - from[at - 1]! : flow;
    const price = this.columns.price[at]!;
    return (at > start ? to[at - 1]! : 0) + (sells ? left / price : left * price);
  }

  /** Adds orders to a curve that does not hold all of its side. False where it does. */
  #deepen(curve: number): boolean {
    if (this.#complete[curve] === 1) return false;
    this.#build(curve, this.#depth[curve]! * DEPTH_GROWTH);
    return true;
  }

  /** Where only what is behind the front has changed, the front stays. */
  #refresh(curve: number): void {
    const { sideF64 } = this.#view;
    const at = (curve >>> 1) * SIDE_STRIDE_F64;
    const isFront = this.#depth[curve]! <= FRONT_ORDERS;
    if (
      !this.#isTimely(curve) ||
      this.#frontChanged[curve] !== sideF64[at + SIDE_FRONT_CHANGED_F64]
    ) {
      this.#build(curve, FRONT_ORDERS);
    } else if (!isFront && this.#changed[curve] !== sideF64[at + SIDE_CHANGED_F64]) {
      this.#depth[curve] = FRONT_ORDERS;
      this.count[curve] = this.#frontCount[curve]!;
      this.#complete[curve] = 0;
    }
    this.#foundIn[curve] = this.#quote;
  }

  /** Whether the curve was built, and time has changed nothing of it. */
  #isTimely(curve: number): boolean {
    return this.#now < this.#validUntil[curve]! && this.#now >= this.#builtAt[curve]!;
  }

  /** Entries of orders that have not changed since they were read stay as they are. */
  #build(curve: number, depthMax: number): void {
    const view = this.#view;
    const side = curve >>> 1;
    const list = side * SIDE_STRIDE_U32 + SIDE_LIST;
    const orders = view.sideU32[list + LIST_COUNT]!;
    const depth = Math.min(orders, depthMax);
    this.workBudget.take(depth);
    this.#builds += 1;
    this.build[curve] = this.#builds;
    const { start: starts, count } = this;
    const { orderChanged } = view;
    const before = starts[curve]!;
    this.#reserve(curve, depth);
    const { columns } = this;
    const start = starts[curve]!;
    const names = sideNameBytes(view, side);
    const isKept = this.#isTimely(curve) && this.#names[curve] === names;
    // Entries held that are yet to be looked at: from `next` to `end`.
    let [next, end] = [start, isKept ? start + this.#held[curve]! : start];
    if (start !== before) moveEntries(columns, before, start, end);
    if (!isKept) {
      this.#validUntil[curve] = Number.POSITIVE_INFINITY;
      this.#differs[curve] = 0;
    }
    this.#differs[curve]! &= PENDING;
    count[curve] = 0;
    let [entry, moves] = [start, 0];
    const from = view.sideU32[list + LIST_START]!;
    const since = this.#since[curve]!;
    for (let looked = 0; looked < depth; looked += 1) {
      if (looked === FRONT_ORDERS) this.#frontCount[curve] = entry - start;
      const slot = view.arena[from + looked]!;
      while (next < end && orderChanged[columns.slot[next]!]! > since) next += 1;
      const isHeld = next < end && columns.slot[next] === slot;
      if (!isHeld && !this.#isUsable(slot, curve)) continue;
      const isChanged = !isHeld || next !== entry;
      if (isChanged && entry < start + ORDERS_MAX) this.headBuild[curve] = this.#builds;
      // Those behind move down where one is gone, up for one that is new.
      const to = isHeld ? entry : Math.max(next, entry + 1);
      if (next < end && next !== to) {
        if (moves < MOVES_MAX) {
          end = Math.min(end + to - next, start + this.#block[curve]!);
          moveEntries(columns, next, to, end);
          next = to;
        } else end = next;
        moves += 1;
      }
      if (isHeld && next < end) next += 1;
      else this.#read(slot, entry);
      this.#append(curve);
      entry = start + count[curve]!;
    }
    const isComplete = depth === orders;
    if (isComplete) this.groups[curve] = groupMakers(columns, start, entry - start);
    this.#depth[curve] = depth;
    this.#complete[curve] = isComplete ? 1 : 0;
    this.#builtAt[curve] = this.#now;
    this.#names[curve] = names;
    this.#changed[curve] = view.sideF64[side * SIDE_STRIDE_F64 + SIDE_CHANGED_F64]!;
    this.#frontChanged[curve] = view.sideF64[side * SIDE_STRIDE_F64 + SIDE_FRONT_CHANGED_F64]!;
    this.#held[curve] = entry - start + Math.max(0, end - next);
    if (next >= end) this.#since[curve] = this.#changed[curve]!;
    else if (next > entry) {
      moveEntries(columns, next, entry, entry + end - next);
      // Entries behind the curve move up to where its head lists them next time.
      if (entry < start + ORDERS_MAX) this.headBuild[curve] = this.#builds;
    }
  }

  /** False of what the API leaves out of quotes (api.md, Quote, rule 7). */
  #isUsable(slot: number, curve: number): boolean {
    const view = this.#view;
    const now = this.#now;
    const expires = view.orderF64[slot * ORDER_STRIDE_F64 + ORDER_EXPIRES_F64]!;
    if (expires <= now + EXPIRY_MARGIN) return false;
    const at = slot * ORDER_STRIDE_U32;
    const backing = view.orderU32[at + ORDER_SOLD_BACKING]!;
    const sold = backing * BACKING_STRIDE_U32;
    const received = view.orderU32[at + ORDER_RECEIVED_BACKING]! * BACKING_STRIDE_U32;
    if ((view.backingU32[received + BACKING_FLAGS]! & FLAG_AUTHORIZED) === 0) return false;
    if ((view.backingU32[sold + BACKING_FLAGS]! & FLAG_PENDING) !== 0) {
      this.#differs[curve]! |= PENDING;
      if ((curve & 1) === MANY_HOPS) return false;
    }
    const skipped = view.backingU32[sold + BACKING_SKIPPED]!;
    const back = skipped + this.#skipWindow;
    if (skipped > 0 && now < back) {
      if (back < this.#validUntil[curve]!) this.#validUntil[curve] = back;
      return false;
    }
    if (expires - EXPIRY_MARGIN < this.#validUntil[curve]!) {
      this.#validUntil[curve] = expires - EXPIRY_MARGIN;
    }
    if (view.backingF64[backing * BACKING_STRIDE_F64 + BACKING_BUDGET_F64]! < 1) return false;
    const price = realPrice(view.orderF64[slot * ORDER_STRIDE_F64 + ORDER_PRICE_F64]!);
    const worth = price * view.orderF64[slot * ORDER_STRIDE_F64 + ORDER_AMOUNT_F64]!;
    if (worth >= COST_MAX * (1 - SUM_ERROR)) {
      return costUp(orderAmount(view, slot), orderPrice(view, slot)) <= I128_MAX;
    }
    // Near one unit only integers tell.
    if (worth > 1.001) return true;
    return worth > 0.999 && !isDust(orderAmount(view, slot), orderPrice(view, slot));
  }

  /** Reads an order of a side into an entry. */
  #read(slot: number, entry: number): void {
    const view = this.#view;
    const { columns } = this;
    const at = slot * ORDER_STRIDE_U32;
    const sold = view.orderU32[at + ORDER_SOLD_BACKING]!;
    const received = view.orderU32[at + ORDER_RECEIVED_BACKING]!;
    const price = realPrice(view.orderF64[slot * ORDER_STRIDE_F64 + ORDER_PRICE_F64]!);
    const amount = view.orderF64[slot * ORDER_STRIDE_F64 + ORDER_AMOUNT_F64]!;
    columns.slot[entry] = slot;
    columns.owner[entry] = view.orderU32[at + ORDER_OWNER]!;
    columns.price[entry] = price;
    columns.amount[entry] = amount;
    columns.cost[entry] = costOf(amount, price, view.orderU64, priceAt(slot));
    columns.budget[entry] = view.backingF64[sold * BACKING_STRIDE_F64 + BACKING_BUDGET_F64]!;
    columns.headroom[entry] =
      view.backingF64[received * BACKING_STRIDE_F64 + BACKING_HEADROOM_F64]!;
    limitEntry(columns, entry, view.orderU64);
    columns.addressBytes[entry] = addressBytes(view, slot);
    columns.transferBytes[entry] = transferBytes(view, slot);
  }

  /** Appends the entry behind the last one to the curve, unless its maker can be paid for none of it. */
  #append(curve: number): void {
    const columns = this.columns;
    const start = this.start[curve]!;
    const count = this.count[curve]!;
    const entry = start + count;
    const place = this.#placeOfMaker(start, columns.owner[entry]!);
    const previous = this.#makerHash[place]! - 1;
    const budget = columns.budget[entry]!;
    const headroom = columns.headroom[entry]!;
    const price = columns.price[entry]!;
    const amount = columns.amount[entry]!;
    columns.previous[entry] = previous;
    const budgetLeft = previous < 0 ? budget : this.#budgetLeft[previous]!;
    const headroomLeft = previous < 0 ? headroom : this.#headroomLeft[previous]!;
    const backed = budgetLeft < amount ? budgetLeft : amount;
    let divided = backed;
    // Each of the orders that a route lists can cost a unit more than its price says.
    if (headroomLeft < columns.cost[entry]! + ORDERS_MAX) this.#differs[curve]! |= TIGHT;
    if (headroomLeft < columns.cost[entry]!) {
      if ((curve & 1) === ONE_HOP && columns.most[entry]! < 1) return;
      divided = Math.min(divided, headroomLeft / price);
    }
    // Unlike the sums, which bound any selection from above, the share must be what really settles.
    const headroomBeside = previous < 0 ? headroom : this.#headroomBesideWhole[previous]!;
    let share = backed;
    if (headroomBeside < columns.cost[entry]!) {
      const at = priceAt(columns.slot[entry]!);
      share = Math.min(
        share,
        outputOf(Math.max(0, headroomBeside), price, this.#view.orderU64, at),
      );
    }
    const bounded = (curve & 1) === MANY_HOPS ? backed : divided;
    this.#makerHash[place] = count + 1;
    this.#budgetLeft[count] = Math.max(0, budgetLeft - bounded);
    this.#headroomLeft[count] = Math.max(0, headroomLeft - bounded * price);
    this.#headroomBesideWhole[count] = headroomBeside - columns.cost[entry]!;
    this.share[entry] = share;
    this.gotSum[entry] = bounded + (count === 0 ? 0 : this.gotSum[entry - 1]!);
    this.paidSum[entry] = bounded * price + (count === 0 ? 0 : this.paidSum[entry - 1]!);
    this.count[curve] = count + 1;
  }

  /** Where the hash holds the maker's latest entry of the curve being built, or would. */
  #placeOfMaker(start: number, owner: number): number {
    let place = hashPlace(owner, this.#makerMask);
    for (;;) {
      const entry = this.#makerHash[place]! - 1;
      if (entry < 0 || this.columns.owner[start + entry] === owner) return place;
      place = (place + 1) & this.#makerMask;
    }
  }

  /** Space for `depth` entries: in the columns, for the curve, and in the scratch of a build. */
  #reserve(curve: number, depth: number): void {
    const length = 2 ** Math.ceil(Math.log2(Math.max(depth, BLOCK_MIN)));
    if (this.#budgetLeft.length < length) {
      this.#budgetLeft = new Float64Array(length);
      this.#headroomLeft = new Float64Array(length);
      this.#headroomBesideWhole = new Float64Array(length);
      this.#makerHash = new Int32Array(2 * length);
    }
    this.#makerMask = 2 * length - 1;
    this.#makerHash.fill(0, 0, 2 * length);
    if (this.#block[curve]! >= length) return;
    if (this.#columnsUsed + length > 2 * this.#entriesMax) this.#forgetAll();
    while (this.#columnsUsed + length > this.columns.slot.length) this.#growColumns();
    this.start[curve] = this.#columnsUsed;
    this.#block[curve] = length;
    this.#columnsUsed += length;
  }

  #forgetAll(): void {
    this.forgotten += 1;
    this.#validUntil.fill(0);
    this.#foundIn.fill(0);
    this.#block.fill(0);
    this.#columnsUsed = 0;
  }

  #growColumns(): void {
    const { columns } = this;
    const { length: before } = columns.slot;
    const length = 2 * before;
    this.columns = newColumns(length);
    copyColumns(columns, this.columns, before);
    this.share = withLength(this.share, length);
    this.gotSum = withLength(this.gotSum, length);
    this.paidSum = withLength(this.paidSum, length);
  }
}

/** Where a table of `mask + 1` cells, a power of two, is looked at first; spreads keys over all of it. */
export function hashPlace(key: number, mask: number): number {
  return Math.imul(key, 0x9e3779b1) >>> Math.clz32(mask);
}

function withLength(from: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const to = new Float64Array(length);
  to.set(from);
  return to;
}

/** First entry whose running total is at least `total`, or `end`: most are reached near the front. */
function firstReaching(sums: Float64Array, start: number, end: number, total: number): number {
  let [low, step] = [start, 1];
  for (; low + step <= end && sums[low + step - 1]! < total; step *= 2) low += step;
  let high = Math.min(low + step - 1, end);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sums[middle]! < total) low = middle + 1;
    else high = middle;
  }
  return low;
}
