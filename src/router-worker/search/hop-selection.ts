// Hot path: the order selection being tried, and the incumbent: the best one that settles. Integers
// decide what settles: plain numbers where all of them are below 2^51, else the contract's own
// arithmetic on 128-bit integers.
import { CANDIDATES_MAX } from "./candidates.ts";
import { entryCost, entryOutput, UNCONSTRAINED } from "./hop-columns.ts";
import { type HopDemand, type HopOrders, SELL, selectionBytes } from "./hop-problem.ts";
import { type ListedOrder, listedOrder, planHop, settleBuying, settleSelling } from "./settle.ts";

/** Below it, sums and products of a hop are exact. */
export const EXACT_MAX = 2 ** 51;
/** Relative error of a hop's sums beyond that; what it leaves open integers decide. */
const ERROR = 2 ** -46;
/** Orders of a selection at most. */
const LIST_MAX = 64;
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
  readonly list = new Int32Array(LIST_MAX);
  readonly #scratch = new Int32Array(LIST_MAX);
  count = 0;
  /** SELL: the most that any selection tried would get that need not use up the amount. */
  partMost = 0;
  /** Nodes that 128-bit settlements counted as. */
  exactNodes = 0;

  /** Whether some selections take more bytes of the call than they may. */
  isBytesBound = false;
  /** Whether selections are checked for makers' backing, since the search ignores it; and whether one lacked it. */
  checksBacking = false;
  isOverdrawn = false;
  /** By entry: whether it is listed whole. */
  readonly isIn = new Uint8Array(CANDIDATES_MAX);

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
    this.partMost = 0;
    this.count = 0;
    this.exactNodes = 0;
    this.isOverdrawn = false;
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
    const { columns, words } = this.#orders;
    const { direction, amount } = this.#demand;
    const sells = direction === SELL;
    const own = columns.amount[entry]!;
    const cost = columns.cost[entry]!;
    if (!(amount < EXACT_MAX && got + own < EXACT_MAX && paid + cost < EXACT_MAX)) {
      return this.#completeExactly(entry, most, got, paid, count);
    }
    const left = amount - (sells ? paid : got);
    if (left < 1) return false;
    const isWhole = left >= (sells ? cost : own);
    const gets = isWhole ? own : sells ? entryOutput(columns, entry, left, words) : left;
    if (gets < 1) return false;
    if (sells) this.#notePart(got + Math.min(gets, most));
    // Selling, what it pays matters only to a maker who cannot be paid for all of it.
    const isPaid = isWhole || (sells && headroom >= cost);
    const pays = isPaid ? cost : entryCost(columns, entry, gets, words);
    if (gets > most || pays > headroom) return false;
    // All of the amount is got; what is not paid must be worth nothing at the highest price filled.
    const rest = left - (sells ? cost : own);
    if (rest > 0 && !(sells && this.#isWorthless(rest, entry))) return false;
    return this.#offer(entry, sells ? got + gets : paid + pays, count);
  }

  /** SELL: notes what a selection gets that need not use up the amount. */
  #notePart(value: number): void {
    if (value > this.partMost) this.partMost = value;
  }

  /** Whether `rest` units of what is paid buy nothing at the highest price among those filled. */
  #isWorthless(rest: number, last: number): boolean {
    const { columns, words } = this.#orders;
    const buysNothing = (entry: number) => entryOutput(columns, entry, rest, words) < 1;
    if (!buysNothing(this.#candidates - 1)) return false;
    // The cheapest come first.
    let dearest = this.#candidates - 1;
    while (dearest > last && this.isIn[dearest] === 0) dearest -= 1;
    return buysNothing(dearest);
  }

  /** The same by the contract's plan, where a plain number cannot tell. */
  #completeExactly(entry: number, most: number, got: number, paid: number, count: number): boolean {
    const { columns, view } = this.#orders;
    const { direction, amount } = this.#demand;
    const sells = direction === SELL;
    const price = columns.price[entry]!;
    const error = amount * ERROR;
    const left = amount - (sells ? paid : got);
    const uses = sells
      ? Math.min(columns.cost[entry]!, most * price)
      : Math.min(columns.amount[entry]!, most);
    if (left < -error || (!sells && left > uses + error)) return false;
    const part = Math.min(left, uses);
    const value = sells ? got + part / price : paid + part * price;
    if (sells) this.#notePart(value);
    if (this.found && (sells ? value <= this.value : value >= this.value)) return false;
    if (sells && left > uses + 1 + error + price * 1.001) return false;
    this.exactNodes += EXACT_NODES;
    this.#write(this.#scratch, entry);
    const listed = Array.from(this.#scratch.subarray(0, count + 1), (one) =>
      listedOrder(view!, columns.slot[one]!),
    );
    const exact = this.#settle(listed, this.#demand.exactAmount ?? BigInt(amount));
    return exact !== undefined && this.#offer(entry, Number(exact), count, exact);
  }

  /** What the orders get or cost; undefined where the call would fail or an order be skipped. */
  #settle(listed: readonly ListedOrder[], wanted: bigint): bigint | undefined {
    const sells = this.#demand.direction === SELL;
    // On a longer route what a maker delivers can release headroom: the route's settlement tells.
    const settled = this.#orders.isRoute
      ? planHop(listed, wanted, sells)
      : (sells ? settleSelling : settleBuying)([listed], wanted);
    return sells ? settled?.bought : settled?.sold;
  }

  /** Keeps the selection where it is better than the incumbent. */
  #offer(entry: number, value: number, count: number, exact?: bigint): boolean {
    const { direction, below } = this.#demand;
    if (direction === SELL) {
      this.#notePart(value);
      if (value >= below) return false;
    }
    if (this.found && !this.#isBetter(value, exact, count + 1)) return false;
    if (this.isBytesBound && !this.#fits(entry)) return false;
    if (this.checksBacking && !this.#isBacked(entry, value)) {
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
    const { columns, words } = this.#orders;
    const { group, amount, cost } = columns;
    const list = this.#scratch;
    const listed = this.#write(list, last);
    let part = this.#demand.direction === SELL ? value : this.#demand.amount;
    for (let place = 0; place < listed - 1; place += 1) part -= amount[list[place]!]!;
    for (let place = 0; place < listed; place += 1) {
      const maker = group[list[place]!]!;
      if (maker === UNCONSTRAINED) continue;
      let [got, paid] = [0, 0];
      for (let other = place; other < listed; other += 1) {
        const at = list[other]!;
        if (group[at] !== maker) continue;
        got += other === listed - 1 ? part : amount[at]!;
        paid += other === listed - 1 ? entryCost(columns, at, part, words) : cost[at]!;
      }
      const top = columns.groupTop[maker]!;
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
}
