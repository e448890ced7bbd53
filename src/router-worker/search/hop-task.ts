// Hot path: one hop to be solved: which of its orders count, which can be whole, whether they are enough,
// and how many of them the call carries.
import { FILL_BYTES } from "./call-bytes.ts";
import { CANDIDATES_MAX } from "./candidates.ts";
import { UNCONSTRAINED } from "./hop-columns.ts";
import { type HopDemand, type HopOrders, mostOfSlots, orderBytes, SELL } from "./hop-problem.ts";
import { EXACT_MAX } from "./hop-selection.ts";

/** Entries of a hop: its candidates. */
export const ENTRIES_MAX = CANDIDATES_MAX;
const NO_GROUPS = new Int32Array(ENTRIES_MAX).fill(UNCONSTRAINED);

export class HopTask {
  /** Without groups of makers while `ignoresBacking`. */
  orders!: HopOrders;
  /** Of each entry, whether `ignoresBacking` or not. */
  group!: Int32Array;
  /** Whether makers count as if each had backing for all orders: a selection that lacks it is then turned down. */
  ignoresBacking = false;
  demand!: HopDemand;
  sells = true;
  /** The first so many entries count. */
  candidates = 0;
  priceMax = 0;
  /** By entry: whether it can be filled whole and leave some of the amount. */
  readonly canBeWhole = new Uint8Array(ENTRIES_MAX);
  /** What uses up less can be whole and leave something: beyond 2^51 integers decide how much. */
  wholeMax = 0;
  /** Bytes of the order that takes most of the call; and whether some selections do not fit. */
  bytesMost = 0;
  isBytesBound = false;
  #grouped!: HopOrders;
  readonly #amountOf = new Float64Array(ENTRIES_MAX);
  readonly #costOf = new Float64Array(ENTRIES_MAX);

  begin(orders: HopOrders, demand: HopDemand): void {
    this.orders = orders;
    this.demand = demand;
    this.sells = demand.direction === SELL;
    const { amount } = demand;
    this.wholeMax = amount < EXACT_MAX ? amount : amount * (1 + 2 ** -46);
    this.candidates = this.#countCandidates(orders.count);
    const { columns } = orders;
    this.priceMax = this.candidates === 0 ? 0 : columns.price[this.candidates - 1]!;
    const uses = this.sells ? columns.cost : columns.amount;
    this.bytesMost = 0;
    const isBounded = demand.bytes < Number.POSITIVE_INFINITY;
    const { most, amount: amounts } = columns;
    const { canBeWhole, candidates, wholeMax } = this;
    for (let entry = 0; entry < candidates; entry += 1) {
      canBeWhole[entry] = most[entry]! >= amounts[entry]! && uses[entry]! < wholeMax ? 1 : 0;
    }
    for (let entry = 0; isBounded && entry < candidates; entry += 1) {
      this.bytesMost = Math.max(this.bytesMost, orderBytes(orders, entry));
    }
    this.isBytesBound = this.bytesMost * demand.slots > demand.bytes;
    this.group = columns.group;
    this.#grouped = orders;
    this.ignoresBacking = orders.groups > 0 && this.#isExact();
    if (this.ignoresBacking) {
      this.orders = { ...orders, columns: { ...columns, group: NO_GROUPS }, groups: 0 };
    }
  }

  /** From now on makers have what they have. */
  tighten(): void {
    this.orders = this.#grouped;
    this.ignoresBacking = false;
  }

  /** Whether a maker is short of backing or headroom for all of its orders below a price. */
  isShortAt(price: number): boolean {
    const { columns, groups } = this.#grouped;
    const amounts = this.#amountOf;
    const costs = this.#costOf;
    amounts.fill(0, 0, groups);
    costs.fill(0, 0, groups);
    for (let at = 0; at < this.candidates && columns.price[at]! < price; at += 1) {
      const maker = columns.group[at]!;
      if (maker === UNCONSTRAINED) continue;
      amounts[maker]! += columns.amount[at]!;
      costs[maker]! += columns.cost[at]!;
      const top = columns.groupTop[maker]!;
      if (amounts[maker]! > columns.budget[top]! || costs[maker]! > columns.headroom[top]!) {
        return true;
      }
    }
    return false;
  }

  /** Whether plain numbers hold all that orders can add up to. */
  #isExact(): boolean {
    const { amount, cost } = this.orders.columns;
    let got = this.demand.amount;
    let paid = got;
    for (let entry = 0; entry < this.candidates; entry += 1) {
      got += amount[entry]!;
      paid += cost[entry]!;
    }
    return got < EXACT_MAX && paid < EXACT_MAX;
  }

  /** SELL: an order whose unit costs more than all that is paid cannot be filled. */
  #countCandidates(count: number): number {
    const { price } = this.orders.columns;
    const most = this.demand.amount * (1 + 2 ** -50);
    let candidates = count;
    while (this.sells && candidates > 0 && price[candidates - 1]! > most) candidates -= 1;
    return candidates;
  }

  /** Whether two orders, each of which can be whole, do the same in any selection. */
  areTwins(one: number, other: number): boolean {
    const { columns } = this.orders;
    const { amount, cost, price } = columns;
    const { group } = this;
    return (
      amount[one]! < EXACT_MAX &&
      amount[one] === amount[other] &&
      cost[one] === cost[other] &&
      price[one] === price[other] &&
      group[one] === UNCONSTRAINED &&
      group[other] === UNCONSTRAINED &&
      !this.isBytesBound
    );
  }

  /** How many orders fit the call at most: the smallest, of the makers with most of them. */
  mostThatFit(): number {
    const { columns, payerBytes } = this.orders;
    let [fill, transfers, share] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 1];
    const counts = new Map<number, number>();
    for (let entry = 0; entry < this.candidates; entry += 1) {
      fill = Math.min(fill, FILL_BYTES + columns.addressBytes[entry]! + payerBytes);
      transfers = Math.min(transfers, columns.transferBytes[entry]! + payerBytes);
      const count = (counts.get(columns.owner[entry]!) ?? 0) + 1;
      counts.set(columns.owner[entry]!, count);
      if (count > share) share = count;
    }
    let most = 0;
    while (most < this.demand.slots) {
      const next = most + 1;
      if (next * fill + Math.ceil(next / share) * transfers > this.demand.bytes) break;
      most = next;
    }
    return most;
  }

  /** False where even the largest orders cannot use up the amount. */
  isEnoughInAll(): boolean {
    const { amount, slots } = this.demand;
    const slack = (this.sells ? this.priceMax : 0) + amount * 2 ** -46;
    const used = mostOfSlots(this.orders, this.candidates, slots, this.sells, amount);
    return used * (1 + 2 ** -46) + slack >= amount;
  }
}
