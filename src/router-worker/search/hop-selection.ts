// Hot path: the order selection being tried, and the incumbent: the best one that settles. Integers
// decide what settles: plain numbers where all of them are below 2^51, else the contract's own
// arithmetic on 128-bit integers.
import { entryCost, entryOutput, UNCONSTRAINED } from "./hop-columns.ts";
import { selectionBytes } from "./hop-problem.ts";
import { ENTRIES_MAX, type HopTask } from "./hop-task.ts";
import { EXACT_MAX } from "./rounding.ts";
import { type ListedOrder, listedOrder, planHop, settle } from "./settle.ts";

/** Orders of a selection at most. */
const LIST_MAX = 64;
/** Nodes that a settlement in 128-bit integers counts as. */
const EXACT_NODES = 64;

export class HopSelection {
  // The incumbent.
  /** SELL: what it gets, BUY: the negative of what it costs; -Infinity: there is none. */
  worth = Number.NEGATIVE_INFINITY;
  /** What it gets or costs, in integers, where plain numbers do not hold it. */
  exactValue: bigint | undefined;
  /** Entries in matching order, the break item last. */
  readonly list = new Int32Array(LIST_MAX);
  count = 0;
  /**
   * SELL: an upper bound of what any selection gets of a part of the amount or of all of it; what is below the
   * cutoff, or better than the incumbent by no more than the gap, does not count. No bound where the search
   * was cut short.
   */
  partMost = 0;
  /** Nodes that 128-bit settlements counted as. */
  exactNodes = 0;
  /** Whether a selection was turned down that a maker lacks the backing for (beyond 2^51: may lack it for). */
  isOverdrawn = false;
  /** The most that a selection is worth, or gets of a part, which was turned down for its bytes. */
  #refused = Number.NEGATIVE_INFINITY;
  /** By entry: whether it is listed whole. */
  readonly isIn = new Uint8Array(ENTRIES_MAX);

  readonly #task: HopTask;
  /** The selection being tried, as `list`. */
  readonly #tried = new Int32Array(LIST_MAX);

  constructor(task: HopTask) {
    this.#task = task;
  }

  get found(): boolean {
    return this.count > 0;
  }

  /**
   * Whether something as good as the incumbent, and the cutoff, was turned down for its bytes, or not tried for
   * them.
   */
  get isBytesBound(): boolean {
    const { cutoff, demand, slots } = this.#task;
    return slots < demand.slots || this.#refused >= Math.max(this.worth, cutoff);
  }

  /** SELL: what the incumbent gets, BUY: what it costs. */
  get value(): number {
    return Math.abs(this.worth);
  }

  /** Once the task has begun. */
  begin(): void {
    this.worth = Number.NEGATIVE_INFINITY;
    this.exactValue = undefined;
    this.partMost = 0;
    this.count = 0;
    this.exactNodes = 0;
    this.isOverdrawn = false;
    this.#refused = Number.NEGATIVE_INFINITY;
    this.clear();
  }

  clear(): void {
    this.isIn.fill(0, 0, this.#task.candidates);
  }

  /** SELL: notes what selections get at most that need not use up the amount. */
  notePart(value: number): void {
    if (value > this.partMost) this.partMost = value;
  }

  /** The same of the whole orders and the break item `entry`: where the call can carry them. */
  noteCarried(value: number, entry: number, count: number): void {
    if (value <= this.partMost) return;
    this.#list(entry, count);
    if (this.#isCarried(count + 1, value)) this.partMost = value;
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
    const { orders, demand, sells } = this.#task;
    const { columns, words } = orders;
    const { amount } = demand;
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
    if (sells) this.noteCarried(got + Math.min(gets, most), entry, count);
    // Selling, what it pays matters only to a maker who cannot be paid for all of it.
    const isPaid = isWhole || (sells && headroom >= cost);
    const pays = isPaid ? cost : entryCost(columns, entry, gets, words);
    if (gets > most || pays > headroom) return false;
    // All of the amount is got; what is not paid must be worth nothing at the highest price filled.
    const rest = left - (sells ? cost : own);
    if (rest > 0 && !(sells && this.#isWorthless(rest, entry))) return false;
    return this.#offer(entry, sells ? got + gets : -(paid + pays), count);
  }

  /** Whether `rest` units of what is paid buy nothing at the highest price among those filled. */
  #isWorthless(rest: number, last: number): boolean {
    const { orders, candidates } = this.#task;
    const buysNothing = (entry: number) =>
      entryOutput(orders.columns, entry, rest, orders.words) < 1;
    if (!buysNothing(candidates - 1)) return false;
    // The cheapest come first.
    let dearest = candidates - 1;
    while (dearest > last && this.isIn[dearest] === 0) dearest -= 1;
    return buysNothing(dearest);
  }

  /** The same by the contract's plan, where a plain number cannot tell. */
  #completeExactly(entry: number, most: number, got: number, paid: number, count: number): boolean {
    const { orders, demand, sells, error } = this.#task;
    const { columns, view } = orders;
    const price = columns.price[entry]!;
    const left = demand.amount - (sells ? paid : got);
    const uses = sells
      ? Math.min(columns.cost[entry]!, most * price)
      : Math.min(columns.amount[entry]!, most);
    if (left < -error || (!sells && left > uses + error)) return false;
    const part = Math.min(left, uses);
    const worth = sells ? got + part / price : -(paid + part * price);
    if (sells) this.noteCarried(worth, entry, count);
    if (worth <= this.worth) return false;
    if (sells && left > uses + 1 + error + price * 1.001) return false;
    this.exactNodes += EXACT_NODES;
    this.#list(entry, count);
    const listed = Array.from(this.#tried.subarray(0, count + 1), (one) =>
      listedOrder(view!, columns.slot[one]!),
    );
    const exact = this.#settle(listed, demand.exactAmount ?? BigInt(demand.amount));
    if (exact === undefined) {
      this.isOverdrawn = true;
      return false;
    }
    return this.#offer(entry, sells ? Number(exact) : -Number(exact), count, exact);
  }

  /** What the orders get or cost; undefined where the call would fail or an order be skipped. */
  #settle(listed: readonly ListedOrder[], wanted: bigint): bigint | undefined {
    const { orders, sells } = this.#task;
    // On a longer route what a maker delivers can release headroom: the route's settlement tells.
    const settled = orders.isRoute
      ? planHop(listed, wanted, sells)
      : settle([listed], wanted, sells);
    return sells ? settled?.bought : settled?.sold;
  }

  /** Keeps `count` whole orders and a break item where they are better than the incumbent. */
  #offer(entry: number, worth: number, count: number, exact?: bigint): boolean {
    const { demand, sells, ignoresBacking } = this.#task;
    if (sells) {
      this.noteCarried(worth, entry, count);
      if (worth >= demand.below) return false;
    }
    const listed = count + 1;
    if (this.found && !this.#isBetter(worth, exact, listed)) return false;
    this.#list(entry, count);
    if (!this.#isCarried(listed, worth)) return false;
    if (
      ignoresBacking &&
      exact === undefined &&
      !this.#isBacked(listed, sells ? worth : demand.amount)
    ) {
      this.isOverdrawn = true;
      return false;
    }
    this.worth = worth;
    this.exactValue = exact;
    this.count = listed;
    this.list.set(this.#tried);
    return true;
  }

  /** Whether the call carries what is tried. */
  #isCarried(listed: number, worth: number): boolean {
    const { orders, demand, isBytesBound } = this.#task;
    if (!isBytesBound || selectionBytes(orders, this.#tried, listed) <= demand.bytes) return true;
    if (worth > this.#refused) this.#refused = worth;
    return false;
  }

  /** Of equal values the one of fewer orders. */
  #isBetter(worth: number, exact: bigint | undefined, count: number): boolean {
    if (worth !== this.worth) return worth > this.worth;
    const known = this.exactValue;
    if (exact === undefined || known === undefined || exact === known) return count < this.count;
    return this.#task.sells === exact > known;
  }

  /** Whether each maker has enough for all that is tried of it, which gets so much in all. */
  #isBacked(listed: number, value: number): boolean {
    const { columns, words } = this.#task.orders;
    const { amount, budget, cost, group, groupTop, headroom } = columns;
    const list = this.#tried;
    let part = value;
    for (let place = 0; place < listed - 1; place += 1) part -= amount[list[place]!]!;
    for (let place = 0; place < listed; place += 1) {
      const maker = group[list[place]!]!;
      if (maker === UNCONSTRAINED) continue;
      let [got, paid] = [0, 0];
      for (let other = place; other < listed; other += 1) {
        const entry = list[other]!;
        if (group[entry] !== maker) continue;
        got += other === listed - 1 ? part : amount[entry]!;
        paid += other === listed - 1 ? entryCost(columns, entry, part, words) : cost[entry]!;
      }
      const top = groupTop[maker]!;
      if (got > budget[top]! || paid > headroom[top]!) return false;
    }
    return true;
  }

  /** Lists the `count` orders that are in, and the break item, as tried. */
  #list(last: number, count: number): void {
    let listed = 0;
    for (let entry = 0; listed < count && entry < this.#task.candidates; entry += 1) {
      if (this.isIn[entry] === 1) this.#tried[listed++] = entry;
    }
    this.#tried[listed] = last;
  }
}
