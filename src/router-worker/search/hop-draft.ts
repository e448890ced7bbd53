// Hot path: the listing being tried: its whole orders, and the last one that completes it. Keeps
// the best listing that settles.
import { ALONE, CANDIDATES_MAX, entryCost, entryOutput } from "./hop-columns.ts";
import { type HopTask, PLACES_MAX, SELL } from "./hop-task.ts";
import type { MakerSubsets } from "./maker-subsets.ts";

export class HopDraft {
  readonly #task: HopTask;
  readonly #subsets: MakerSubsets;

  // The best listing so far (see HopSearch).
  found = false;
  value = 0;
  free = 0;
  count = 0;
  readonly list = new Int32Array(PLACES_MAX);

  /** Whether a listing did not settle for the highest price among its whole orders. */
  hasUnsold = false;

  // The whole orders: those of the base that are in, others put in, and one choice of each group.
  readonly base = new Int32Array(CANDIDATES_MAX);
  baseCount = 0;
  readonly isIn = new Uint8Array(CANDIDATES_MAX);
  readonly #added = new Int32Array(PLACES_MAX);
  #addedCount = 0;
  readonly chosen = new Int32Array(CANDIDATES_MAX);
  /** False while there are no choices: all orders count as base. */
  hasChoices = false;

  // The last order, and what it and its maker have for it.
  last = 0;
  lastMost = 0;
  lastBudget = 0;
  lastRoom = 0;

  constructor(task: HopTask, subsets: MakerSubsets) {
    this.#task = task;
    this.#subsets = subsets;
  }

  begin(): void {
    this.found = false;
    this.value = this.#task.direction === SELL ? 0 : Number.POSITIVE_INFINITY;
    this.free = 0;
    this.count = 0;
    this.hasUnsold = false;
    this.baseCount = 0;
    this.#addedCount = 0;
    this.hasChoices = false;
  }

  /** Puts an order into the base. */
  addToBase(entry: number): void {
    this.base[this.baseCount] = entry;
    this.baseCount += 1;
    this.isIn[entry] = 1;
  }

  clearBase(): void {
    for (let at = 0; at < this.baseCount; at += 1) this.isIn[this.base[at]!] = 0;
    this.baseCount = 0;
  }

  get isFull(): boolean {
    return this.#addedCount === PLACES_MAX;
  }

  /** Puts in an order that is out, or takes out one that is in. Undone by `unflip`. */
  flip(entry: number): void {
    if (this.isIn[entry] === 0) {
      this.#added[this.#addedCount] = entry;
      this.#addedCount += 1;
      this.isIn[entry] = 1;
    } else this.isIn[entry] = 0;
  }

  /** Undoes the latest `flip` that was not undone yet. */
  unflip(entry: number): void {
    if (this.isIn[entry] === 1) {
      this.#addedCount -= 1;
      this.isIn[entry] = 0;
    } else this.isIn[entry] = 1;
  }

  /** Makes `entry` the last order, with all that its maker has. */
  setLast(entry: number): void {
    const { columns, start } = this.#task;
    const at = start + entry;
    this.last = entry;
    this.lastMost = columns.most[at]!;
    this.lastBudget = columns.budget[at]!;
    this.lastRoom = columns.room[at]!;
  }

  /** Group of the last order's maker, or ALONE. */
  get lastGroup(): number {
    return this.#task.columns.group[this.#task.start + this.last]!;
  }

  get isLastAlone(): boolean {
    return this.lastGroup === ALONE;
  }

  /** Whether the last order, filled whole, leaves something to do after `got` and `paid`. */
  fitsWhole(got: number, paid: number): boolean {
    const { columns, start, direction, amount: demanded } = this.#task;
    const at = start + this.last;
    const amount = columns.amount[at]!;
    const cost = columns.cost[at]!;
    if (columns.most[at]! < amount) return false;
    if (direction === SELL ? paid + cost > demanded : got + amount >= demanded) return false;
    return this.lastBudget >= amount && this.lastRoom >= cost;
  }

  /**
   * Completes `orders` whole orders, which got and paid so much, with the last one. True where that
   * settles.
   */
  complete(got: number, paid: number, orders: number): boolean {
    return this.#task.direction === SELL
      ? this.#completeSelling(got, paid, orders)
      : this.#completeBuying(got, paid, orders);
  }

  #completeSelling(got: number, paid: number, orders: number): boolean {
    const { columns, words, start, amount, priceMax } = this.#task;
    const at = start + this.last;
    const left = amount - paid;
    const price = columns.price[at]!;
    const cost = columns.cost[at]!;
    const most = this.lastBudget < this.lastMost ? this.lastBudget : this.lastMost;
    if (most < 1) return false;
    if (left >= cost) {
      const isCovered = most >= columns.amount[at]! && this.lastRoom >= cost;
      const gets = isCovered ? columns.amount[at]! : most;
      if (got + gets > this.free) this.free = got + gets;
      // What stays unsold must be worth nothing at the highest price filled.
      if (!isCovered || left - cost >= priceMax) return false;
      if (left - cost >= price && left - cost >= this.#priceMaxListed()) {
        this.hasUnsold = true;
        return false;
      }
      return this.#offer(got + gets, orders);
    }
    const gets = entryOutput(columns, at, left, words);
    if (gets < 1) return false;
    const isCovered =
      gets <= most &&
      (this.lastRoom >= cost || entryCost(columns, at, gets, words) <= this.lastRoom);
    if (isCovered) return this.#offer(got + gets, orders);
    const free = got + (gets < most ? gets : most);
    if (free > this.free) this.free = free;
    return false;
  }

  #completeBuying(got: number, paid: number, orders: number): boolean {
    const { columns, words, start, amount } = this.#task;
    const at = start + this.last;
    const wanted = amount - got;
    if (wanted < 1 || wanted > this.lastMost || wanted > this.lastBudget) return false;
    const isWhole = wanted === columns.amount[at]!;
    const cost = isWhole ? columns.cost[at]! : entryCost(columns, at, wanted, words);
    if (cost > this.lastRoom) return false;
    return this.#offer(paid + cost, orders);
  }

  /** Keeps the listing where it is the best one. False where it gets too much to be asked for. */
  #offer(value: number, orders: number): boolean {
    const { direction, below } = this.#task;
    if (direction === SELL) {
      if (value > this.free) this.free = value;
      if (value >= below) return false;
    }
    if (this.found && (direction === SELL ? value <= this.value : value >= this.value)) return true;
    this.found = true;
    this.value = value;
    this.count = orders + 1;
    this.list[this.#writeWhole(this.list)] = this.last;
    return true;
  }

  /** For the whole orders of `offerListing`. */
  get scratch(): Int32Array {
    return this.#task.topEntry;
  }

  /**
   * Keeps a listing that settles, made elsewhere, where it is better: the first `count` orders of
   * `scratch` whole, and `last`.
   */
  offerListing(value: number, count: number, last: number): boolean {
    const { direction, below } = this.#task;
    if (direction === SELL ? value <= this.value : value >= this.value) return false;
    if (direction === SELL && value > this.free) this.free = value;
    if (direction === SELL && value >= below) return false;
    this.found = true;
    this.value = value;
    this.count = count + 1;
    for (let place = 0; place < count; place += 1) this.list[place] = this.scratch[place]!;
    this.list[count] = last;
    return true;
  }

  /** Writes the whole orders to `to`; returns how many. */
  #writeWhole(to: Int32Array): number {
    let listed = 0;
    for (let at = 0; at < this.baseCount; at += 1) {
      const entry = this.base[at]!;
      if (this.isIn[entry] === 1) to[listed++] = entry;
    }
    for (let at = 0; at < this.#addedCount; at += 1) to[listed++] = this.#added[at]!;
    if (!this.hasChoices) return listed;
    const { entries, from, size } = this.#subsets;
    for (let group = 0; group < this.#task.groups; group += 1) {
      const first = from[this.chosen[group]!]!;
      const end = first + size[this.chosen[group]!]!;
      for (let at = first; at < end; at += 1) to[listed++] = entries[at]!;
    }
    return listed;
  }

  /** Highest price among the whole orders. */
  #priceMaxListed(): number {
    const entries = this.#task.topEntry;
    const listed = this.#writeWhole(entries);
    let most = 0;
    for (let at = 0; at < listed; at += 1) {
      const price = this.#task.priceOf(entries[at]!);
      if (price > most) most = price;
    }
    return most;
  }
}
