// Hot path: what so many orders of a hop profit at most at a shadow price, for each number of
// them. Some 100 ns, and a few more an order below the shadow price.
//
// A maker's orders at a hop draw on the same backing: together they profit no more than its backing
// does, spent on the cheapest first.
import { ORDERS_MAX } from "../quote.ts";
import { UNCONSTRAINED } from "./hop-columns.ts";
import { type HopOrders, insertDescending } from "./hop-problem.ts";
import type { HopTask } from "./hop-task.ts";
import { PROFIT_ROW } from "./known-profits.ts";

/** Orders of one maker that are looked at; the profits of those beyond count in full. */
const ORDERS_OF_MAKER_MAX = 64;

export class ProfitSums {
  /** What filling took so far, in work units. */
  work = 0;

  /** What the orders that profit most get in all: the slope of what they profit. */
  got = 0;

  readonly #sums = new Float64Array(PROFIT_ROW);
  readonly #profits = new Float64Array(ORDERS_MAX);
  /** What each of them gets. */
  readonly #gets = new Float64Array(ORDERS_MAX);
  #held = 0;
  #slots = ORDERS_MAX;
  #task: HopTask | undefined;
  /** Of the maker at hand, by order, the dearest first. */
  readonly #gain = new Float64Array(ORDERS_OF_MAKER_MAX);
  readonly #most = new Float64Array(ORDERS_OF_MAKER_MAX);
  readonly #price = new Float64Array(ORDERS_OF_MAKER_MAX);
  /** Their profits, the largest first. */
  readonly #ofMaker = new Float64Array(ORDERS_OF_MAKER_MAX);

  /**
   * Copies the sums of all orders of the hop to `to` from `at` on: made once for each shadow price while its
   * candidates stay. `key`: the shadow price's own number, the same for the same one.
   */
  copy(to: Float64Array, at: number, hop: HopOrders, key: number, lambda: number): void {
    const known = hop.profits;
    let from = known.find(key);
    if (from < 0) {
      const before = this.work;
      this.fill(this.#sums, hop, lambda);
      // Work does not depend on what was asked before.
      this.#sums[ORDERS_MAX + 1] = this.work - before;
      from = known.add(key);
      known.rows.set(this.#sums, from);
    } else this.work += known.rows[from + ORDERS_MAX + 1]!;
    for (let orders = 0; orders <= ORDERS_MAX; orders += 1) {
      to[at + orders] = known.rows[from + orders]!;
    }
  }

  /**
   * Fills `sums`: what so many orders of the hop, up to `slots`, profit at most at the shadow price. With
   * `task` only those that can be whole, and the makers that count.
   */
  fill(
    sums: Float64Array,
    hop: HopOrders,
    lambda: number,
    slots: number = ORDERS_MAX,
    task: HopTask | undefined = undefined,
  ): void {
    const { groups } = task ?? hop;
    const { columns, count } = hop;
    const { group, most, price } = columns;
    this.#held = 0;
    this.#slots = slots;
    this.#task = task;
    let least = 0;
    let end = 0;
    // Above all prices the largest orders profit most, mostly the dearest ones.
    const isAbove = price[count - 1]! < lambda;
    for (; end < count; end += 1) {
      const entry = isAbove ? count - 1 - end : end;
      if (price[entry]! >= lambda) break;
      const profit = most[entry]! * (lambda - price[entry]!);
      if (profit <= least || (groups > 0 && group[entry] !== UNCONSTRAINED)) continue;
      if (task !== undefined && !task.canBeWhole(entry)) continue;
      this.#add(profit, most[entry]!);
      if (this.#held === slots) least = this.#profits[slots - 1]!;
    }
    for (let maker = 0; maker < groups; maker += 1) this.#addMaker(hop, lambda, maker);
    this.work += 1 + end / 8;
    sums[0] = 0;
    this.got = 0;
    for (let place = 0; place < slots; place += 1) {
      const isHeld = place < this.#held;
      sums[place + 1] = sums[place]! + (isHeld ? this.#profits[place]! : 0);
      if (isHeld) this.got += this.#gets[place]!;
    }
  }

  #add(profit: number, gets: number): void {
    const profits = this.#profits;
    if (this.#held < this.#slots) this.#held += 1;
    else if (profit <= profits[this.#slots - 1]!) return;
    let place = this.#held - 1;
    for (; place > 0 && profits[place - 1]! < profit; place -= 1) {
      profits[place] = profits[place - 1]!;
      this.#gets[place] = this.#gets[place - 1]!;
    }
    profits[place] = profit;
    this.#gets[place] = gets;
  }

  /** Each of a maker's orders in full, those that profit most first, until its backing profits no more. */
  #addMaker({ columns }: HopOrders, lambda: number, maker: number): void {
    const top = columns.groupTop[maker]!;
    let orders = 0;
    for (let entry = top; entry >= 0; entry = columns.previous[entry]!) {
      const price = columns.price[entry]!;
      const most = columns.most[entry]!;
      if (price >= lambda || (this.#task !== undefined && !this.#task.canBeWhole(entry))) continue;
      if (orders === ORDERS_OF_MAKER_MAX) {
        this.#add(most * (lambda - price), most);
        continue;
      }
      this.#gain[orders] = lambda - price;
      this.#most[orders] = most;
      this.#price[orders] = price;
      insertDescending(this.#ofMaker, orders + 1, most * (lambda - price));
      orders += 1;
    }
    // As the search has it: of a copy with credit for headroom the dearest order has the most of it.
    let left = this.#mostOfMaker(orders, columns.budget[top]!, columns.headroom[top]!);
    for (let at = 0; at < orders && left > 0; at += 1) {
      const profit = Math.min(this.#ofMaker[at]!, left);
      this.#add(profit, profit / this.#gain[orders - 1]!);
      left -= profit;
    }
  }

  /** What the maker's orders profit at most within its budget and its headroom. */
  #mostOfMaker(orders: number, budget: number, headroom: number): number {
    let [byBudget, byHeadroom] = [0, 0];
    let [budgetLeft, headroomLeft] = [budget, headroom];
    // The cheapest come last.
    for (let at = orders - 1; at >= 0; at -= 1) {
      const got = Math.min(this.#most[at]!, budgetLeft);
      byBudget += got * this.#gain[at]!;
      budgetLeft -= got;
      const payable = Math.min(this.#most[at]!, headroomLeft / this.#price[at]!);
      byHeadroom += payable * this.#gain[at]!;
      headroomLeft -= payable * this.#price[at]!;
    }
    return Math.min(byBudget, byHeadroom);
  }
}
