// Hot path: the order selection being tried, and the incumbent: the best one that settles. Integers
// decide what settles: plain numbers where all of them are below 2^51, else the contract's own
// arithmetic on 128-bit integers.
import { PRICE_UNIT } from "../../model/settlement.ts";
import { entryCost, entryOutput, priceAt, UNCONSTRAINED } from "./hop-columns.ts";
import { BUY, type HopDemand, type HopOrders, SELL, selectionBytes } from "./hop-problem.ts";
import { exactPrice } from "./rounding.ts";
import {
  type ListedOrder,
  listedOrder,
  planBuying,
  planSelling,
  settleBuying,
  settleSelling,
} from "./settle.ts";

/** Below it, sums and products of a hop are exact. */
export const EXACT_MAX = 2 ** 51;
/** Relative error of a hop's sums beyond that; what it leaves open integers decide. */
const ERROR = 2 ** -46;
/** Nodes that a settlement in 128-bit integers counts as. */
const EXACT_NODES = 64;

/** Whether what orders add up to is surely more than their maker has; what is too close integers decide. */
export function exceeds(sum: number, most: number): boolean {
  return sum > most && (sum < EXACT_MAX || sum > most * (1 + ERROR));
}

export class HopSelection {
  // The incumbent.
  found = false;
  /** SELL: what it gets, BUY: what it costs. */
  value = 0;
  /** The same in integers, where plain numbers do not hold it. */
  exactValue: bigint | undefined;
  /** Entries in matching order, the break item last. */
  list = new Int32Array(64);
  count = 0;
  /** SELL: the most that any selection tried would get that need not use up the amount. */
  free = 0;
  /** Nodes that 128-bit settlements counted as. */
  exactNodes = 0;

  /** Whether some selections take more bytes of the call than they may. */
  isBytesBound = false;
  /** Whether makers who are short of backing are yet to be looked at; and whether one was short. */
  isLoose = false;
  isOverdrawn = false;
  /** By entry: whether it is listed whole. */
  isIn = new Uint8Array(256);

  #orders!: HopOrders;
  #demand!: HopDemand;
  #candidates = 0;

  begin(orders: HopOrders, demand: HopDemand, candidates: number): void {
    this.#orders = orders;
    this.#demand = demand;
    this.#candidates = candidates;
    this.found = false;
    this.value = demand.direction === SELL ? 0 : Number.POSITIVE_INFINITY;
    this.exactValue = undefined;
    this.free = 0;
    this.count = 0;
    this.exactNodes = 0;
    this.isOverdrawn = false;
    if (this.isIn.length < candidates) this.isIn = new Uint8Array(2 * candidates);
    this.clear();
  }

  clear(): void {
    this.isIn.fill(0, 0, this.#candidates);
  }

  /**
   * Completes `count` whole orders, which get and pay so much, with the break item `entry`, whose
   * maker has `most` and `headroom` left for it. True where that is a new incumbent.
   */
  complete(
    entry: number,
    most: number,
    headroom: number,
    got: number,
    paid: number,
    count: number,
  ): boolean {
    if (most < 1 || headroom < 1) return false;
    const { columns, start } = this.#orders;
    const at = start + entry;
    const { amount } = this.#demand;
    const isExact =
      amount < EXACT_MAX &&
      got + columns.amount[at]! < EXACT_MAX &&
      paid + columns.cost[at]! < EXACT_MAX;
    if (!isExact) return this.#completeExactly(entry, most, got, paid, count);
    return this.#demand.direction === SELL
      ? this.#completeSelling(entry, most, headroom, got, paid, count)
      : this.#completeBuying(entry, most, headroom, got, paid, count);
  }

  #completeSelling(
    entry: number,
    most: number,
    headroom: number,
    got: number,
    paid: number,
    count: number,
  ): boolean {
    const { columns, words, start } = this.#orders;
    const at = start + entry;
    const left = this.#demand.amount - paid;
    const cost = columns.cost[at]!;
    if (left >= cost) {
      const isCovered = most >= columns.amount[at]! && headroom >= cost;
      const gets = isCovered ? columns.amount[at]! : Math.min(most, columns.amount[at]!);
      if (got + gets > this.free) this.free = got + gets;
      // What stays unsold must be worth nothing at the highest price filled.
      if (!isCovered || !this.#isWorthless(left - cost, entry)) return false;
      return this.#offer(entry, got + gets, count);
    }
    const gets = left < 1 ? 0 : entryOutput(columns, at, left, words);
    if (gets < 1) return false;
    const isPayable = headroom >= cost || entryCost(columns, at, gets, words) <= headroom;
    if (gets <= most && isPayable) return this.#offer(entry, got + gets, count);
    const free = got + Math.min(gets, most);
    if (free > this.free) this.free = free;
    return false;
  }

  #completeBuying(
    entry: number,
    most: number,
    headroom: number,
    got: number,
    paid: number,
    count: number,
  ): boolean {
    const { columns, words, start } = this.#orders;
    const at = start + entry;
    const wanted = this.#demand.amount - got;
    if (wanted < 1 || wanted > most || wanted > columns.amount[at]!) return false;
    const isWhole = wanted === columns.amount[at]!;
    const cost = isWhole ? columns.cost[at]! : entryCost(columns, at, wanted, words);
    return cost <= headroom && this.#offer(entry, paid + cost, count);
  }

  /** Whether `rest` units of what is paid buy nothing at the highest price among those filled. */
  #isWorthless(rest: number, last: number): boolean {
    if (rest === 0) return true;
    const { columns, start } = this.#orders;
    if (rest > columns.price[start + this.#candidates - 1]! * (1 + 2 ** -50)) return false;
    if (this.#buysNothing(rest, last)) return true;
    for (let entry = 0; entry < this.#candidates; entry += 1) {
      if (this.isIn[entry] === 1 && this.#buysNothing(rest, entry)) return true;
    }
    return false;
  }

  #buysNothing(rest: number, entry: number): boolean {
    const { columns, start, words } = this.#orders;
    const price = columns.price[start + entry]!;
    if (rest < price * (1 - 2 ** -50)) return true;
    if (rest > price * (1 + 2 ** -50)) return false;
    return BigInt(rest) * PRICE_UNIT < exactPrice(words, priceAt(columns.slot[start + entry]!));
  }

  /** The same by the contract's plan, where a plain number cannot tell. */
  #completeExactly(entry: number, most: number, got: number, paid: number, count: number): boolean {
    const { columns, start, view } = this.#orders;
    const { direction, amount } = this.#demand;
    const at = start + entry;
    const price = columns.price[at]!;
    const error = amount * ERROR;
    const left = amount - (direction === SELL ? paid : got);
    const whole = direction === SELL ? columns.cost[at]! : columns.amount[at]!;
    const backed = direction === SELL ? most * price : most;
    if (left < -error || (direction === BUY && left > Math.min(whole, backed) + error)) {
      return false;
    }
    const part = Math.min(left, whole, backed);
    const value = direction === SELL ? got + part / price : paid + part * price;
    if (direction === SELL && value > this.free) this.free = value;
    if (this.found && (direction === SELL ? value <= this.value : value >= this.value)) {
      return false;
    }
    if (direction === SELL && left > Math.min(whole, backed) + 1 + error + price * 1.001) {
      return false;
    }
    this.exactNodes += EXACT_NODES;
    this.#write(this.#scratch, entry);
    const { slot } = columns;
    const listed = Array.from(this.#scratch.subarray(0, count + 1), (one) =>
      listedOrder(view!, slot[start + one]!),
    );
    const exact = this.#settle(listed, this.#demand.exactAmount ?? BigInt(amount));
    if (exact === undefined) return false;
    return this.#offer(entry, Number(exact), count, exact);
  }

  /** What the orders get or cost; undefined where the call would fail or an order be skipped. */
  #settle(listed: readonly ListedOrder[], wanted: bigint): bigint | undefined {
    const sells = this.#demand.direction === SELL;
    // On a longer route what a maker delivers can release headroom: the route's settlement tells.
    if (this.#orders.isRoute)
      return sells ? planSelling(listed, wanted) : planBuying(listed, wanted)?.paid;
    return sells ? settleSelling([listed], wanted)?.bought : settleBuying([listed], wanted)?.sold;
  }

  /** Keeps the selection where it is better than the incumbent. */
  #offer(entry: number, value: number, count: number, exact?: bigint): boolean {
    const { direction, below } = this.#demand;
    if (direction === SELL) {
      if (value > this.free) this.free = value;
      if (value >= below) return false;
    }
    if (this.found && !this.#isBetter(value, exact, count + 1)) return false;
    if (this.isBytesBound && !this.#fits(entry)) return false;
    if (this.isLoose && !this.#isBacked(entry, value)) {
      this.isOverdrawn = true;
      return false;
    }
    this.found = true;
    this.value = value;
    this.exactValue = exact;
    this.count = count + 1;
    this.#write(this.list, entry);
    return true;
  }

  /** Of equal values the one of fewer orders. */
  #isBetter(value: number, exact: bigint | undefined, count: number): boolean {
    const sells = this.#demand.direction === SELL;
    if (value !== this.value) return sells ? value > this.value : value < this.value;
    if (exact === undefined || this.exactValue === undefined || exact === this.exactValue) {
      return count < this.count;
    }
    return sells ? exact > this.exactValue : exact < this.exactValue;
  }

  #fits(last: number): boolean {
    const listed = this.#write(this.#scratch, last);
    return selectionBytes(this.#orders, this.#scratch, listed) <= this.#demand.bytes;
  }

  /** Whether each maker has enough for all that is listed of it. */
  #isBacked(last: number, value: number): boolean {
    const { columns, start, words } = this.#orders;
    const { group, amount, cost } = columns;
    const list = this.#scratch;
    const listed = this.#write(list, last);
    let part = this.#demand.direction === SELL ? value : this.#demand.amount;
    for (let place = 0; place < listed - 1; place += 1) part -= amount[start + list[place]!]!;
    for (let place = 0; place < listed; place += 1) {
      const maker = group[start + list[place]!]!;
      if (maker === UNCONSTRAINED) continue;
      let [got, paid] = [0, 0];
      for (let other = place; other < listed; other += 1) {
        const at = start + list[other]!;
        if (group[at] !== maker) continue;
        got += other === listed - 1 ? part : amount[at]!;
        paid += other === listed - 1 ? entryCost(columns, at, part, words) : cost[at]!;
      }
      const top = start + columns.groupTop[start + maker]!;
      if (got > columns.budget[top]! || paid > columns.headroom[top]!) return false;
    }
    return true;
  }

  #write(to: Int32Array, last: number): number {
    let listed = 0;
    for (let entry = 0; entry < this.#candidates; entry += 1) {
      if (this.isIn[entry] === 1) to[listed++] = entry;
    }
    to[listed] = last;
    return listed + 1;
  }

  readonly #scratch = new Int32Array(64);
}
