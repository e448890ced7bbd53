// The best order selection of a hop whose makers have too little backing, where the plain search
// (hop-solver.ts) is cut short: the same branch and bound with multipliers, a relaxed solution and a core
// for each break item by itself, which costs more and finds more where makers' choices decide.
//
// Bound. At a shadow price lambda and a slot penalty mu a whole order has the reduced profit
// `amount * lambda - cost - mu`. With the reduced profits of a selection, SELL gets at most
// `(paid + profits + slots * mu) / lambda`, BUY costs at least `wanted * lambda - profits - slots * mu`.
// That holds for any multipliers: each of some pairs gives a bound, and the closest one counts.
//
// Relaxed solution. Each order, and each maker with too little backing (maker-choices.ts), is a class:
// at the first pair of multipliers it takes the choice of the highest reduced profit. Another choice
// loses something against it: its reduced cost. A selection that beats the incumbent loses no more
// than the gap between bound and incumbent, so all classes that lose more stay as they are. What
// remains is the core (Balas and Zemel, Operations Research 28, 1980), searched depth first for each
// break item, those that lose least first.
//
// Allocates nothing. A node is some 100 ns; `nodesMax` bounds them.
import { FILL_BYTES } from "./call-bytes.ts";
import { ALONE } from "./hop-columns.ts";
import {
  type HopDemand,
  type HopOrders,
  insertDescending,
  nextBetter,
  orderBytes,
  SELL,
  sortAscending,
} from "./hop-problem.ts";
import { EXACT_MAX, HopSelection } from "./hop-selection.ts";
import { MakerChoices, NO_BREAK } from "./maker-choices.ts";
import { MultiplierPairs, OWN_PAIR, PAIRS } from "./multiplier-pairs.ts";

/** Candidates of a hop at most (see candidates.ts); choices of makers come on top. */
const ENTRIES_MAX = 1 << 10;
const ALTERNATIVES_MAX = 1 << 12;
/** The gap to the bound that is searched first, as a part of it, and its growth while none is found. */
const GAP_FIRST = 2 ** -14;
const GAP_GROWTH = 4;
/** Nodes of one break item: a part of those that are left, and some at least (guesses). */
const BREAK_PART = 8;
const NODES_MIN = 64;
/** What a search takes beside its nodes. */
const SEARCH_WORK = 200;
/** Exchanges of single orders in a row (guess: it seldom takes more than three). */
const EXCHANGES_MAX = 16;
/** Entries passed over that take as long as a node. */
const NODE_ENTRIES = 8;
/** Halvings in search of a slot penalty. */
const FIT_STEPS = 10;
/** Orders that change against the relaxed solution at most, along one branch. */
const DEPTH_MAX = 64;
export class MakerHopSolver {
  // The answer.
  /** False where the search was cut short: a better selection, of use, may exist. */
  complete = true;
  /** What the search took, in work units. */
  work = 0;
  /**
   * SELL: at least as much as any selection could get of this or any smaller amount, were it free to
   * leave a part of the amount unsold, or less than the cutoff.
   */
  free = 0;
  readonly selection = new HopSelection();

  #orders!: HopOrders;
  #demand!: HopDemand;
  #sells = true;
  #candidates = 0;
  #priceMax = 0;
  /** What uses up less can be whole and leave something: beyond 2^53 integers decide how much. */
  #wholeMax = 0;
  /** Slots for whole orders. */
  #whole = 0;
  #nodesLeft = 0;
  /** Nodes left when the break item at hand has had its part, and whether one had too few. */
  #nodesEnd = 0;
  #isCut = false;
  readonly #choices = new MakerChoices();
  readonly #pairs = new MultiplierPairs();
  readonly #largest = new Float64Array(DEPTH_MAX);

  // By pair: what a selection must profit to beat the incumbent, whose value is `#neededFor`; what
  // the relaxed solution profits; and what the optimum of all classes does.
  readonly #needed = new Float64Array(PAIRS);
  #neededFor = Number.NaN;
  readonly #relaxed = new Float64Array(PAIRS);
  readonly #optimum = new Float64Array(PAIRS);

  // The relaxed solution.
  #got = 0;
  #paid = 0;
  #count = 0;
  /**
   * By group: whether the maker has too many choices to be one class: then its orders are classes, and
   * its backing has a shadow price by pair; and what its whole orders get and cost.
   */
  readonly #isPriced = new Uint8Array(ENTRIES_MAX);
  readonly #nu = new Float64Array(ENTRIES_MAX * PAIRS);
  readonly #groupGot = new Float64Array(ENTRIES_MAX);
  readonly #groupPaid = new Float64Array(ENTRIES_MAX);
  /** Makers whose whole orders want more than their backing. */
  #overdrawn = 0;
  /** The makers whose backing is priced; by place in the core, what classes can still give back. */
  readonly #priced = new Int32Array(ENTRIES_MAX);
  #pricedCount = 0;
  #giveBack = new Float64Array(1024);
  /** By group: its choice in the relaxed solution, and its best reduced profit. */
  readonly #groupChoice = new Int32Array(ENTRIES_MAX);
  readonly #groupBest = new Float64Array(ENTRIES_MAX);

  // The core: the largest classes first, by powers of four; of a size by what they lose at least.
  #classes = 0;
  readonly #classKey = new Float64Array(ENTRIES_MAX);
  readonly #classLoss = new Float64Array(ENTRIES_MAX);
  /** By place: the first place of the next size. */
  readonly #nextSize = new Int32Array(ENTRIES_MAX + 1);
  readonly #classId = new Int32Array(ENTRIES_MAX);
  readonly #classOf = new Int32Array(ENTRIES_MAX);
  readonly #classFrom = new Int32Array(ENTRIES_MAX + 1);
  readonly #classCount = new Int32Array(ENTRIES_MAX + 1);
  // Alternatives: the entry that flips, or, of a group, the choice.
  #alternatives = 0;
  readonly #altId = new Int32Array(ALTERNATIVES_MAX);
  readonly #altLoss = new Float64Array(ALTERNATIVES_MAX);
  readonly #altGot = new Float64Array(ALTERNATIVES_MAX);
  readonly #altPaid = new Float64Array(ALTERNATIVES_MAX);
  readonly #altSize = new Int32Array(ALTERNATIVES_MAX);
  readonly #altProfit = new Float64Array(ALTERNATIVES_MAX * PAIRS);
  // By place in the core: what the classes from there on can still add.
  readonly #gainFrom = new Float64Array((ENTRIES_MAX + 1) * PAIRS);
  readonly #canAdd = new Float64Array(ENTRIES_MAX + 1);
  readonly #addMost = new Float64Array(ENTRIES_MAX + 1);
  readonly #canDrop = new Float64Array(ENTRIES_MAX + 1);
  readonly #canEmpty = new Int32Array(ENTRIES_MAX + 1);

  // Break items by what the selection profits with each at most, the highest first.
  #breaks = 0;
  readonly #breakEntry = new Int32Array(ENTRIES_MAX);
  readonly #breakKey = new Float64Array(ENTRIES_MAX);
  // The break item at hand.
  #break = 0;
  #breakMost = 0;
  #breakBudget = 0;
  #breakRoom = 0;
  /** Its maker, where its backing is priced. */
  #breakGroup = ALONE;
  /** Core place of the break item's own class, which does not change. */
  #fixed = -1;
  readonly #profit = new Float64Array((DEPTH_MAX + 2) * PAIRS);

  get found(): boolean {
    return this.selection.found;
  }

  get value(): number {
    return this.selection.value;
  }

  get count(): number {
    return this.selection.count;
  }

  get list(): Int32Array {
    return this.selection.list;
  }

  /** False where no selection settles (or, with `complete` false, none was found). */
  solve(orders: HopOrders, demand: HopDemand): boolean {
    this.#orders = orders;
    this.#demand = demand;
    this.#sells = demand.direction === SELL;
    const { amount } = demand;
    this.#wholeMax = amount < EXACT_MAX ? amount : amount * (1 + 2 ** -46);
    this.#whole = demand.slots - 1;
    this.complete = true;
    this.free = 0;
    this.work = 2 + orders.count / 16;
    this.#candidates = this.#countCandidates(Math.min(orders.count, ENTRIES_MAX));
    this.selection.begin(orders, demand, this.#candidates);
    this.selection.isBytesBound = this.#isBytesBound();
    this.#nodesLeft = demand.nodesMax;
    this.#isCut = false;
    this.#run();
    const { found, value, free } = this.selection;
    this.free = found && free < value ? value : Math.max(free, this.free);
    return found;
  }

  #run(): void {
    const { slots, nodesMax } = this.#demand;
    if (this.#candidates === 0 || slots < 1) return;
    const { columns, start } = this.#orders;
    this.#priceMax = columns.price[start + this.#candidates - 1]!;
    if (!this.#isEnoughInAll()) {
      this.free = this.#mostGotInAll();
      return;
    }
    if (this.#takeGreedily()) return;
    if (nodesMax === 0) {
      this.complete = false;
      return;
    }
    const { bytes } = this.#demand;
    if (this.selection.isBytesBound) {
      // As many as surely fit; then as many as can.
      this.#whole = Math.max(1, Math.floor(bytes / this.#bytesMost)) - 1;
      this.#search();
      const most = Math.min(slots, this.#mostThatFit());
      if (most > this.#whole + 1) {
        this.#whole = most - 1;
        this.#search();
      }
    } else this.#search();
    this.work += nodesMax - Math.max(0, this.#nodesLeft);
  }

  /** Bytes of the order that takes most of the call; and whether all selections fit. */
  #bytesMost = 0;

  #isBytesBound(): boolean {
    this.#bytesMost = 0;
    for (let entry = 0; entry < this.#candidates; entry += 1) {
      const bytes = orderBytes(this.#orders, entry);
      if (bytes > this.#bytesMost) this.#bytesMost = bytes;
    }
    return this.#bytesMost * this.#demand.slots > this.#demand.bytes;
  }

  /** How many orders fit at most: the smallest, of the makers with most of them. */
  #mostThatFit(): number {
    const { columns, start, payerBytes } = this.#orders;
    let [fill, transfers, share] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 1];
    const counts = new Map<number, number>();
    for (let entry = 0; entry < this.#candidates; entry += 1) {
      const at = start + entry;
      fill = Math.min(fill, FILL_BYTES + columns.addressBytes[at]! + payerBytes);
      transfers = Math.min(transfers, columns.transferBytes[at]! + payerBytes);
      const count = (counts.get(columns.owner[at]!) ?? 0) + 1;
      counts.set(columns.owner[at]!, count);
      if (count > share) share = count;
    }
    let most = 0;
    while (most < this.#demand.slots) {
      const next = most + 1;
      if (next * fill + Math.ceil(next / share) * transfers > this.#demand.bytes) break;
      most = next;
    }
    return most;
  }

  /** SELL: an order whose unit costs more than all that is paid cannot be filled. */
  #countCandidates(count: number): number {
    if (!this.#sells) return count;
    const { columns, start } = this.#orders;
    const most = this.#demand.amount * (1 + 2 ** -50);
    let low = start;
    let high = low + count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (columns.price[middle]! <= most) low = middle + 1;
      else high = middle;
    }
    return low - start;
  }

  /** What a whole fill uses up of the amount. */
  #usedBy(entry: number): number {
    const at = this.#orders.start + entry;
    return this.#sells ? this.#orders.columns.cost[at]! : this.#orders.columns.amount[at]!;
  }

  #canBeWhole(entry: number): boolean {
    const { columns, start } = this.#orders;
    const at = start + entry;
    return columns.most[at]! >= columns.amount[at]! && this.#usedBy(entry) < this.#wholeMax;
  }

  /** False where even the largest orders cannot use up the amount. */
  #isEnoughInAll(): boolean {
    const { most, price } = this.#orders.columns;
    const { start } = this.#orders;
    const { amount, slots } = this.#demand;
    const largest = this.#largest;
    const slack = (this.#sells ? this.#priceMax : 0) + amount * 2 ** -46;
    let held = 0;
    let used = 0;
    for (let at = start; at < start + this.#candidates; at += 1) {
      // Rounding adds less than a unit to each payment.
      const uses = this.#sells ? most[at]! * price[at]! + 1 : most[at]!;
      if (held < slots) held += 1;
      else if (uses > largest[held - 1]!) used -= largest[held - 1]!;
      else continue;
      used += uses;
      insertDescending(largest, held, uses);
      if (used * (1 + 2 ** -46) + slack >= amount) return true;
    }
    return false;
  }

  /** The largest amounts that the slots can get in all. */
  #mostGotInAll(): number {
    const { most } = this.#orders.columns;
    const { start } = this.#orders;
    const largest = this.#largest;
    let held = 0;
    let got = 0;
    for (let at = start; at < start + this.#candidates; at += 1) {
      if (held < this.#demand.slots) held += 1;
      else if (most[at]! > largest[held - 1]!) got -= largest[held - 1]!;
      else continue;
      got += most[at]!;
      insertDescending(largest, held, most[at]!);
    }
    return got;
  }

  /** Price priority. True where that is certainly best: all at the best price there is. */
  #takeGreedily(): boolean {
    const { columns, start } = this.#orders;
    const { amount, price, cost, most } = columns;
    const selection = this.selection;
    const wanted = this.#demand.amount;
    let [got, paid, count] = [0, 0, 0];
    for (let entry = 0; entry < this.#candidates; entry += 1) {
      const at = start + entry;
      const { budget, room } = this.#leftFor(entry);
      if (selection.complete(entry, Math.min(most[at]!, budget), room, got, paid, count)) {
        // A part of the cheapest order: nothing can be better.
        if (entry === 0 && (!this.#sells || wanted < cost[at]!)) {
          if (selection.exactValue === undefined) return true;
        }
      }
      const used = this.#sells ? paid : got;
      if (wanted - used < this.#usedBy(entry) * (1 - 2 ** -46)) break;
      if (count === this.#whole) break;
      if (!this.#canBeWhole(entry) || budget < amount[at]! || room < cost[at]!) continue;
      if (price[at]! <= 0) continue;
      selection.isIn[entry] = 1;
      got += amount[at]!;
      paid += cost[at]!;
      count += 1;
    }
    selection.clear();
    return false;
  }

  readonly #left = { budget: 0, room: 0 };

  /** What an order's maker has beside the whole orders of the selection. */
  #leftFor(entry: number): { budget: number; room: number } {
    const { columns, start } = this.#orders;
    const at = start + entry;
    const left = this.#left;
    left.budget = columns.budget[at]!;
    left.room = columns.room[at]!;
    if (columns.group[at] === ALONE) return left;
    let other = columns.groupTop[start + columns.group[at]!]!;
    for (; other >= 0; other = columns.previous[start + other]!) {
      if (other >= this.#candidates || this.selection.isIn[other] === 0) continue;
      left.budget -= columns.amount[start + other]!;
      left.room -= columns.cost[start + other]!;
    }
    return left;
  }

  #search(): void {
    this.work += SEARCH_WORK;
    this.#pairs.find(this.#orders, this.#candidates, this.#demand, this.#whole + 1);
    this.work += this.#pairs.work;
    this.#choices.nodesLeft = 4096 + this.#demand.nodesMax;
    this.#choices.clear();
    this.#classifyMakers();
    for (let pair = 1; pair < OWN_PAIR; pair += 1) {
      this.#fitSlots(pair);
      this.#optimum[pair] = this.#total + this.#whole * this.#pairs.mu[pair]!;
    }
    const bound = this.#bound();
    let part = BREAK_PART;
    for (let gap = GAP_FIRST; ; ) {
      this.#trial = this.#sells ? bound * (1 - gap) : bound * (1 + gap);
      if (gap >= 1) this.#trial = this.#sells ? 0 : Number.POSITIVE_INFINITY;
      this.#neededFor = Number.NaN;
      this.#updateNeeded();
      this.#collectBreaks();
      this.#nodesLeft -= this.#candidates / NODE_ENTRIES;
      this.#isCut = false;
      for (let at = 0; at < this.#breaks && this.#nodesLeft >= 0; at += 1) {
        this.#nodesEnd = this.#nodesLeft - Math.max(NODES_MIN, this.#nodesLeft / part);
        this.#branch(this.#breakEntry[at]!);
      }
      if (this.#nodesLeft < 0) this.#isCut = true;
      this.complete = !this.#isCut && this.#choices.complete;
      if (this.complete) {
        // All that is better than the trial was tried.
        if (!this.#isBelow(this.#trial)) break;
        gap *= GAP_GROWTH;
        continue;
      }
      // A better incumbent leaves less to try.
      this.#exchange();
      if (this.#nodesLeft < NODES_MIN || part === 1) break;
      // Each has more of what is left.
      part /= 2;
      if (!this.found) gap *= GAP_GROWTH;
    }
  }

  /**
   * Local search where nothing is proven: replaces, adds or drops one order of the incumbent, while that
   * makes it better.
   */
  #exchange(): void {
    const { selection } = this;
    const base = this.#base;
    for (let round = 0; round < EXCHANGES_MAX && selection.found; round += 1) {
      const count = selection.count;
      base.set(selection.list.subarray(0, count));
      const { value, exactValue } = selection;
      for (let at = -1; at < count; at += 1) {
        this.work += this.#candidates / NODE_ENTRIES;
        if (this.#exchangeOne(count, at)) break;
      }
      if (selection.value === value && selection.exactValue === exactValue) return;
    }
  }

  readonly #base = new Int32Array(DEPTH_MAX);

  /** Tries each order in the place of the one at `leaving` of the base, -1: none; ends with a better one. */
  #exchangeOne(count: number, leaving: number): boolean {
    const { columns, start } = this.#orders;
    const { selection } = this;
    const base = this.#base;
    const last = base[count - 1]!;
    const isBreakOut = leaving === count - 1;
    selection.clear();
    let [got, paid, whole] = [0, 0, 0];
    for (let place = 0; place < count - 1; place += 1) {
      if (place === leaving) continue;
      selection.isIn[base[place]!] = 1;
      got += columns.amount[start + base[place]!]!;
      paid += columns.cost[start + base[place]!]!;
      whole += 1;
    }
    if (!isBreakOut && leaving >= 0 && this.#completeWith(last, got, paid, whole)) return true;
    for (let place = 0; isBreakOut && place < count - 1; place += 1) {
      const entry = base[place]!;
      const at = start + entry;
      selection.isIn[entry] = 0;
      const { amount, cost } = columns;
      if (this.#completeWith(entry, got - amount[at]!, paid - cost[at]!, whole - 1)) return true;
      selection.isIn[entry] = 1;
    }
    for (let entry = 0; entry < this.#candidates; entry += 1) {
      if (entry === last || selection.isIn[entry] === 1) continue;
      if (leaving >= 0 && entry === base[leaving]) continue;
      if (isBreakOut) {
        if (this.#completeWith(entry, got, paid, whole)) return true;
        continue;
      }
      if (this.#completeBeside(last, entry, got, paid, whole)) return true;
      if (this.#completeBeside(entry, last, got, paid, whole)) return true;
    }
    return false;
  }

  /** Completes with `last`, beside a further whole order. */
  #completeBeside(last: number, entry: number, got: number, paid: number, whole: number): boolean {
    if (whole + 1 > this.#demand.slots - 1 || !this.#canBeWhole(entry)) return false;
    const { columns, start } = this.#orders;
    const at = start + entry;
    const { amount, cost } = columns;
    const left = this.#leftFor(entry);
    if (left.budget < amount[at]! || left.room < cost[at]!) return false;
    this.selection.isIn[entry] = 1;
    if (this.#completeWith(last, got + amount[at]!, paid + cost[at]!, whole + 1)) return true;
    this.selection.isIn[entry] = 0;
    return false;
  }

  #completeWith(last: number, got: number, paid: number, whole: number): boolean {
    if (whole > this.#demand.slots - 1) return false;
    const most = this.#orders.columns.most[this.#orders.start + last]!;
    const { budget, room } = this.#leftFor(last);
    return this.selection.complete(last, Math.min(most, budget), room, got, paid, whole);
  }

  #trial = 0;

  /** Whether a value is better than all that a search could still find to be of use. */
  #isBelow(value: number): boolean {
    const { found, value: best } = this.selection;
    const { cutoff } = this.#demand;
    return this.#sells
      ? value > cutoff && !(found && best >= value)
      : value < cutoff && !(found && best <= value);
  }

  /** Follows the incumbent. */
  #updateNeeded(): void {
    const { found, value } = this.selection;
    if (value === this.#neededFor) return;
    this.#neededFor = value;
    const { direction, cutoff, gap } = this.#demand;
    const sells = this.#sells;
    let wanted = sells ? Math.max(cutoff, this.#trial) : Math.min(cutoff, this.#trial);
    if (found) {
      const next = nextBetter(direction, value);
      wanted = sells
        ? Math.max(wanted, next, value * (1 + gap))
        : Math.min(wanted, next, value * (1 - gap));
    }
    this.#wanted = wanted;
    for (let pair = 0; pair < PAIRS; pair += 1) this.#setNeeded(pair);
  }

  #wanted = 0;

  #setNeeded(pair: number): void {
    const { amount } = this.#demand;
    const sells = this.#sells;
    const wanted = this.#wanted;
    const isAny = wanted === (sells ? 0 : Number.POSITIVE_INFINITY);
    const lambda = this.#pairs.lambda[pair]!;
    const paid = sells ? amount : amount * lambda;
    const worth = sells ? lambda * wanted : wanted;
    // The rounding of some forty sums and products.
    this.#needed[pair] = isAny
      ? Number.NEGATIVE_INFINITY
      : (sells ? worth - paid : paid - worth) - (paid + worth + lambda) * 2 ** -46;
  }

  #profitOf(entry: number, pair: number): number {
    const { columns, start } = this.#orders;
    const at = start + entry;
    const { lambda, mu } = this.#pairs;
    const group = columns.group[at]!;
    const nu = group === ALONE ? 0 : this.#nu[group * PAIRS + pair]!;
    return columns.amount[at]! * (lambda[pair]! - nu) - columns.cost[at]! - mu[pair]!;
  }

  /** Whether the order is a class of its own, whose maker's backing has a price at most. */
  #isOwnClass(entry: number): boolean {
    const group = this.#orders.columns.group[this.#orders.start + entry]!;
    return group === ALONE || this.#isPriced[group] === 1;
  }

  /** Decides which makers are one class each: those with few choices. */
  #classifyMakers(): void {
    const { groups } = this.#orders;
    this.#nu.fill(0, 0, groups * PAIRS);
    for (let maker = 0; maker < groups; maker += 1) {
      this.#takeMaker(maker, 1, NO_BREAK);
      this.#isPriced[maker] = this.#choices.isMany() ? 1 : 0;
    }
  }

  /** What any selection gets at most (SELL), or costs at least (BUY). */
  #bound(): number {
    const { amount } = this.#demand;
    const { lambda } = this.#pairs;
    this.#needed.fill(0);
    let best = this.#sells ? 0 : Number.POSITIVE_INFINITY;
    for (let entry = 0; entry < this.#candidates; entry += 1) {
      const most = this.#orders.columns.most[this.#orders.start + entry]!;
      if (most < 1) continue;
      let own = this.#sells ? Number.POSITIVE_INFINITY : 0;
      for (let pair = 1; pair < OWN_PAIR; pair += 1) {
        const profit = this.#slackAt(entry, most, pair);
        own = this.#sells
          ? Math.min(own, (amount + profit) / lambda[pair]!)
          : Math.max(own, amount * lambda[pair]! - profit);
      }
      best = this.#sells ? Math.max(best, own) : Math.min(best, own);
    }
    return best;
  }

  /** The relaxed solution: each class's best choice at the first pair. */
  #relax(): void {
    const { columns, start, groups } = this.#orders;
    const { amount, cost } = columns;
    this.selection.clear();
    this.#got = 0;
    this.#paid = 0;
    this.#count = 0;
    this.#overdrawn = 0;
    this.#groupGot.fill(0, 0, groups);
    this.#groupPaid.fill(0, 0, groups);
    for (let entry = 0; entry < this.#candidates; entry += 1) {
      if (!this.#isOwnClass(entry) || !this.#canBeWhole(entry)) continue;
      if (this.#profitOf(entry, 0) <= 0) continue;
      this.#flip(entry);
      this.#got += amount[start + entry]!;
      this.#paid += cost[start + entry]!;
      this.#count += 1;
    }
    this.#choices.clear();
    this.#pricedCount = 0;
    for (let maker = 0; maker < groups; maker += 1) {
      if (this.#isPriced[maker] === 0) this.#relaxMaker(maker);
      else {
        this.#priced[this.#pricedCount] = maker;
        this.#pricedCount += 1;
      }
    }
    const { lambda, mu } = this.#pairs;
    for (let pair = 0; pair < PAIRS; pair += 1) {
      let profit = this.#got * lambda[pair]! - this.#paid + (this.#whole - this.#count) * mu[pair]!;
      for (let at = 0; at < this.#pricedCount; at += 1) {
        const maker = this.#priced[at]!;
        const budget = columns.budget[start + columns.groupTop[start + maker]!]!;
        profit += this.#nu[maker * PAIRS + pair]! * (budget - this.#groupGot[maker]!);
      }
      this.#relaxed[pair] = profit;
    }
  }

  /** Puts an order that is a class of its own in, or takes it out. */
  #flip(entry: number): void {
    const { columns, start } = this.#orders;
    const at = start + entry;
    const group = columns.group[at]!;
    const isIn = this.selection.isIn[entry]! ^ 1;
    this.selection.isIn[entry] = isIn;
    if (group === ALONE) return;
    if (this.#isOverdrawn(group, at)) this.#overdrawn -= 1;
    this.#groupGot[group]! += isIn === 1 ? columns.amount[at]! : -columns.amount[at]!;
    this.#groupPaid[group]! += isIn === 1 ? columns.cost[at]! : -columns.cost[at]!;
    if (this.#isOverdrawn(group, at)) this.#overdrawn += 1;
  }

  #isOverdrawn(group: number, at: number): boolean {
    const { budget, room } = this.#orders.columns;
    return this.#groupGot[group]! > budget[at]! || this.#groupPaid[group]! > room[at]!;
  }

  #relaxMaker(maker: number): void {
    const choices = this.#choices;
    const kept = choices.count;
    this.#takeMaker(maker, 0, NO_BREAK);
    this.#groupBest[maker] = choices.best(true);
    this.#groupChoice[maker] = kept;
    this.#toggle(kept, 1);
    this.#got += choices.got[kept]!;
    this.#paid += choices.paid[kept]!;
    this.#count += choices.size[kept]!;
  }

  /** Raises a pair's slot penalty until its optimum fits the slots. */
  #fitSlots(pair: number): void {
    const { mu } = this.#pairs;
    if (this.#optimumAt(pair) <= this.#whole) return;
    let low = mu[pair]!;
    let high = this.#highest;
    for (let step = 0; step < FIT_STEPS; step += 1) {
      mu[pair] = (low + high) / 2;
      if (this.#optimumAt(pair) > this.#whole) low = mu[pair]!;
      else high = mu[pair]!;
    }
    mu[pair] = high;
    this.#optimumAt(pair);
  }

  // What `optimumAt` found: the reduced profits of all classes, and the highest profit of an order.
  #total = 0;
  #highest = 0;

  /** Number of orders in the optimum of all classes at a pair. */
  #optimumAt(pair: number): number {
    const { groups } = this.#orders;
    this.work += this.#candidates / 16;
    this.#total = 0;
    this.#highest = 0;
    let orders = 0;
    for (let maker = 0; maker < groups; maker += 1) {
      this.#takeMaker(maker, pair, NO_BREAK);
      if (this.#isPriced[maker] === 1) {
        const nu = this.#choices.priceOfBacking();
        this.#nu[maker * PAIRS + pair] = nu;
        this.#total += nu * this.#choices.budget;
      } else {
        this.#total += this.#choices.best(false);
        orders += this.#choices.bestSize;
        this.#highest = Math.max(this.#highest, this.#choices.highest);
      }
    }
    for (let entry = 0; entry < this.#candidates; entry += 1) {
      if (!this.#isOwnClass(entry) || !this.#canBeWhole(entry)) continue;
      const profit = this.#profitOf(entry, pair);
      if (profit <= 0) continue;
      this.#total += profit;
      if (profit > this.#highest) this.#highest = profit;
      orders += 1;
    }
    this.#highest += this.#pairs.mu[pair]!;
    return orders;
  }

  #takeMaker(
    maker: number,
    pair: number,
    broken: { entry: number; gain: number; most: number },
  ): void {
    const { lambda, mu } = this.#pairs;
    this.#choices.take(
      this.#orders,
      maker,
      lambda[pair]!,
      mu[pair]!,
      this.#sells,
      this.#wholeMax,
      this.#candidates,
      this.#whole,
      broken,
    );
  }

  #choiceProfit(choice: number, pair: number): number {
    const { got, paid, size } = this.#choices;
    const { lambda, mu } = this.#pairs;
    return got[choice]! * lambda[pair]! - paid[choice]! - size[choice]! * mu[pair]!;
  }

  /** At most what the break item profits at a pair; at least one unit of it is filled. */
  #breakProfit(entry: number, most: number, pair: number): number {
    const { columns, start } = this.#orders;
    const price = columns.price[start + entry]!;
    const group = this.#orders.columns.group[start + entry]!;
    const nu = group === ALONE ? 0 : this.#nu[group * PAIRS + pair]!;
    const gain = this.#pairs.lambda[pair]! - price - nu;
    if (gain <= 0) return gain;
    const { amount } = this.#demand;
    const wanted = this.#sells ? amount / price : amount;
    return gain * Math.min(most, wanted);
  }

  /** Lists the break items that may beat the incumbent. */
  #collectBreaks(): void {
    const { columns, start } = this.#orders;
    this.#breaks = 0;
    for (let entry = 0; entry < this.#candidates; entry += 1) {
      const slack = this.#slackOf(entry);
      if (slack < 0) continue;
      this.#breakEntry[this.#breaks] = entry;
      // The largest first, by powers of four: what they find leaves less to try for the others.
      const most = columns.most[start + entry]!;
      this.#breakKey[this.#breaks] = -2 * Math.floor(Math.log2(most) / 2) - slack / (slack + most);
      this.#breaks += 1;
    }
    sortAscending(this.#breakKey, this.#breakEntry, this.#breaks);
  }

  #nearest = 1;

  /** By how much the closest bound with a break item is beyond what is needed; -1: it is not. */
  #slackOf(entry: number): number {
    const most = this.#orders.columns.most[this.#orders.start + entry]!;
    if (most < 1) return -1;
    let slack = Number.POSITIVE_INFINITY;
    for (let pair = 1; pair < OWN_PAIR; pair += 1) {
      const over = this.#slackAt(entry, most, pair);
      if (over < 0) return -1;
      const part = over / this.#pairs.lambda[pair]!;
      if (part >= slack) continue;
      slack = part;
      this.#nearest = pair;
    }
    return slack;
  }

  #slackAt(entry: number, most: number, pair: number): number {
    let profit = this.#optimum[pair]! + this.#breakProfit(entry, most, pair);
    if (this.#isOwnClass(entry) && this.#canBeWhole(entry)) {
      profit -= Math.max(0, this.#profitOf(entry, pair));
    }
    return profit - this.#needed[pair]!;
  }

  /** Collects the classes that lose at most `gap`, and their alternatives. 0: none. */
  #collectCore(gap: number): void {
    const { groups } = this.#orders;
    const { isIn } = this.selection;
    this.#classes = 0;
    this.#alternatives = 0;
    if (gap > 0) {
      for (let entry = 0; entry < this.#candidates; entry += 1) {
        if (!this.#isOwnClass(entry) || !this.#canBeWhole(entry)) continue;
        const loss = Math.abs(this.#profitOf(entry, 0));
        if (loss > gap || this.#alternatives === ALTERNATIVES_MAX) continue;
        this.#addEntry(entry, loss, isIn[entry] === 1 ? -1 : 1);
      }
      for (let maker = 0; maker < groups; maker += 1) {
        if (this.#isPriced[maker] === 0) this.#addMaker(maker, gap);
      }
    }
    this.#arrange(gap);
    this.#sumUp();
  }

  #arrange(gap: number): void {
    const uses = this.#sells ? this.#altPaid : this.#altGot;
    for (let id = 0; id < this.#classes; id += 1) {
      let most = 1;
      for (
        let at = this.#classFrom[id]!;
        at < this.#classFrom[id]! + this.#classCount[id]!;
        at += 1
      ) {
        most = Math.max(most, Math.abs(uses[at]!));
      }
      this.#classId[id] = id;
      this.#classKey[id] = -2 * Math.floor(Math.log2(most) / 2) + this.#classLoss[id]! / gap;
    }
    sortAscending(this.#classKey, this.#classId, this.#classes);
    let end = this.#classes;
    for (let place = end - 1; place >= 0; place -= 1) {
      const size = Math.floor(this.#classKey[place]! / 2);
      if (place + 1 < this.#classes && size !== Math.floor(this.#classKey[place + 1]! / 2)) {
        end = place + 1;
      }
      this.#nextSize[place] = end;
    }
  }

  #addEntry(entry: number, loss: number, sign: number): void {
    const { columns, start } = this.#orders;
    const at = start + entry;
    const alternative = this.#alternatives;
    this.#alternatives += 1;
    this.#altId[alternative] = entry;
    this.#altLoss[alternative] = loss;
    this.#altGot[alternative] = sign * columns.amount[at]!;
    this.#altPaid[alternative] = sign * columns.cost[at]!;
    this.#altSize[alternative] = sign;
    for (let pair = 0; pair < PAIRS; pair += 1) {
      this.#altProfit[alternative * PAIRS + pair] = sign * this.#profitOf(entry, pair);
    }
    this.#addClass(entry, alternative, 1, loss);
  }

  #addClass(id: number, from: number, count: number, loss: number): void {
    const at = this.#classes;
    this.#classId[at] = at;
    this.#classOf[at] = id;
    this.#classLoss[at] = loss;
    this.#classFrom[at] = from;
    this.#classCount[at] = count;
    this.#classes += 1;
  }

  /** The maker's other choices that lose at most `gap`, those that lose least first. */
  #addMaker(maker: number, gap: number): void {
    const choices = this.#choices;
    const kept = this.#groupChoice[maker]!;
    this.#takeMaker(maker, 0, NO_BREAK);
    const best = this.#groupBest[maker]!;
    const from = choices.count;
    choices.list(best - gap);
    const first = this.#alternatives;
    for (let choice = from; choice < choices.count; choice += 1) {
      if (this.#alternatives === ALTERNATIVES_MAX) {
        choices.complete = false;
        break;
      }
      if (this.#isSame(choice, kept)) continue;
      this.#altId[this.#alternatives] = choice;
      this.#altLoss[this.#alternatives] = best - choices.profit[choice]!;
      this.#alternatives += 1;
    }
    const count = this.#alternatives - first;
    if (count === 0) return;
    sortAscending(
      this.#altLoss.subarray(first, this.#alternatives),
      this.#altId.subarray(first, this.#alternatives),
      count,
    );
    for (let at = first; at < this.#alternatives; at += 1) {
      const choice = this.#altId[at]!;
      this.#altGot[at] = choices.got[choice]! - choices.got[kept]!;
      this.#altPaid[at] = choices.paid[choice]! - choices.paid[kept]!;
      this.#altSize[at] = choices.size[choice]! - choices.size[kept]!;
      for (let pair = 0; pair < PAIRS; pair += 1) {
        this.#altProfit[at * PAIRS + pair] =
          this.#choiceProfit(choice, pair) - this.#choiceProfit(kept, pair);
      }
    }
    this.#addClass(-1 - maker, first, count, this.#altLoss[first]!);
  }

  /** Whether two choices of one maker hold the same orders. */
  #isSame(one: number, other: number): boolean {
    const { from, size, entries } = this.#choices;
    if (size[one] !== size[other]) return false;
    for (let place = 0; place < size[one]!; place += 1) {
      const entry = entries[from[one]! + place]!;
      if (this.#isOf(entry, other)) continue;
      return false;
    }
    return true;
  }

  #isOf(entry: number, choice: number): boolean {
    const { from, size, entries } = this.#choices;
    for (let at = from[choice]!; at < from[choice]! + size[choice]!; at += 1) {
      if (entries[at] === entry) return true;
    }
    return false;
  }

  #sumUp(): void {
    const end = this.#classes;
    for (let pair = 0; pair < PAIRS; pair += 1) this.#gainFrom[end * PAIRS + pair] = 0;
    this.#canAdd[end] = 0;
    this.#addMost[end] = 0;
    this.#canDrop[end] = 0;
    this.#canEmpty[end] = 0;
    const uses = this.#sells ? this.#altPaid : this.#altGot;
    this.#sumUpPriced();
    for (let place = end - 1; place >= 0; place -= 1) {
      const id = this.#classId[place]!;
      const from = this.#classFrom[id]!;
      let [add, drop, empty] = [0, 0, 0];
      for (let at = from; at < from + this.#classCount[id]!; at += 1) {
        if (uses[at]! > add) add = uses[at]!;
        if (-uses[at]! > drop) drop = -uses[at]!;
        if (-this.#altSize[at]! > empty) empty = -this.#altSize[at]!;
      }
      this.#canAdd[place] = this.#canAdd[place + 1]! + add;
      this.#addMost[place] = Math.max(add, this.#addMost[place + 1]!);
      this.#canDrop[place] = this.#canDrop[place + 1]! + drop;
      this.#canEmpty[place] = this.#canEmpty[place + 1]! + empty;
      for (let pair = 1; pair < PAIRS; pair += 1) {
        let gain = 0;
        for (let at = from; at < from + this.#classCount[id]!; at += 1) {
          const own = this.#altProfit[at * PAIRS + pair]!;
          if (own > gain) gain = own;
        }
        this.#gainFrom[place * PAIRS + pair] = this.#gainFrom[(place + 1) * PAIRS + pair]! + gain;
      }
    }
  }

  #sumUpPriced(): void {
    const makers = this.#pricedCount;
    const end = this.#classes;
    if (makers === 0) return;
    if (this.#giveBack.length < (end + 1) * makers) {
      this.#giveBack = new Float64Array(2 * (end + 1) * makers);
    }
    this.#giveBack.fill(0, end * makers, (end + 1) * makers);
    const { group } = this.#orders.columns;
    for (let place = end - 1; place >= 0; place -= 1) {
      const id = this.#classId[place]!;
      const owner = this.#classOf[id]!;
      const maker = owner < 0 ? ALONE : group[this.#orders.start + owner]!;
      const gives = Math.max(0, -this.#altGot[this.#classFrom[id]!]!);
      for (let at = 0; at < makers; at += 1) {
        const own = this.#priced[at] === maker ? gives : 0;
        this.#giveBack[place * makers + at] = this.#giveBack[(place + 1) * makers + at]! + own;
      }
    }
  }

  /** Whether makers whose orders want too much can still give enough of them up. */
  #canRecover(from: number): boolean {
    const { columns, start } = this.#orders;
    const makers = this.#pricedCount;
    for (let at = 0; at < makers; at += 1) {
      const maker = this.#priced[at]!;
      const budget = columns.budget[start + columns.groupTop[start + maker]!]!;
      if (this.#groupGot[maker]! - this.#giveBack[from * makers + at]! > budget) return false;
    }
    return true;
  }

  /** Tries the selections with a break item. */
  #branch(entry: number): void {
    // The incumbent may be better by now.
    if (this.#slackOf(entry) < 0) return;
    const { columns, start } = this.#orders;
    const at = start + entry;
    const most = columns.most[at]!;
    this.#nodesLeft -= this.#candidates / NODE_ENTRIES;
    if (!this.#setOwnPair(entry, most)) return;
    const nearest = this.#nearest;
    this.#setFirstPair(OWN_PAIR);
    this.#relax();
    if (!this.#takesRest(at, most)) {
      this.#setFirstPair(nearest);
      this.#relax();
    }
    const slack = this.#slackAt(entry, most, 0);
    this.#collectCore(Math.max(0, slack));
    const group = columns.group[at]!;
    const isClass = group !== ALONE && this.#isPriced[group] === 0;
    this.#break = entry;
    this.#breakMost = most;
    this.#fixed = this.#placeOf(isClass ? -1 - group : entry);
    this.#breakGroup = isClass ? ALONE : group;
    if (isClass) {
      this.#branchMaker(group);
      return;
    }
    this.#breakBudget = columns.budget[at]!;
    this.#breakRoom = columns.room[at]!;
    const isIn = this.selection.isIn[entry] === 1;
    for (let pair = 0; pair < PAIRS; pair += 1) {
      this.#profit[pair] =
        this.#relaxed[pair]! +
        this.#breakProfit(entry, most, pair) -
        (isIn ? this.#profitOf(entry, pair) : 0);
    }
    if (this.#profit[0]! < this.#needed[0]!) return;
    if (isIn) this.#flip(entry);
    this.#vary(
      0,
      0,
      this.#got - (isIn ? columns.amount[at]! : 0),
      this.#paid - (isIn ? columns.cost[at]! : 0),
      this.#count - (isIn ? 1 : 0),
    );
  }

  /** Whether the break item can take what the relaxed solution leaves. */
  #takesRest(at: number, most: number): boolean {
    const { amount, price } = this.#orders.columns;
    const isIn = this.selection.isIn[at - this.#orders.start] === 1;
    const rest = this.#demand.amount - (this.#sells ? this.#paid : this.#got);
    const unit = this.#sells ? price[at]! : 1;
    return rest > 0 && rest <= (most + (isIn ? amount[at]! : 0)) * unit;
  }

  /** Sets the pair at a break item's price; false: with its bound the item is of no use. */
  #setOwnPair(entry: number, most: number): boolean {
    const { columns, start } = this.#orders;
    this.#pairs.setOwn(columns.price[start + entry]!);
    this.#fitSlots(OWN_PAIR);
    this.#optimum[OWN_PAIR] = this.#total + this.#whole * this.#pairs.mu[OWN_PAIR]!;
    this.#setNeeded(OWN_PAIR);
    return this.#slackAt(entry, most, OWN_PAIR) >= 0;
  }

  /** Makes the first pair the same as another. */
  #setFirstPair(pair: number): void {
    const { lambda, mu } = this.#pairs;
    lambda[0] = lambda[pair]!;
    mu[0] = mu[pair]!;
    for (let maker = 0; maker < this.#orders.groups; maker += 1) {
      this.#nu[maker * PAIRS] = this.#nu[maker * PAIRS + pair]!;
    }
    this.#optimum[0] = this.#optimum[pair]!;
    this.#setNeeded(0);
  }

  /** Core place of a class, or -1. */
  #placeOf(id: number): number {
    for (let place = 0; place < this.#classes; place += 1) {
      if (this.#classOf[this.#classId[place]!] === id) return place;
    }
    return -1;
  }

  readonly #broken = { entry: 0, gain: 0, most: 0 };

  /** The break item's maker chooses anew which of its other orders to fill. */
  #branchMaker(maker: number): void {
    const choices = this.#choices;
    const { columns, start } = this.#orders;
    const at = start + this.#break;
    const broken = this.#broken;
    broken.entry = this.#break;
    broken.gain = this.#pairs.lambda[0]! - columns.price[at]!;
    broken.most = this.#breakMost;
    this.#takeMaker(maker, 0, broken);
    const kept = this.#groupChoice[maker]!;
    const rest = this.#relaxed[0]! - this.#choiceProfit(kept, 0);
    const first = choices.count;
    const best = choices.best(true);
    if (rest + best >= this.#needed[0]!) {
      choices.dropFrom(first);
      choices.list(this.#needed[0]! - rest);
    }
    this.#toggle(kept, 0);
    for (
      let choice = first;
      choice < choices.count && this.#nodesLeft >= this.#nodesEnd;
      choice += 1
    ) {
      this.#breakBudget = columns.budget[at]! - choices.got[choice]!;
      this.#breakRoom = columns.room[at]! - choices.paid[choice]!;
      if (this.#breakBudget < 1) continue;
      const most = Math.min(this.#breakMost, this.#breakBudget);
      for (let pair = 0; pair < PAIRS; pair += 1) {
        this.#profit[pair] =
          this.#relaxed[pair]! -
          this.#choiceProfit(kept, pair) +
          this.#choiceProfit(choice, pair) +
          this.#breakProfit(this.#break, most, pair);
      }
      if (this.#profit[0]! < this.#needed[0]!) continue;
      this.#toggle(choice, 1);
      this.#vary(
        0,
        0,
        this.#got - choices.got[kept]! + choices.got[choice]!,
        this.#paid - choices.paid[kept]! + choices.paid[choice]!,
        this.#count - choices.size[kept]! + choices.size[choice]!,
      );
      this.#toggle(choice, 0);
    }
    choices.dropFrom(first);
  }

  /** Puts a choice's orders in (1) or out (0). */
  #toggle(choice: number, to: number): void {
    const { from, size, entries } = this.#choices;
    const { isIn } = this.selection;
    for (let at = from[choice]!; at < from[choice]! + size[choice]!; at += 1) {
      isIn[entries[at]!] = to;
    }
  }

  #isOut(): boolean {
    if (this.#nodesLeft >= this.#nodesEnd) return false;
    this.#isCut = true;
    return true;
  }

  /** The selections that hold the changes made so far, and others of classes from `from` on. */
  #vary(depth: number, from: number, got: number, paid: number, count: number): void {
    this.#nodesLeft -= 1;
    if (this.#isOut()) return;
    const selection = this.selection;
    if (count <= this.#whole && this.#overdrawn === 0) {
      const maker = this.#breakGroup;
      const budget = this.#breakBudget - (maker === ALONE ? 0 : this.#groupGot[maker]!);
      const room = this.#breakRoom - (maker === ALONE ? 0 : this.#groupPaid[maker]!);
      const most = Math.min(this.#breakMost, budget);
      if (selection.complete(this.#break, most, room, got, paid, count)) {
        this.#updateNeeded();
      }
      if (selection.exactNodes > 0) {
        this.#nodesLeft -= selection.exactNodes;
        selection.exactNodes = 0;
      }
    }
    if (depth === DEPTH_MAX) {
      this.complete = false;
      return;
    }
    const own = depth * PAIRS;
    const next = own + PAIRS;
    if (this.#overdrawn > 0 && !this.#canRecover(from)) return;
    if (!this.#canFit(from, got, paid, count, this.#profit[own]!)) return;
    for (let place = from; place < this.#classes; place += 1) {
      const id = this.#classId[place]!;
      if (this.#profit[own]! - this.#classLoss[id]! < this.#needed[0]!) {
        place = this.#nextSize[place]! - 1;
        continue;
      }
      if (place === this.#fixed) continue;
      const first = this.#classFrom[id]!;
      const end = first + this.#classCount[id]!;
      for (let at = first; at < end; at += 1) {
        if (this.#profit[own]! - this.#altLoss[at]! < this.#needed[0]!) break;
        const size = count + this.#altSize[at]!;
        if (size - this.#canEmpty[place + 1]! > this.#whole) continue;
        if (!this.#isHopeful(own, next, at, place + 1)) continue;
        this.#change(id, at);
        this.#vary(depth + 1, place + 1, got + this.#altGot[at]!, paid + this.#altPaid[at]!, size);
        this.#changeBack(id, at);
        if (this.#nodesLeft < this.#nodesEnd) return;
      }
    }
  }

  /** Notes the profits with an alternative; whether each bound is still above what is needed. */
  #isHopeful(own: number, next: number, alternative: number, from: number): boolean {
    const change = alternative * PAIRS;
    const rest = from * PAIRS;
    this.#profit[next] = this.#profit[own]! - this.#altLoss[alternative]!;
    for (let pair = 1; pair < PAIRS; pair += 1) {
      const profit = this.#profit[own + pair]! + this.#altProfit[change + pair]!;
      if (profit + this.#gainFrom[rest + pair]! < this.#needed[pair]!) return false;
      this.#profit[next + pair] = profit;
    }
    return true;
  }

  #change(id: number, alternative: number): void {
    const owner = this.#classOf[id]!;
    if (owner >= 0) {
      this.#flip(owner);
      return;
    }
    this.#toggle(this.#groupChoice[-1 - owner]!, 0);
    this.#toggle(this.#altId[alternative]!, 1);
  }

  #changeBack(id: number, alternative: number): void {
    const owner = this.#classOf[id]!;
    if (owner >= 0) {
      this.#flip(owner);
      return;
    }
    this.#toggle(this.#altId[alternative]!, 0);
    this.#toggle(this.#groupChoice[-1 - owner]!, 1);
  }

  /**
   * Whether the break item can take what is left once classes from `from` on change. Notes what a
   * smaller amount could get where it cannot.
   */
  #canFit(from: number, got: number, paid: number, count: number, profit: number): boolean {
    const { amount } = this.#demand;
    if (count - this.#canEmpty[from]! > this.#whole) return false;
    const error = amount * 2 ** -46;
    const most = Math.min(this.#breakMost, this.#breakBudget);
    const places = this.#whole - count + this.#canEmpty[from]!;
    const canAdd = Math.min(this.#canAdd[from]!, places * this.#addMost[from]!);
    if (!this.#sells) {
      if (amount - got + this.#canDrop[from]! < 1 - error) return false;
      return amount - got - canAdd <= most + error;
    }
    const price = this.#orders.columns.price[this.#orders.start + this.#break]!;
    if (amount - paid + this.#canDrop[from]! < price * (1 - 2 ** -48) - error) return false;
    const usable = (paid + canAdd + most * price + 1) * (1 + 2 ** -48);
    if (amount - usable < this.#priceMax + error) return true;
    // Nothing here settles, but a smaller amount might.
    const free = Math.floor((usable + profit) / this.#pairs.lambda[0]!);
    if (free > this.selection.free) this.selection.free = free;
    return false;
  }
}
