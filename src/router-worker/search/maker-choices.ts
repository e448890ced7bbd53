// Hot path: makers who cannot fill all of their orders are classes of a multiple-choice knapsack
// (Kellerer, Pferschy, Pisinger, Knapsack Problems, 2004): which of a maker's largest orders are filled
// whole is one choice. Finds the best choice of a maker at given multipliers, and lists those that lose
// little against it, by depth-first enumeration. Its other orders are classes by themselves, at a shadow
// price of its backing (relaxation.ts).
import { entryOutput } from "./hop-columns.ts";
import { NONE_OUT } from "./hop-problem.ts";
import { exceeds } from "./hop-selection.ts";
import { ENTRIES_MAX, type HopTask } from "./hop-task.ts";

/** Choices kept for all makers of a hop together, and their entries (guess). */
const CHOICES_MAX = 1 << 11;
const CHOSEN_MAX = 1 << 14;
/** Orders of one maker that are chosen from together: 2^7 choices at most (measured). */
const LARGE_MAX = 7;

/** A maker's break item with its reduced profit. */
export type BreakOfMaker = { entry: number; gain: number; most: number };
export const NO_BREAK: BreakOfMaker = { entry: NONE_OUT, gain: 0, most: 0 };

export class MakerChoices {
  // The choices listed: reduced profit, what each gets and costs, and its entries: `size` from `from`.
  count = 0;
  readonly profit = new Float64Array(CHOICES_MAX);
  readonly got = new Float64Array(CHOICES_MAX);
  readonly paid = new Float64Array(CHOICES_MAX);
  readonly size = new Int32Array(CHOICES_MAX);
  readonly from = new Int32Array(CHOICES_MAX);
  readonly entries = new Int32Array(CHOSEN_MAX);
  #entriesUsed = 0;
  /** Whether choices were left out for want of space, since it was set to false. */
  isCut = false;
  /** Choices looked at. */
  nodes = 0;

  /** By entry: whether it is one of its maker's largest. */
  readonly isLarge = new Uint8Array(ENTRIES_MAX);
  /** By maker: its largest orders. */
  readonly #large: (readonly number[])[] = [];

  // The maker at hand: its largest orders, the highest reduced profit first.
  readonly #task: HopTask;
  #budget = 0;
  #headroom = 0;
  #count = 0;
  readonly #entry = new Int32Array(LARGE_MAX);
  readonly #profit = new Float64Array(LARGE_MAX);
  /** By place: what the orders from there on profit at most. */
  readonly #sum = new Float64Array(LARGE_MAX + 1);
  #break: BreakOfMaker = NO_BREAK;

  // The walk.
  #slots = 0;
  #least = 0;
  /** Whether all choices of at least `#least` are kept, or the best one (from `#keptFrom` on), or none. */
  #keeps: "all" | "best" | "none" = "none";
  #keptFrom = 0;
  readonly #stack = new Int32Array(LARGE_MAX);

  constructor(task: HopTask) {
    this.#task = task;
  }

  /** Finds each maker's largest orders. `slots`: whole orders at most. */
  begin(slots: number): void {
    const { orders, canBeWhole, candidates } = this.#task;
    const { columns, groups } = orders;
    const { amount, groupTop, previous } = columns;
    this.#slots = slots;
    this.isLarge.fill(0, 0, candidates);
    for (let maker = 0; maker < groups; maker += 1) {
      const own: number[] = [];
      let entry = groupTop[maker]!;
      for (; entry >= 0; entry = previous[entry]!) {
        if (entry < candidates && canBeWhole[entry] === 1) own.push(entry);
      }
      own.sort((one, other) => amount[other]! - amount[one]!);
      const large = own.slice(0, LARGE_MAX);
      this.#large[maker] = large;
      for (const one of large) this.isLarge[one] = 1;
    }
  }

  clear(): void {
    this.dropFrom(0);
  }

  /** Forgets the choices from `at` on. */
  dropFrom(at: number): void {
    if (at < this.count) this.#entriesUsed = this.from[at]!;
    this.count = at;
  }

  /**
   * Takes up a maker at multipliers, `lambda` less the price of its backing. `broken`: its break item,
   * which needs backing too.
   */
  take(maker: number, lambda: number, mu: number, broken: BreakOfMaker): void {
    const { columns } = this.#task.orders;
    const top = columns.groupTop[maker]!;
    this.#budget = columns.budget[top]!;
    this.#headroom = columns.headroom[top]!;
    this.#break = broken;
    let count = 0;
    for (const entry of this.#large[maker]!) {
      if (entry === broken.entry) continue;
      const profit = columns.amount[entry]! * lambda - columns.cost[entry]! - mu;
      let at = count;
      while (at > 0 && this.#profit[at - 1]! < profit) {
        this.#profit[at] = this.#profit[at - 1]!;
        this.#entry[at] = this.#entry[at - 1]!;
        at -= 1;
      }
      this.#profit[at] = profit;
      this.#entry[at] = entry;
      count += 1;
    }
    this.#count = count;
    this.#sum[count] = 0;
    for (let place = count - 1; place >= 0; place -= 1) {
      this.#sum[place] = Math.max(0, this.#profit[place]!) + this.#sum[place + 1]!;
    }
  }

  /** Reduced profit of the best choice, which is listed if `lists`; -Infinity: there is none. */
  best(lists: boolean): number {
    this.#least = Number.NEGATIVE_INFINITY;
    this.#walkAll(lists ? "best" : "none");
    return this.#least;
  }

  /** Lists the choices of a reduced profit of at least `least`. */
  list(least: number): void {
    this.#least = least;
    this.#walkAll("all");
  }

  /** Whether two choices of one maker hold the same orders. */
  isSame(one: number, other: number): boolean {
    const { from, size, entries } = this;
    if (size[one] !== size[other]) return false;
    const others = entries.subarray(from[other], from[other]! + size[other]!);
    for (let at = from[one]!; at < from[one]! + size[one]!; at += 1) {
      if (!others.includes(entries[at]!)) return false;
    }
    return true;
  }

  #walkAll(keeps: "all" | "best" | "none"): void {
    this.#keeps = keeps;
    this.#keptFrom = this.count;
    this.#walk(0, 0, 0, 0, 0);
  }

  /** The choices that hold the first `size` orders of the stack and others from `from` on. */
  #walk(from: number, size: number, profit: number, got: number, paid: number): void {
    this.nodes += 1;
    const isAll = this.#keeps === "all";
    const total = profit + this.#breakProfit(this.#budget - got, this.#headroom - paid);
    if (isAll ? total >= this.#least : total > this.#least) {
      if (!isAll) this.#least = total;
      if (this.#keeps === "best") this.dropFrom(this.#keptFrom);
      if (this.#keeps !== "none") this.#keep(size, total, got, paid);
    }
    if (size === this.#slots) return;
    const { columns } = this.#task.orders;
    const broken = Math.max(0, this.#break.gain) * this.#break.most;
    for (let place = from; place < this.#count; place += 1) {
      const own = this.#profit[place]!;
      // The highest first: none of those from here on adds more than this one.
      if (profit + (own < 0 ? own : this.#sum[place]!) + broken < this.#least) return;
      const at = this.#entry[place]!;
      const nextGot = got + columns.amount[at]!;
      const nextPaid = paid + columns.cost[at]!;
      if (exceeds(nextGot, this.#budget) || exceeds(nextPaid, this.#headroom)) continue;
      this.#stack[size] = place;
      this.#walk(place + 1, size + 1, profit + own, nextGot, nextPaid);
    }
  }

  #breakProfit(budget: number, headroom: number): number {
    const { entry, gain, most } = this.#break;
    if (entry === NONE_OUT) return 0;
    if (budget < 1 || headroom < 1) return Number.NEGATIVE_INFINITY;
    if (gain <= 0) return gain;
    const { columns, words } = this.#task.orders;
    const payable =
      headroom === Number.POSITIVE_INFINITY ? most : entryOutput(columns, entry, headroom, words);
    return gain * Math.min(budget, most, Math.max(1, payable));
  }

  #keep(size: number, profit: number, got: number, paid: number): void {
    if (this.count === CHOICES_MAX || this.#entriesUsed + size > CHOSEN_MAX) {
      this.isCut = true;
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
