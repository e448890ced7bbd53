// Hot path: one hop to be solved: which of its orders count, which can be whole, whether they are enough,
// and how many of them the call carries.
import { FILL_BYTES } from "./call-bytes.ts";
import { CANDIDATES_MAX } from "./candidates.ts";
import { UNCONSTRAINED } from "./hop-columns.ts";
import { type HopDemand, type HopOrders, mostOfSlots, orderBytes } from "./hop-problem.ts";
import { EXACT_MAX } from "./rounding.ts";

/** Entries of a hop: its candidates. */
export const ENTRIES_MAX = CANDIDATES_MAX;
/** Relative error of a hop's sums beyond EXACT_MAX; what it leaves open integers decide. */
const ERROR = 2 ** -46;
const NO_GROUPS = new Int32Array(ENTRIES_MAX).fill(UNCONSTRAINED);

export class HopTask {
  orders!: HopOrders;
  /** Groups of makers that count: none while `ignoresBacking`. */
  group!: Int32Array;
  groups = 0;
  /** Whether makers count as if each had backing for all orders: a selection that lacks it is then turned down. */
  ignoresBacking = false;
  demand!: HopDemand;
  sells = true;
  /** SELL: what is worth less, BUY: the negative of what it costs, is of no use. */
  cutoff = 0;
  /** What sums of the amount's size err by. */
  error = 0;
  /** The first so many entries count. */
  candidates = 0;
  priceMax = 0;
  /** Whether some selections take more bytes of the call than they may. */
  isBytesBound = false;
  /** Order slots: no more than the call carries. */
  slots = 0;
  /** What orders use up of the amount, and what leaves some of it. */
  #uses!: Float64Array;
  #wholeMax = 0;
  readonly #amountOf = new Float64Array(ENTRIES_MAX);
  readonly #costOf = new Float64Array(ENTRIES_MAX);

  begin(orders: HopOrders, demand: HopDemand): void {
    this.orders = orders;
    this.demand = demand;
    this.sells = demand.sells;
    this.cutoff = this.sells ? demand.cutoff : -demand.cutoff;
    this.error = demand.amount * ERROR;
    const { columns } = orders;
    const { price } = columns;
    // Selling, an order whose unit costs more than all that is paid cannot be filled.
    let { count } = orders;
    while (this.sells && count > 0 && price[count - 1]! > demand.amount * (1 + 2 ** -50))
      count -= 1;
    this.candidates = count;
    this.priceMax = price[count - 1] ?? 0;
    this.#uses = this.sells ? columns.cost : columns.amount;
    // What uses up less can leave something: beyond 2^51 integers decide how much.
    this.#wholeMax = demand.amount + (demand.amount < EXACT_MAX ? 0 : this.error);
    let bytesMost = 0;
    const isBounded = demand.bytes < Number.POSITIVE_INFINITY;
    for (let entry = 0; isBounded && entry < count; entry += 1) {
      bytesMost = Math.max(bytesMost, orderBytes(orders, entry));
    }
    this.isBytesBound = bytesMost * demand.slots > demand.bytes;
    this.slots = this.isBytesBound ? Math.max(1, this.#mostThatFit()) : demand.slots;
    this.ignoresBacking = orders.groups > 0;
    this.group = NO_GROUPS;
    this.groups = 0;
  }

  /** Whether an order can be filled whole and leave some of the amount. */
  canBeWhole(entry: number): boolean {
    const { amount, most } = this.orders.columns;
    const isFilled = entry < this.candidates && most[entry]! >= amount[entry]!;
    return isFilled && this.#uses[entry]! < this.#wholeMax;
  }

  /** From now on makers have what they have. */
  tighten(): void {
    this.ignoresBacking = false;
    this.group = this.orders.columns.group;
    this.groups = this.orders.groups;
  }

  /** Whether a maker is short of backing or headroom for all of its orders below a price. */
  isShortAt(lambda: number): boolean {
    const { columns, groups } = this.orders;
    const { amount, budget, cost, group, groupTop, headroom, price } = columns;
    const amounts = this.#amountOf.fill(0, 0, groups);
    const costs = this.#costOf.fill(0, 0, groups);
    for (let entry = 0; entry < this.candidates && price[entry]! < lambda; entry += 1) {
      const maker = group[entry]!;
      if (maker === UNCONSTRAINED) continue;
      amounts[maker]! += amount[entry]!;
      costs[maker]! += cost[entry]!;
      const top = groupTop[maker]!;
      if (amounts[maker]! > budget[top]! || costs[maker]! > headroom[top]!) return true;
    }
    return false;
  }

  /** Whether two orders, each of which can be whole, do the same in any selection. */
  areTwins(one: number, other: number): boolean {
    const { amount, cost, group, price } = this.orders.columns;
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
  #mostThatFit(): number {
    const { columns, payerBytes } = this.orders;
    const { addressBytes, owner, transferBytes } = columns;
    const counts = new Map<number, number>();
    let [fill, transfers, share] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 1];
    for (let entry = 0; entry < this.candidates; entry += 1) {
      fill = Math.min(fill, FILL_BYTES + addressBytes[entry]! + payerBytes);
      transfers = Math.min(transfers, transferBytes[entry]! + payerBytes);
      const count = (counts.get(owner[entry]!) ?? 0) + 1;
      counts.set(owner[entry]!, count);
      share = Math.max(share, count);
    }
    const { bytes, slots } = this.demand;
    let most = 0;
    while (most < slots && (most + 1) * fill + Math.ceil((most + 1) / share) * transfers <= bytes) {
      most += 1;
    }
    return most;
  }

  /** False where even the largest orders cannot use up the amount. */
  isEnoughInAll(): boolean {
    const { amount, slots } = this.demand;
    const slack = (this.sells ? this.priceMax : 0) + this.error;
    const used = mostOfSlots(this.orders, this.candidates, slots, this.sells, amount);
    return used * (1 + ERROR) + slack >= amount;
  }
}
