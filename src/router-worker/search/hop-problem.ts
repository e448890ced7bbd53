// Hot path: one hop as an optimization problem: the candidate orders, what is wanted of them, and the
// limits on what may be listed.
//
// A continuous knapsack with a cardinality limit (de Farias and Nemhauser, Math. Programming 96,
// 2003): a selection is a set of whole orders and one break item, which takes what they leave.
import type { BookView } from "../../book/shared-layout.ts";
import { ORDERS_MAX } from "../quote.ts";
import { FILL_BYTES } from "./call-bytes.ts";
import type { Dropped } from "./candidates.ts";
import type { HopColumns } from "./hop-columns.ts";
import type { KnownProfits } from "./known-profits.ts";

/** A hop's orders: the first `count` of the columns. `words` holds exact prices (see hop-columns.ts). */
export type HopOrders = {
  columns: HopColumns;
  count: number;
  groups: number;
  words: BigUint64Array;
  /** What its orders profit (profit-sums.ts), as far as that is known. */
  profits: KnownProfits;
  /** The orders of the side that are no candidates; undefined: there are none. */
  dropped: Dropped | undefined;
  /** Bytes of the address of who pays the hop's makers (see call-bytes.ts). */
  payerBytes: number;
  /** Whether the hop is one of several: then headroom can be released at the hop before. */
  isRoute: boolean;
  /** Where exact amounts and backing stand; undefined: all numbers are exact as they are. */
  view: BookView | undefined;
};

export type HopDemand = {
  /** In comments SELL; false: BUY. */
  readonly sells: boolean;
  /** SELL: what is paid, all of it but less than one unit's worth. BUY: what is got, exactly. */
  readonly amount: number;
  /** The same in integers; where it is absent `amount` is exact. */
  readonly exactAmount: bigint | undefined;
  /** Order slots. */
  readonly slots: number;
  /** Bytes that the fills may take of the call. */
  readonly bytes: number;
  /** SELL: the answer must get less than this. Infinity: no bound. */
  readonly below: number;
  /** Cutoff. SELL: what gets less than this, BUY: what costs more, is of no use. 0, Infinity: none. */
  readonly cutoff: number;
  /** A proven gap at which the search may stop, as a part of the value. */
  readonly gap: number;
  /** Nodes of the branch and bound. */
  readonly nodesMax: number;
};

/** What an order's bytes in a call follow from. */
type OrderBytes = Pick<HopOrders, "columns" | "payerBytes">;

/** Bytes of an order listed alone: its event, and its maker's transfers. */
export function orderBytes({ columns, payerBytes }: OrderBytes, entry: number): number {
  return FILL_BYTES + columns.addressBytes[entry]! + columns.transferBytes[entry]! + 2 * payerBytes;
}

/** What an order takes less where its maker has another in the list: the transfers serve both. */
function sharedBytes({ columns, payerBytes }: OrderBytes, entry: number): number {
  return columns.transferBytes[entry]! + payerBytes;
}

/** Bytes of the orders in a list, its first `count`: those of one maker share its transfers. */
export function selectionBytes(orders: HopOrders, list: Int32Array, count: number): number {
  const { columns } = orders;
  let bytes = 0;
  for (let place = 0; place < count; place += 1) {
    const entry = list[place]!;
    bytes += orderBytes(orders, entry);
    for (let other = 0; other < place; other += 1) {
      if (columns.owner[list[other]!] !== columns.owner[entry]) continue;
      bytes -= sharedBytes(orders, entry);
      break;
    }
  }
  return bytes;
}

/** The largest uses of `mostOfSlots`, descending: so many. */
const largest = new Float64Array(ORDERS_MAX);
let held = 0;

/**
 * At most what so many of a hop's first `count` orders get, or are paid: the largest of them. Once that is
 * `enough` no more are looked at.
 */
export function mostOfSlots(
  { columns }: HopOrders,
  count: number,
  slots: number,
  isPaid: boolean,
  enough: number = Number.POSITIVE_INFINITY,
): number {
  let sum = 0;
  held = 0;
  for (let entry = 0; entry < count && sum < enough; entry += 1) {
    const most = columns.most[entry]!;
    sum += addLargest(isPaid ? paidFor(most, columns.price[entry]!) : most, slots);
  }
  return sum;
}

/** As `mostOfSlots`, what they are paid, dropped orders among them: those can cost more. */
export function mostPaid(hop: HopOrders, slots: number): number {
  let sum = mostOfSlots(hop, hop.count, slots, true);
  const { dropped } = hop;
  const isMore =
    dropped !== undefined && (held < slots || dropped.costMax >= largest[held - 1]! - 1);
  for (let at = 0; isMore && at < dropped.count; at += 1) {
    sum += addLargest(paidFor(dropped.backed[at]!, dropped.price[at]!), slots);
  }
  return sum;
}

/** Rounding adds less than a unit to each payment. */
function paidFor(most: number, price: number): number {
  return most * price + 1;
}

/** By how much the sum of the largest grows. */
function addLargest(uses: number, slots: number): number {
  const before = held < slots ? 0 : largest[slots - 1]!;
  if (!(uses > before)) return 0;
  if (held < slots) held += 1;
  insertDescending(largest, held, uses);
  return uses - before;
}

/** What is better than a value by as little as it can be. */
export function nextBetter(sells: boolean, value: number): number {
  // Beyond 2^53 one unit more is the same number.
  const unit = Math.max(1, value * 2 ** -50);
  return sells ? value + unit : value - unit;
}

/** Puts `value` into the descending `values`, whose place `held - 1` is free. */
export function insertDescending(values: Float64Array, held: number, value: number): void {
  let place = held - 1;
  while (place > 0 && values[place - 1]! < value) {
    values[place] = values[place - 1]!;
    place -= 1;
  }
  values[place] = value;
}

/** Sorts both columns by `keys`, the smallest first; Shell's method. */
export function sortAscending(keys: Float64Array, values: Int32Array, count: number): void {
  for (let gap = gapBelow(count); gap > 0; gap = gapBelow(gap)) {
    for (let at = gap; at < count; at += 1) {
      const key = keys[at]!;
      const value = values[at]!;
      let place = at;
      while (place >= gap && keys[place - gap]! > key) {
        keys[place] = keys[place - gap]!;
        values[place] = values[place - gap]!;
        place -= gap;
      }
      keys[place] = key;
      values[place] = value;
    }
  }
}

function gapBelow(count: number): number {
  return count < 2 ? 0 : Math.max(1, Math.floor(count / 2.25));
}
