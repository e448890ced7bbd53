// Hot path: the relaxed solution of a hop. At a shadow price lambda and a slot penalty mu each class takes
// its choice of the highest reduced profit: an order by itself is whole or not; a maker with too little
// backing chooses which of its largest orders to fill (maker-choices.ts). Its other orders are classes by
// themselves; where that gives the closer bound, its backing has a shadow price nu.
import { UNCONSTRAINED } from "./hop-columns.ts";
import { sortAscending } from "./hop-problem.ts";
import type { HopSelection } from "./hop-selection.ts";
import { ENTRIES_MAX, type HopTask } from "./hop-task.ts";
import { MakerChoices } from "./maker-choices.ts";
import { Multipliers } from "./multipliers.ts";
import { exceeds } from "./rounding.ts";

/** Halvings in search of a slot penalty at which the relaxed solution fits the slots. */
const FIT_STEPS = 10;

export class Relaxation {
  readonly choices = new MakerChoices();
  /** What the relaxed solution got, paid and counts; its profit with the worth of what it leaves. */
  got = 0;
  paid = 0;
  count = 0;
  profit = 0;
  /** What is left of the makers' backing, at its prices. */
  backingLeft = 0;
  /** How many entries are cheaper than the shadow price: the first ones. No other profits anything. */
  cheaper = 0;
  /** By maker: the price of its backing, what its whole orders get and cost. */
  readonly nu = new Float64Array(ENTRIES_MAX);
  readonly makerGot = new Float64Array(ENTRIES_MAX);
  readonly makerPaid = new Float64Array(ENTRIES_MAX);
  /** Makers who are to deliver or be paid too much. */
  overdrawn = 0;
  /** By maker: its choice in the relaxed solution, and its reduced profit. */
  readonly choiceOf = new Int32Array(ENTRIES_MAX);
  readonly bestOf = new Float64Array(ENTRIES_MAX);
  #chooseWork = 0;
  /** Of one maker: what its orders lose a unit, ascending, and the orders. */
  readonly #rate = new Float64Array(ENTRIES_MAX);
  readonly #rated = new Int32Array(ENTRIES_MAX);

  readonly #task: HopTask;
  readonly #selection: HopSelection;
  readonly #pairs = new Multipliers();
  /** Slots for whole orders. */
  #whole = 0;

  constructor(task: HopTask, selection: HopSelection) {
    this.#task = task;
    this.#selection = selection;
  }

  /** What was taken since `find` began, in work units. */
  get work(): number {
    return this.#pairs.work + this.#chooseWork;
  }

  get lambda(): number {
    return this.#pairs.lambda;
  }

  get mu(): number {
    return this.#pairs.mu;
  }

  /** Finds multipliers for so many slots for whole orders, and the relaxed solution at them. */
  find(whole: number): void {
    this.#whole = whole;
    this.#chooseWork = 0;
    this.#pairs.find(this.#task, whole + 1);
    this.choices.begin(this.#task, whole);
    this.nu.fill(0, 0, this.#task.groups);
    this.#fitSlots();
  }

  /** After `find`: the same at another shadow price. */
  setAt(price: number): void {
    this.#pairs.setAt(price);
    this.#fitSlots();
  }

  /** Slot penalty of another shadow price. */
  penaltyAt(price: number): number {
    return this.#pairs.penaltyAt(price);
  }

  /** Takes the relaxed solution, with a slot penalty at which it fits the slots. */
  #fitSlots(): void {
    const pairs = this.#pairs;
    const whole = this.#whole;
    this.choose();
    if (this.count <= whole) return;
    let low = pairs.mu;
    let high = low;
    for (let entry = 0; entry < this.cheaper; entry += 1) {
      if (this.#task.canBeWhole(entry)) high = Math.max(high, low + this.reducedOf(entry));
    }
    for (let step = 0; step < FIT_STEPS; step += 1) {
      pairs.mu = (low + high) / 2;
      this.choose();
      if (this.count > whole) low = pairs.mu;
      else high = pairs.mu;
    }
    pairs.mu = high;
    this.choose();
  }

  /** Puts the relaxed solution at the multipliers into the selection. */
  choose(): void {
    const { orders, candidates, group, groups } = this.#task;
    const { columns } = orders;
    const { amount, cost, price } = columns;
    const { lambda, mu } = this.#pairs;
    const { isIn } = this.#selection;
    this.#selection.clear();
    this.#chooseWork += candidates / 16;
    this.got = 0;
    this.paid = 0;
    this.count = 0;
    this.overdrawn = 0;
    this.profit = 0;
    this.makerGot.fill(0, 0, groups);
    this.makerPaid.fill(0, 0, groups);
    for (const maker of this.choices.priced) this.#priceBacking(maker);
    let entry = 0;
    for (; entry < candidates && price[entry]! < lambda; entry += 1) {
      if (!this.isClass(entry) || this.reducedOf(entry) <= 0) continue;
      this.got += amount[entry]!;
      this.paid += cost[entry]!;
      this.count += 1;
      if (group[entry] === UNCONSTRAINED) isIn[entry] = 1;
      else this.flip(entry);
    }
    this.cheaper = entry;
    for (let maker = 0; maker < groups; maker += 1) this.#chooseOf(maker);
    this.profit = this.got * lambda - this.paid + (this.#whole - this.count) * mu;
    this.backingLeft = 0;
    for (const maker of this.choices.priced) {
      const budget = columns.budget[columns.groupTop[maker]!]!;
      this.backingLeft += this.nu[maker]! * (budget - this.makerGot[maker]!);
    }
    this.profit += this.backingLeft;
  }

  /**
   * Prices a maker's backing by what the order profits a unit that backing runs out at, where it is shared
   * out by profit a unit: or at nothing, if the bound is closer then.
   */
  #priceBacking(maker: number): void {
    const { lambda, mu } = this.#pairs;
    const { columns } = this.#task.orders;
    const { amount, cost } = columns;
    const budget = columns.budget[columns.groupTop[maker]!]!;
    let count = 0;
    let entry = columns.groupTop[maker]!;
    for (; entry >= 0; entry = columns.previous[entry]!) {
      if (!this.#task.canBeWhole(entry)) continue;
      const profit = amount[entry]! * lambda - cost[entry]! - mu;
      if (profit <= 0) continue;
      this.#rate[count] = -profit / amount[entry]!;
      this.#rated[count] = entry;
      count += 1;
    }
    sortAscending(this.#rate, this.#rated, count);
    this.nu[maker] = 0;
    let left = budget;
    for (let at = 0; at < count; at += 1) {
      left -= amount[this.#rated[at]!]!;
      if (left >= 0) continue;
      const free = this.#boundOf(maker, count, 0);
      const nu = -this.#rate[at]!;
      if (this.#boundOf(maker, count, nu) + nu * budget < free) this.nu[maker] = nu;
      return;
    }
  }

  /** What a maker's rated orders profit at most at a price of its backing. */
  #boundOf(maker: number, count: number, nu: number): number {
    const { choices } = this;
    const { amount } = this.#task.orders.columns;
    const lambda = this.#pairs.lambda - nu;
    const { mu } = this.#pairs;
    let profit = choices.profit(choices.best(maker, lambda, mu), lambda, mu);
    for (let at = 0; at < count && -this.#rate[at]! > nu; at += 1) {
      const entry = this.#rated[at]!;
      if (choices.bit[entry] === 0) profit += (-this.#rate[at]! - nu) * amount[entry]!;
    }
    return profit;
  }

  #chooseOf(maker: number): void {
    const { choices } = this;
    const kept = choices.best(maker, this.#pairs.lambda - this.nu[maker]!, this.#pairs.mu);
    this.choiceOf[maker] = kept;
    this.bestOf[maker] = this.choiceProfit(maker, kept);
    this.toggle(maker, kept, 1);
    this.got += choices.got[kept]!;
    this.paid += choices.paid[kept]!;
    this.count += choices.size[kept]!;
  }

  /** Reduced profit of an order that is whole. */
  reducedOf(entry: number): number {
    const { group, orders } = this.#task;
    const { lambda, mu } = this.#pairs;
    const maker = group[entry]!;
    const nu = maker === UNCONSTRAINED ? 0 : this.nu[maker]!;
    return orders.columns.amount[entry]! * (lambda - nu) - orders.columns.cost[entry]! - mu;
  }

  /** Whether an order can be whole and is a class by itself. */
  isClass(entry: number): boolean {
    return this.#task.canBeWhole(entry) && this.choices.bit[entry] === 0;
  }

  /** Puts an order that is a class by itself in, or takes it out. */
  flip(entry: number): void {
    const { columns } = this.#task.orders;
    const maker = this.#task.group[entry]!;
    const { isIn } = this.#selection;
    const to = isIn[entry]! ^ 1;
    isIn[entry] = to;
    if (maker === UNCONSTRAINED) return;
    const sign = to === 1 ? 1 : -1;
    this.#give(maker, sign * columns.amount[entry]!, sign * columns.cost[entry]!);
  }

  /** Lets a maker deliver and be paid so much more. */
  #give(maker: number, got: number, paid: number): void {
    if (this.#isOverdrawn(maker)) this.overdrawn -= 1;
    this.makerGot[maker]! += got;
    this.makerPaid[maker]! += paid;
    if (this.#isOverdrawn(maker)) this.overdrawn += 1;
  }

  #isOverdrawn(maker: number): boolean {
    const { columns } = this.#task.orders;
    const { budget, headroom } = columns;
    const at = columns.groupTop[maker]!;
    return (
      exceeds(this.makerGot[maker]!, budget[at]!) || exceeds(this.makerPaid[maker]!, headroom[at]!)
    );
  }

  /** Puts the orders of a maker's choice in (1) or out (0). */
  toggle(maker: number, choice: number, to: number): void {
    const { mask, bit, large, got, paid } = this.choices;
    const { isIn } = this.#selection;
    for (const entry of large[maker]!) {
      if ((mask[choice]! & bit[entry]!) !== 0) isIn[entry] = to;
    }
    const sign = to === 1 ? 1 : -1;
    this.#give(maker, sign * got[choice]!, sign * paid[choice]!);
  }

  /** Reduced profit of a maker's choice. */
  choiceProfit(maker: number, choice: number): number {
    return this.choices.profit(choice, this.#pairs.lambda - this.nu[maker]!, this.#pairs.mu);
  }

  /** At most the same with the break item `entry` of the maker; -Infinity: they do not go together. */
  profitWithBreak(maker: number, choice: number, entry: number): number {
    const { bit, got, mask, paid } = this.choices;
    const { columns } = this.#task.orders;
    const top = columns.groupTop[maker]!;
    const budget = columns.budget[top]! - got[choice]!;
    const headroom = columns.headroom[top]! - paid[choice]!;
    const isListed = (mask[choice]! & bit[entry]!) !== 0;
    if (isListed || budget < 1 || headroom < 1) return Number.NEGATIVE_INFINITY;
    const profit = this.choiceProfit(maker, choice);
    const gain = this.gainOf(entry);
    if (gain <= 0) return profit + gain;
    const paidFor = (headroom / columns.price[entry]!) * (1 + 2 ** -50);
    return profit + gain * Math.min(budget, columns.most[entry]!, Math.max(1, paidFor));
  }

  /** At most what any choice of the maker profits with that break item. */
  bestWithBreak(maker: number, entry: number): number {
    const { first } = this.choices;
    const most = Math.max(0, this.gainOf(entry)) * this.#task.orders.columns.most[entry]!;
    const end = first[maker + 1]!;
    let best = Number.NEGATIVE_INFINITY;
    this.choices.looked += end - first[maker]!;
    for (let choice = first[maker]!; choice < end; choice += 1) {
      if (this.choiceProfit(maker, choice) + most <= best) continue;
      best = Math.max(best, this.profitWithBreak(maker, choice, entry));
    }
    return best;
  }

  /** What a unit of an order that is the break item profits. */
  gainOf(entry: number): number {
    const { group, orders } = this.#task;
    const maker = group[entry]!;
    const nu = maker === UNCONSTRAINED ? 0 : this.nu[maker]!;
    return this.#pairs.lambda - orders.columns.price[entry]! - nu;
  }
}
