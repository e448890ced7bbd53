// Hot path: makers who cannot fill all of their orders are classes of a multiple-choice knapsack
// (Kellerer, Pferschy, Pisinger, Knapsack Problems, 2004): which of a maker's orders are filled whole
// is one choice. Finds the best choice of a maker at given multipliers, and lists those that lose
// little against it. A knapsack of some dozen orders each: depth-first branch and bound.
import { entryOutput } from "./hop-columns.ts";
import { type HopOrders, NONE_OUT } from "./hop-problem.ts";

/** Choices kept for all makers of a hop together, and their entries (guess). */
const CHOICES_MAX = 1 << 11;
const ENTRIES_MAX = 1 << 14;
/** Orders of one maker that are looked at: those of the highest reduced profit (guess). */
const ORDERS_MAX_OF_MAKER = 96;
/** Nodes to find the best choice of one maker (guess). */
const BEST_NODES = 2048;

/** A maker who fills no more orders than this at once is one class, and one of fewer choices (guess). */
const FEW_ORDERS = 6;
const MANY_CHOICES = 256;

/** A maker's break item with its reduced profit. */
export type BreakOfMaker = { entry: number; gain: number; most: number };
export const NO_BREAK: BreakOfMaker = { entry: NONE_OUT, gain: 0, most: 0 };

export class MakerChoices {
  // The choices listed: what each gets and costs, and its entries: `size` of them from `from`.
  count = 0;
  readonly profit = new Float64Array(CHOICES_MAX);
  readonly got = new Float64Array(CHOICES_MAX);
  readonly paid = new Float64Array(CHOICES_MAX);
  readonly size = new Int32Array(CHOICES_MAX);
  readonly from = new Int32Array(CHOICES_MAX);
  readonly entries = new Int32Array(ENTRIES_MAX);
  #entriesUsed = 0;
  /** False where choices were left out for want of space or work. */
  complete = true;
  /** Orders of the choice `best` found, and the highest reduced profit of an order. */
  bestSize = 0;
  get highest(): number {
    return this.#count === 0 ? 0 : this.#profit[0]!;
  }

  /** Nodes that may still be spent. */
  nodesLeft = 0;

  // The maker at hand, its orders that can be filled whole, the highest reduced profit first.
  #orders!: HopOrders;
  #budget = 0;
  #room = 0;
  #count = 0;
  readonly #entry = new Int32Array(ORDERS_MAX_OF_MAKER);
  readonly #amount = new Float64Array(ORDERS_MAX_OF_MAKER);
  readonly #cost = new Float64Array(ORDERS_MAX_OF_MAKER);
  readonly #profit = new Float64Array(ORDERS_MAX_OF_MAKER);
  /** By place: of the orders from there on, the least amount, the best profit a unit, all profit. */
  readonly #least = new Float64Array(ORDERS_MAX_OF_MAKER + 1);
  readonly #rate = new Float64Array(ORDERS_MAX_OF_MAKER + 1);
  readonly #sum = new Float64Array(ORDERS_MAX_OF_MAKER + 1);
  #isCut = false;
  #break: BreakOfMaker = NO_BREAK;

  // The walk.
  #best = 0;
  #lists = false;
  #slots = 0;
  #nodesEnd = 0;
  #isOut = false;
  /** Whether the walk lists what it finds, from this choice on. */
  #keeps = false;
  #keptFrom = 0;
  readonly #stack = new Int32Array(ORDERS_MAX_OF_MAKER);

  clear(): void {
    this.count = 0;
    this.#entriesUsed = 0;
    this.complete = true;
  }

  /** Forgets the choices from `at` on. */
  dropFrom(at: number): void {
    if (at < this.count) this.#entriesUsed = this.from[at]!;
    this.count = at;
  }

  /**
   * Takes up the maker of a group at multipliers `lambda` and `mu`. `limit`: an order that uses up
   * this much of the amount or more cannot be whole. `slots`: whole orders at most. `broken`: the
   * maker's break item, which needs backing too.
   */
  take(
    orders: HopOrders,
    group: number,
    lambda: number,
    mu: number,
    sells: boolean,
    limit: number,
    candidates: number,
    slots: number,
    broken: BreakOfMaker,
  ): void {
    const { columns, start } = orders;
    const top = columns.groupTop[start + group]!;
    this.#orders = orders;
    this.#budget = columns.budget[start + top]!;
    this.#room = columns.room[start + top]!;
    this.#slots = slots;
    this.#break = broken;
    this.#isCut = false;
    let count = 0;
    for (let entry = top; entry >= 0; entry = columns.previous[start + entry]!) {
      if (entry >= candidates || entry === broken.entry) continue;
      const at = start + entry;
      const amount = columns.amount[at]!;
      const cost = columns.cost[at]!;
      if (columns.most[at]! < amount || (sells ? cost : amount) >= limit) continue;
      const profit = amount * lambda - cost - mu;
      if (count === ORDERS_MAX_OF_MAKER) {
        this.#isCut = true;
        if (profit <= this.#profit[count - 1]!) continue;
      } else count += 1;
      let place = count - 1;
      while (place > 0 && this.#profit[place - 1]! < profit) {
        this.#profit[place] = this.#profit[place - 1]!;
        this.#entry[place] = this.#entry[place - 1]!;
        place -= 1;
      }
      this.#profit[place] = profit;
      this.#entry[place] = entry;
    }
    this.#count = count;
    this.#least[count] = Number.POSITIVE_INFINITY;
    this.#rate[count] = 0;
    this.#sum[count] = 0;
    for (let place = count - 1; place >= 0; place -= 1) {
      const at = start + this.#entry[place]!;
      const amount = columns.amount[at]!;
      const profit = this.#profit[place]!;
      this.#amount[place] = amount;
      this.#cost[place] = columns.cost[at]!;
      this.#least[place] = Math.min(amount, this.#least[place + 1]!);
      this.#rate[place] = Math.max(profit / amount, this.#rate[place + 1]!);
      this.#sum[place] = Math.max(0, profit) + this.#sum[place + 1]!;
    }
  }

  /**
   * Reduced profit of the best choice, or at least that; -Infinity: there is none. The choice itself,
   * as far as it was found, is listed after those before where `lists` says so.
   */
  best(lists: boolean): number {
    this.#lists = false;
    this.#best = Number.NEGATIVE_INFINITY;
    const before = this.count;
    this.#walkAll(BEST_NODES, lists);
    if (lists && this.count === before) this.#keep(0, 0, 0, 0);
    if (!this.#isOut && !this.#isCut) return this.#best;
    this.complete = false;
    const broken = Math.max(0, this.#break.gain) * this.#break.most;
    const rest = this.#isCut ? this.#budget * this.#rate[0]! : this.#mostFrom(0, this.#budget, 0);
    return Math.max(this.#best, rest + broken);
  }

  /** Lists the choices of a reduced profit of at least `least`; returns their number. */
  list(least: number): number {
    const before = this.count;
    this.#lists = true;
    this.#best = least;
    this.#walkAll(this.nodesLeft, true);
    if (this.#isOut || this.#isCut) this.complete = false;
    return this.count - before;
  }

  /** Whether two choices of one maker hold the same orders. */
  isSame(one: number, other: number): boolean {
    const { from, size, entries } = this;
    if (size[one] !== size[other]) return false;
    for (let place = 0; place < size[one]!; place += 1) {
      if (!this.#holds(other, entries[from[one]! + place]!)) return false;
    }
    return true;
  }

  #holds(choice: number, entry: number): boolean {
    const { from, size, entries } = this;
    for (let at = from[choice]!; at < from[choice]! + size[choice]!; at += 1) {
      if (entries[at] === entry) return true;
    }
    return false;
  }

  /** Whether the maker at hand has too many choices to be looked at one by one. */
  isMany(): boolean {
    const most = Math.min(this.#slots, Math.floor(this.#budget / this.#least[0]!));
    if (most <= FEW_ORDERS || this.#count <= FEW_ORDERS) return false;
    const before = this.nodesLeft;
    this.#lists = true;
    this.#best = Number.NEGATIVE_INFINITY;
    this.#walkAll(MANY_CHOICES, false);
    this.nodesLeft = before;
    return this.#isOut;
  }

  get budget(): number {
    return this.#budget;
  }

  /** What a unit of the backing is worth where it is shared out by profit a unit, divisibly. */
  priceOfBacking(): number {
    let left = this.#budget;
    const taken = this.#stack.fill(0, 0, this.#count);
    for (;;) {
      let best = -1;
      for (let at = 0; at < this.#count; at += 1) {
        if (taken[at] === 1 || this.#profit[at]! <= 0) continue;
        if (best >= 0) {
          const rate = this.#profit[at]! * this.#amount[best]!;
          if (rate <= this.#profit[best]! * this.#amount[at]!) continue;
        }
        best = at;
      }
      if (best < 0) return 0;
      if (this.#amount[best]! > left) return this.#profit[best]! / this.#amount[best]!;
      left -= this.#amount[best]!;
      taken[best] = 1;
    }
  }

  #walkAll(nodes: number, keeps: boolean): void {
    const most = Math.min(nodes, this.nodesLeft);
    this.#nodesEnd = this.nodesLeft - most;
    this.#isOut = false;
    this.#keeps = keeps;
    this.#keptFrom = this.count;
    this.#walk(0, 0, 0, 0, 0);
  }

  /** The choices that hold the first `size` orders of the stack and others from `from` on. */
  #walk(from: number, size: number, profit: number, got: number, paid: number): void {
    this.nodesLeft -= 1;
    if (this.nodesLeft < this.#nodesEnd) {
      this.#isOut = true;
      return;
    }
    const budget = this.#budget - got;
    const total = profit + this.#breakProfit(budget, this.#room - paid);
    if (this.#lists ? total >= this.#best : total > this.#best) {
      if (!this.#lists) {
        this.#best = total;
        this.bestSize = size;
        // Only the best one stays.
        if (this.#keeps) this.dropFrom(this.#keptFrom);
      }
      if (this.#keeps) this.#keep(size, total, got, paid);
    }
    if (size === this.#slots) return;
    const broken = Math.max(0, this.#break.gain) * this.#break.most;
    for (let at = from; at < this.#count; at += 1) {
      const own = this.#profit[at]!;
      // Those from here on: the highest first, so none adds more than this one.
      const most = this.#mostFrom(at, budget, size);
      if (profit + (own < 0 ? own : most) + broken < this.#best) return;
      if (this.#amount[at]! > budget || paid + this.#cost[at]! > this.#room) continue;
      this.#stack[size] = at;
      this.#walk(at + 1, size + 1, profit + own, got + this.#amount[at]!, paid + this.#cost[at]!);
      if (this.#isOut) return;
    }
  }

  /** At least what orders from `from` on can add with that much backing left. */
  #mostFrom(from: number, budget: number, size: number): number {
    const orders = Math.min(Math.floor(budget / this.#least[from]!), this.#slots - size);
    const byCount = orders * Math.max(0, this.#profit[from]!);
    const byBudget = budget * this.#rate[from]!;
    return Math.min(byCount, byBudget, this.#sum[from]!);
  }

  #breakProfit(budget: number, room: number): number {
    const { entry, gain, most } = this.#break;
    if (entry === NONE_OUT) return 0;
    if (budget < 1 || room < 1) return Number.NEGATIVE_INFINITY;
    if (gain <= 0) return gain;
    const payable =
      room === Number.POSITIVE_INFINITY
        ? most
        : entryOutput(this.#orders.columns, this.#orders.start + entry, room, this.#orders.words);
    return gain * Math.min(budget, most, Math.max(1, payable));
  }

  #keep(size: number, profit: number, got: number, paid: number): void {
    if (this.count === CHOICES_MAX || this.#entriesUsed + size > ENTRIES_MAX) {
      this.complete = false;
      return;
    }
    const at = this.count;
    this.profit[at] = profit;
    this.got[at] = got;
    this.paid[at] = paid;
    this.size[at] = size;
    this.from[at] = this.#entriesUsed;
    for (let place = 0; place < size; place += 1) {
      this.entries[this.#entriesUsed + place] = this.#entry[this.#stack[place]!]!;
    }
    this.#entriesUsed += size;
    this.count += 1;
  }
}
