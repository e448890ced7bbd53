// The orders a hop may list, cheapest first, as columns of numbers: what curves are built of and
// what the search reads. Amounts in base units; rounded above 2^53, and what is quoted is
// then settled in integers.

import { ORDER_PRICE_U64, ORDER_STRIDE_U64 } from "../../book/shared-layout.ts";
import { costOf, exceeds, outputOf } from "./rounding.ts";

/** The maker's orders do not compete for its backing or its headroom. */
export const UNCONSTRAINED = -1;

/** Of so many entries. A block of them from some `start` on holds the orders of one side or hop. */
export function newColumns(length: number) {
  return {
    /** The order's slot; its exact price is in the book's words at `priceAt(slot)`. */
    slot: new Uint32Array(length),
    /** The maker's address, as the book numbers it. */
    owner: new Uint32Array(length),
    /** Entry of the same maker before this one, relative to the block, or -1. */
    previous: new Int32Array(length),
    /** Real price: what the taker pays per unit. */
    price: new Float64Array(length),
    amount: new Float64Array(length),
    /** What all of `amount` costs. */
    cost: new Float64Array(length),
    /** All that the maker has for its orders here: to deliver, and to be paid. */
    budget: new Float64Array(length),
    headroom: new Float64Array(length),
    /** What the order can deliver at most, by itself. */
    most: new Float64Array(length),
    /** Bytes of the maker's address, and of its transfers, in a call's events (see call-bytes.ts). */
    addressBytes: new Uint32Array(length),
    transferBytes: new Uint32Array(length),
    /** Group of the maker, relative to the block, or UNCONSTRAINED. */
    group: new Int32Array(length),
    /** By group: its dearest entry, relative to the block; `previous` leads to the others. */
    groupTop: new Int32Array(length),
  };
}

export type HopColumns = ReturnType<typeof newColumns>;

const NAMES = Object.keys(newColumns(0)) as (keyof HopColumns)[];
/** What is read of orders: from it follow the columns relative to the block. */
const READ_NAMES = NAMES.filter((name) => !["previous", "group", "groupTop"].includes(name));

/** Copies the first `count` entries to the front of other columns. */
export function copyColumns(from: HopColumns, to: HopColumns, count: number): void {
  for (const name of NAMES) to[name].set(from[name].subarray(0, count));
}

/** Moves entries from `from` on to `to`, so many that they end at `end` there. */
export function moveEntries(columns: HopColumns, from: number, to: number, end: number): void {
  for (const name of NAMES) columns[name].copyWithin(to, from, from + end - to);
}

/** By entry of the block that is picked from: its place among the picked ones, or -1. */
let placeOf = new Int32Array(256);

/**
 * Fills `to`, which holds `held` entries, with `count` of the `all` of a block, without their groups. False where it
 * holds just those.
 */
export function pickEntries(
  from: HopColumns,
  start: number,
  all: number,
  to: HopColumns,
  held: number,
  entries: Int32Array,
  count: number,
): boolean {
  let isOther = held !== count;
  for (const name of READ_NAMES) {
    const [values, others] = [to[name], from[name]];
    for (let at = 0; at < count; at += 1) {
      const value = others[start + entries[at]!]!;
      if (values[at] === value) continue;
      values[at] = value;
      isOther = true;
    }
  }
  if (!isOther) return false;
  if (placeOf.length < all) placeOf = new Int32Array(2 * all);
  placeOf.fill(-1, 0, all);
  for (let at = 0; at < count; at += 1) {
    let previous = from.previous[start + entries[at]!]!;
    while (previous >= 0 && placeOf[previous]! < 0) previous = from.previous[start + previous]!;
    to.previous[at] = previous < 0 ? -1 : placeOf[previous]!;
    placeOf[entries[at]!] = at;
  }
  return true;
}

/** Fills in `most` of an entry from its amount, budget and headroom. */
export function limitEntry(columns: HopColumns, entry: number, words: BigUint64Array): void {
  const { amount, budget, cost, headroom, most } = columns;
  most[entry] = Math.min(amount[entry]!, budget[entry]!);
  if (!exceeds(cost[entry]!, headroom[entry]!)) return;
  most[entry] = Math.min(most[entry]!, entryOutput(columns, entry, headroom[entry]!, words));
}

/** Groups the entries of makers who cannot fill all of theirs. Returns the number of groups. */
export function groupMakers(columns: HopColumns, start: number, count: number): number {
  const { amount, budget, cost, group, groupTop, headroom, previous } = columns;
  let groups = 0;
  group.fill(NOT_SEEN, start, start + count);
  for (let top = count - 1; top >= 0; top -= 1) {
    if (group[start + top] !== NOT_SEEN) continue;
    let amounts = 0;
    let costs = 0;
    for (let entry = top; entry >= 0; entry = previous[start + entry]!) {
      amounts += amount[start + entry]!;
      costs += cost[start + entry]!;
    }
    const isOne = previous[start + top]! < 0;
    const isEnough = amounts <= budget[start + top]! && costs <= headroom[start + top]!;
    const own = isOne || isEnough ? UNCONSTRAINED : groups;
    for (let entry = top; entry >= 0; entry = previous[start + entry]!) group[start + entry] = own;
    if (own === UNCONSTRAINED) continue;
    groupTop[start + groups] = top;
    groups += 1;
  }
  return groups;
}

const NOT_SEEN = -2;

/** Where an order's exact price stands in the book's words. */
export function priceAt(slot: number): number {
  return slot * ORDER_STRIDE_U64 + ORDER_PRICE_U64;
}

/** ceil(got * price) of an entry. */
export function entryCost(
  { price, slot }: HopColumns,
  entry: number,
  got: number,
  words: BigUint64Array,
): number {
  return costOf(got, price[entry]!, words, priceAt(slot[entry]!));
}

/** floor(paid / price) of an entry. */
export function entryOutput(
  { price, slot }: HopColumns,
  entry: number,
  paid: number,
  words: BigUint64Array,
): number {
  return outputOf(paid, price[entry]!, words, priceAt(slot[entry]!));
}
