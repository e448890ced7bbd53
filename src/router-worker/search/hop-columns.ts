// The orders a hop may list, cheapest first, as columns of numbers: what curves are built of and
// what the search reads. Amounts in base units; rounded above 2^53, and what is quoted is
// then settled in integers.

import { ORDER_PRICE_U64, ORDER_STRIDE_U64 } from "../../book/shared-layout.ts";
import { costOf, outputOf } from "./rounding.ts";

/** The maker's orders do not compete for its backing or its headroom. */
export const UNCONSTRAINED = -1;

let noGroups = new Int32Array(1024).fill(UNCONSTRAINED);

/** A block of entries from `start` holds one hop's orders. */
export class HopColumns {
  /** The order's slot; its exact price is in the book's words at `priceAt(slot)`. */
  slot: Uint32Array;
  /** The maker's address, as the book numbers it. */
  owner: Uint32Array;
  /** Entry of the same maker before this one, relative to the block, or -1. */
  previous: Int32Array;
  /** Real price: what the taker pays per unit. */
  price: Float64Array;
  amount: Float64Array;
  /** What all of `amount` costs. */
  cost: Float64Array;
  /** All that the maker has for its orders here: to deliver, and to be paid. */
  budget: Float64Array;
  headroom: Float64Array;
  /** What the order can deliver at most, by itself. */
  most: Float64Array;
  /** Bytes of the maker's address, and of its transfers, in a call's events (see call-bytes.ts). */
  addressBytes: Uint32Array;
  transferBytes: Uint32Array;
  /** Group of the maker, relative to the block, or UNCONSTRAINED. */
  group: Int32Array;
  /** By group: its dearest entry, relative to the block; `previous` leads to the others. */
  groupTop: Int32Array;

  constructor(length: number) {
    this.slot = new Uint32Array(length);
    this.owner = new Uint32Array(length);
    this.previous = new Int32Array(length);
    this.price = new Float64Array(length);
    this.amount = new Float64Array(length);
    this.cost = new Float64Array(length);
    this.budget = new Float64Array(length);
    this.headroom = new Float64Array(length);
    this.most = new Float64Array(length);
    this.addressBytes = new Uint32Array(length);
    this.transferBytes = new Uint32Array(length);
    this.group = new Int32Array(length);
    this.groupTop = new Int32Array(length);
  }

  get length(): number {
    return this.slot.length;
  }

  /** Copies a block of `count` entries from another one's `start` to the front of this. */
  take(other: HopColumns, start: number, count: number): void {
    const end = start + count;
    this.slot.set(other.slot.subarray(start, end));
    this.owner.set(other.owner.subarray(start, end));
    this.previous.set(other.previous.subarray(start, end));
    this.price.set(other.price.subarray(start, end));
    this.amount.set(other.amount.subarray(start, end));
    this.cost.set(other.cost.subarray(start, end));
    this.budget.set(other.budget.subarray(start, end));
    this.headroom.set(other.headroom.subarray(start, end));
    this.most.set(other.most.subarray(start, end));
    this.addressBytes.set(other.addressBytes.subarray(start, end));
    this.transferBytes.set(other.transferBytes.subarray(start, end));
    this.group.set(other.group.subarray(start, end));
    this.groupTop.set(other.groupTop.subarray(start, end));
  }

  /** Fills the front with `count` entries of another block of `all`, relative to its `start`. */
  pick(other: HopColumns, start: number, entries: Int32Array, count: number, all: number): void {
    if (placeOf.length < all) placeOf = new Int32Array(2 * all);
    placeOf.fill(-1, 0, all);
    for (let entry = 0; entry < count; entry += 1) {
      const at = start + entries[entry]!;
      let previous = other.previous[at]!;
      while (previous >= 0 && placeOf[previous]! < 0) previous = other.previous[start + previous]!;
      placeOf[entries[entry]!] = entry;
      this.slot[entry] = other.slot[at]!;
      this.owner[entry] = other.owner[at]!;
      this.previous[entry] = previous < 0 ? -1 : placeOf[previous]!;
      this.price[entry] = other.price[at]!;
      this.amount[entry] = other.amount[at]!;
      this.cost[entry] = other.cost[at]!;
      this.budget[entry] = other.budget[at]!;
      this.headroom[entry] = other.headroom[at]!;
      this.most[entry] = other.most[at]!;
      this.addressBytes[entry] = other.addressBytes[at]!;
      this.transferBytes[entry] = other.transferBytes[at]!;
    }
  }

  /** Shares the entries of another block, up to `end`, as if each were of an unconstrained maker. */
  ungroup(other: HopColumns, end: number): void {
    if (noGroups.length < end) noGroups = new Int32Array(2 * end).fill(UNCONSTRAINED);
    this.slot = other.slot;
    this.owner = other.owner;
    this.previous = other.previous;
    this.price = other.price;
    this.amount = other.amount;
    this.cost = other.cost;
    this.budget = other.budget;
    this.headroom = other.headroom;
    this.most = other.most;
    this.addressBytes = other.addressBytes;
    this.transferBytes = other.transferBytes;
    this.group = noGroups;
    this.groupTop = other.groupTop;
  }

  /** Fills in `most` from amount, budget and headroom. */
  limit(entry: number, words: BigUint64Array): void {
    let most = this.amount[entry]!;
    if (this.budget[entry]! < most) most = this.budget[entry]!;
    const headroom = this.headroom[entry]!;
    if (headroom < this.cost[entry]!) {
      const payable = outputOf(headroom, this.price[entry]!, words, priceAt(this.slot[entry]!));
      if (payable < most) most = payable;
    }
    this.most[entry] = most;
  }
}

/** Where an order's exact price stands in the book's words. */
export function priceAt(slot: number): number {
  return slot * ORDER_STRIDE_U64 + ORDER_PRICE_U64;
}

/** Scratch of `pick`: by entry of the other block its own entry, or -1. */
let placeOf = new Int32Array(256);

/** Scratch of `groupMakers`, by entry: the maker's first entry; by first entry: sums, group. */
let firstOf = new Int32Array(256);
let amountSum = new Float64Array(256);
let costSum = new Float64Array(256);
let members = new Int32Array(256);
let groupOf = new Int32Array(256);

/** Groups the entries of makers who cannot fill all of theirs. Returns the number of groups. */
export function groupMakers(columns: HopColumns, start: number, count: number): number {
  if (firstOf.length < count) {
    firstOf = new Int32Array(2 * count);
    amountSum = new Float64Array(2 * count);
    costSum = new Float64Array(2 * count);
    members = new Int32Array(2 * count);
    groupOf = new Int32Array(2 * count);
  }
  for (let entry = 0; entry < count; entry += 1) {
    const previous = columns.previous[start + entry]!;
    const first = previous < 0 ? entry : firstOf[previous]!;
    firstOf[entry] = first;
    if (first === entry) {
      amountSum[first] = 0;
      costSum[first] = 0;
      members[first] = 0;
      groupOf[first] = UNCONSTRAINED;
    }
    amountSum[first]! += columns.amount[start + entry]!;
    costSum[first]! += columns.cost[start + entry]!;
    members[first]! += 1;
  }
  let groups = 0;
  for (let entry = 0; entry < count; entry += 1) {
    const first = firstOf[entry]!;
    if (first === entry && members[first]! > 1) {
      const isShort =
        amountSum[first]! > columns.budget[start + entry]! ||
        costSum[first]! > columns.headroom[start + entry]!;
      if (isShort) {
        groupOf[first] = groups;
        groups += 1;
      }
    }
    const group = groupOf[first]!;
    columns.group[start + entry] = group;
    if (group !== UNCONSTRAINED) columns.groupTop[start + group] = entry;
  }
  return groups;
}

/** ceil(got * price) of an entry, and floor(paid / price). */
export function entryCost(
  columns: HopColumns,
  entry: number,
  got: number,
  words: BigUint64Array,
): number {
  return costOf(got, columns.price[entry]!, words, priceAt(columns.slot[entry]!));
}

export function entryOutput(
  columns: HopColumns,
  entry: number,
  paid: number,
  words: BigUint64Array,
): number {
  return outputOf(paid, columns.price[entry]!, words, priceAt(columns.slot[entry]!));
}
