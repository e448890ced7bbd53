// Hot path: the relaxed solution of a hop. At a shadow price lambda and a slot penalty mu each class takes
// its choice of the highest reduced profit: an order by itself is whole or not; a maker with too little
// backing chooses which of its largest orders to fill (maker-choices.ts). Its other orders are classes by
// themselves; where that gives the closer bound, its backing has a shadow price nu.
import { UNCONSTRAINED } from "./hop-columns.ts";
import { sortAscending } from "./hop-problem.ts";
import { exceeds, type HopSelection } from "./hop-selection.ts";
import { ENTRIES_MAX, type HopTask } from "./hop-task.ts";
import { type BreakOfMaker, MakerChoices, NO_BREAK } from "./maker-choices.ts";
import { Multipliers } from "./multipliers.ts";

/** Halvings in search of a slot penalty at which the relaxed solution fits the slots. */
const FIT_STEPS = 10;

export class Relaxation {
  readonly choices: MakerChoices;
  /** What the relaxed solution got, paid and counts; its profit with the worth of what it leaves. */
  got = 0;
  paid = 0;
  count = 0;
  profit = 0;
  /** What is left of the makers' backing, at its prices. */
  backingLeft = 0;
  /** By entry that is a class by itself: its reduced profit. */
  readonly reduced = new Float64Array(ENTRIES_MAX);
  /** By maker: the price of its backing, what its whole orders get and cost. */
  readonly nu = new Float64Array(ENTRIES_MAX);
  readonly makerGot = new Float64Array(ENTRIES_MAX);
  readonly makerPaid = new Float64Array(ENTRIES_MAX);
  /** Makers with orders beside their largest, and makers who are to deliver or be paid too much. */
  readonly priced = new Int32Array(ENTRIES_MAX);
  pricedCount = 0;
  overdrawn = 0;
  /** By maker: its choice in the relaxed solution, and its reduced profit. */
  readonly choiceOf = new Int32Array(ENTRIES_MAX);
  readonly bestOf = new Float64Array(ENTRIES_MAX);
  #chooseWork = 0;
  readonly #hasOthers = new Uint8Array(ENTRIES_MAX);
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
    this.choices = new MakerChoices(task);
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
    const { orders, candidates, demand } = this.#task;
    const pairs = this.#pairs;
    this.#whole = whole;
    this.#chooseWork = 0;
    pairs.find(orders, candidates, demand, whole + 1, this.#task.canBeWhole);
    this.choices.begin(whole);
    this.#collectPriced();
    this.#fitSlots();
  }

  /** After `find`: the same at another shadow price. */
  setAt(price: number): void {
    this.#pairs.setAt(price);
    this.#fitSlots();
  }

  /** Slot penalty of another shadow price. */
  penaltyAt(price: number): number {
    const { lambda, mu } = this.#pairs;
    this.#pairs.setAt(price);
    const penalty = this.#pairs.mu;
    this.#pairs.lambda = lambda;
    this.#pairs.mu = mu;
    return penalty;
  }

  /** Takes the relaxed solution, with a slot penalty at which it fits the slots. */
  #fitSlots(): void {
    const pairs = this.#pairs;
    const whole = this.#whole;
    this.choose();
    if (this.count <= whole) return;
    let low = pairs.mu;
    let high = low + this.#highest();
    for (let step = 0; step < FIT_STEPS; step += 1) {
      pairs.mu = (low + high) / 2;
      this.choose();
      if (this.count > whole) low = pairs.mu;
      else high = pairs.mu;
    }
    pairs.mu = high;
    this.choose();
  }

  #collectPriced(): void {
    const { orders, candidates } = this.#task;
    const { columns, groups } = orders;
    this.nu.fill(0, 0, groups);
    this.#hasOthers.fill(0, 0, groups);
    this.pricedCount = 0;
    for (let entry = 0; groups > 0 && entry < candidates; entry += 1) {
      const maker = columns.group[entry]!;
      if (maker === UNCONSTRAINED || !this.isClass(entry) || this.#hasOthers[maker] === 1) continue;
      this.#hasOthers[maker] = 1;
      this.priced[this.pricedCount] = maker;
      this.pricedCount += 1;
    }
  }

  /** The highest profit of a class against the penalty at hand. */
  #highest(): number {
    let highest = 0;
    for (let entry = 0; entry < this.#task.candidates; entry += 1) {
      if (this.isClass(entry) && this.reduced[entry]! > highest) highest = this.reduced[entry]!;
    }
    for (let maker = 0; maker < this.#task.orders.groups; maker += 1) {
      if (this.bestOf[maker]! > highest) highest = this.bestOf[maker]!;
    }
    return highest;
  }

  /** Puts the relaxed solution at the multipliers into the selection. */
  choose(): void {
    const { orders, candidates } = this.#task;
    const { columns, groups } = orders;
    const { amount, cost, group } = columns;
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
    for (let at = 0; at < this.pricedCount; at += 1) this.#priceBacking(this.priced[at]!);
    for (let entry = 0; entry < candidates; entry += 1) {
      const maker = group[entry]!;
      const nu = maker === UNCONSTRAINED ? 0 : this.nu[maker]!;
      const reduced = amount[entry]! * (lambda - nu) - cost[entry]! - mu;
      this.reduced[entry] = reduced;
      if (reduced <= 0 || !this.isClass(entry)) continue;
      this.got += amount[entry]!;
      this.paid += cost[entry]!;
      this.count += 1;
      if (maker === UNCONSTRAINED) isIn[entry] = 1;
      else this.flip(entry);
    }
    this.choices.clear();
    for (let maker = 0; maker < groups; maker += 1) this.#chooseOf(maker);
    this.profit = this.got * lambda - this.paid + (this.#whole - this.count) * mu;
    this.backingLeft = 0;
    for (let at = 0; at < this.pricedCount; at += 1) {
      const maker = this.priced[at]!;
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
      if (this.#task.canBeWhole[entry] === 0 || entry >= this.#task.candidates) continue;
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
    const { columns } = this.#task.orders;
    this.choices.take(maker, this.#pairs.lambda - nu, this.#pairs.mu, NO_BREAK);
    let profit = this.choices.best(false);
    for (let at = 0; at < count && -this.#rate[at]! > nu; at += 1) {
      const entry = this.#rated[at]!;
      if (this.choices.isLarge[entry] === 1) continue;
      profit += (-this.#rate[at]! - nu) * columns.amount[entry]!;
    }
    return profit;
  }

  #chooseOf(maker: number): void {
    const { choices } = this;
    const kept = choices.count;
    this.takeMaker(maker, NO_BREAK);
    this.bestOf[maker] = choices.best(true);
    this.choiceOf[maker] = kept;
    this.toggle(maker, kept, 1);
    this.got += choices.got[kept]!;
    this.paid += choices.paid[kept]!;
    this.count += choices.size[kept]!;
  }

  /** Whether an order can be whole and is a class by itself. */
  isClass(entry: number): boolean {
    return this.#task.canBeWhole[entry] === 1 && this.choices.isLarge[entry] === 0;
  }

  /** Puts an order that is a class by itself in, or takes it out. */
  flip(entry: number): void {
    const { columns } = this.#task.orders;
    const maker = columns.group[entry]!;
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
    const { from, size, entries, got, paid } = this.choices;
    const { isIn } = this.#selection;
    for (let at = from[choice]!; at < from[choice]! + size[choice]!; at += 1) {
      isIn[entries[at]!] = to;
    }
    const sign = to === 1 ? 1 : -1;
    this.#give(maker, sign * got[choice]!, sign * paid[choice]!);
  }

  /** Points `choices` at a maker, whose break item is `broken`. */
  takeMaker(maker: number, broken: BreakOfMaker): void {
    this.choices.take(maker, this.#pairs.lambda - this.nu[maker]!, this.#pairs.mu, broken);
  }

  /** Reduced profit of a maker's choice, without that of its break item. */
  choiceProfit(maker: number, choice: number): number {
    const { got, paid, size } = this.choices;
    const { lambda, mu } = this.#pairs;
    return got[choice]! * (lambda - this.nu[maker]!) - paid[choice]! - size[choice]! * mu;
  }

  /** What a unit of an order that is the break item profits. */
  gainOf(entry: number): number {
    const { columns } = this.#task.orders;
    const group = columns.group[entry]!;
    const nu = group === UNCONSTRAINED ? 0 : this.nu[group]!;
    return this.#pairs.lambda - columns.price[entry]! - nu;
  }
}
