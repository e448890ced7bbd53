// Hot path: the best order selection of one hop: which orders are filled whole, and which one is the
// break item that takes what they leave. Branch and bound over the core of a knapsack with slots; bounds and
// core are in docs/routing.md (One hop).
//
// What a selection comes to is its worth here: SELL: what it gets, BUY: the negative of what it costs.
//
// Allocates nothing in its loops; `nodesMax` bounds the nodes.

import { Core } from "./core.ts";
import { UNCONSTRAINED } from "./hop-columns.ts";
import {
  type HopDemand,
  type HopOrders,
  mostOfSlots,
  mostPaid,
  sortAscending,
} from "./hop-problem.ts";
import { HopSelection } from "./hop-selection.ts";
import { ENTRIES_MAX, HopTask } from "./hop-task.ts";
import { Relaxation } from "./relaxation.ts";
import { PAIRS, SidePairs } from "./side-pairs.ts";

/** The gap to the bound that is searched first, as a part of it, and its growth while none is found. */
const GAP_FIRST = 2 ** -16;
const GAP_GROWTH = 4;
/** Past this gap, or so many nodes, a closer bound is looked for, in steps of these parts of the price (guesses). */
const GAP_PLAIN = 2 ** -12;
const QUICK_NODES = 512;
const STEP_FIRST = 2 ** -3;
const STEP_LAST = 2 ** -13;
/** What a search takes beside its nodes. */
const SEARCH_WORK = 20;
/** Entries passed over that take as long as a node. */
const NODE_ENTRIES = 16;
/** Choices of makers that take as long as a node (guess). */
const NODE_CHOICES = 64;
/** Orders that change against the relaxed solution at most, along one branch. */
const DEPTH_MAX = 64;
/** Nodes of a search without side pairs (guess: half of the searches end with fewer). */
const PLAIN_NODES = 48;
/** Bounds of break items that take as long as a node, and as the rest of what prunes one (measured). */
const NODE_BOUNDS = 32;
const BOUNDS_MIN = 3;
/** Orders passed over for a break item that take as long as a node (measured). */
const NODE_ITEMS = 32;
/** The break items that are not in the relaxed solution, and where what is known of the first of them starts. */
const OTHERS = -1;
const OTHERS_FRONT = 1;
/** Above what rounding loses. */
const UP = 1 + 2 ** -46;
/** Below it a unit is more than a part that counts as equal. */
const ROUNDED_MAX = 1e9;

export class HopSolver {
  // The answer.
  /** False where the search was cut short: a better selection, of use, may exist. */
  complete = true;
  /** Whether a better selection may hold orders that are no candidates: they are wanted now. */
  hasMissed = false;
  /** What the search took, in work units. */
  work = 0;

  readonly #task = new HopTask();
  readonly selection = new HopSelection(this.#task);
  readonly #relaxation = new Relaxation(this.#task, this.selection);
  readonly #core = new Core(this.#task, this.#relaxation);
  readonly #pairs = new SidePairs(this.#task, this.#relaxation);
  /** Whether the side pairs are asked, and the nodes left from which on they are. */
  #hasPairs = false;
  #pairsFrom = 0;
  /** Slots for whole orders. */
  #whole = 0;
  #nodesLeft = 0;
  /** Nodes left at which the pass at hand ends, and whether it did. */
  #passEnd = 0;
  #isCut = false;

  // What a selection must be worth, and profit for that, to be of use.
  #trial = 0;
  #wanted = 0;
  #needed = 0;
  /** And what any profits at most. */
  #profitMost = 0;

  // Break items that may beat the incumbent.
  #breaks = 0;
  readonly #breakEntry = new Int32Array(ENTRIES_MAX + 1);
  readonly #breakKey = new Float64Array(ENTRIES_MAX + 1);
  // The break items at hand: one, or all that are not in the relaxed solution, of makers with backing for all.
  /** The entry behind the last of them, and behind the last of those that are not in the relaxed solution. */
  #itemsEnd = 0;
  #othersEnd = 0;
  /** Of the only one: its maker. */
  #maker = UNCONSTRAINED;
  /** Core place of its class, which does not change. */
  #fixed = -1;
  // Those that no cheaper one is as large as: what a unit used profits, what they use at least and most.
  // A single one has the first place, the others have those from OTHERS_FRONT on.
  #front = 0;
  #frontEnd = 0;
  #othersFrontEnd = 0;
  readonly #frontGain = new Float64Array(ENTRIES_MAX + OTHERS_FRONT);
  readonly #frontLeast = new Float64Array(ENTRIES_MAX + OTHERS_FRONT);
  readonly #frontMost = new Float64Array(ENTRIES_MAX + OTHERS_FRONT);
  readonly #frontEntry = new Int32Array(ENTRIES_MAX + OTHERS_FRONT);
  /**
   * By entry of a maker that is one class: what the maker profits with it as the break item beyond its best
   * choice; NaN: not known yet.
   */
  readonly #makerGain = new Float64Array(ENTRIES_MAX);

  // By depth: what the whole orders profit, get and cost.
  readonly #profit = new Float64Array(DEPTH_MAX + 2);
  readonly #got = new Float64Array(DEPTH_MAX + 2);
  readonly #paid = new Float64Array(DEPTH_MAX + 2);
  /** And what a break item profits with them at most. */
  readonly #breakMost = new Float64Array(DEPTH_MAX + 2);
  /** And by side pair: what they profit; and by pair what is needed. */
  readonly #profits = new Float64Array((DEPTH_MAX + 2) * PAIRS);
  readonly #neededOf = new Float64Array(PAIRS);
  // Of the node being bounded: what is left of the amount, rounded up; what classes that are yet to change
  // can use and free; and what break items profit where a part stays unsold, since nothing else can be filled.
  #rest = 0;
  #canAdd = 0;
  #canDrop = 0;
  #unsold = 0;

  /** False where no selection settles (or, with `complete` false, none was found). */
  solve(orders: HopOrders, demand: HopDemand): boolean {
    const { selection } = this;
    const task = this.#task;
    const { slots, nodesMax, amount } = demand;
    task.begin(orders, demand);
    selection.begin();
    this.complete = true;
    this.hasMissed = false;
    this.work = 2 + orders.count / 16;
    this.#nodesLeft = nodesMax;
    if (task.candidates === 0 || slots < 1) return false;
    if (!task.isEnoughInAll()) {
      selection.notePart(mostOfSlots(orders, task.candidates, slots, false));
      // Dropped ones can cost more.
      const isPaid = task.sells && mostPaid(orders, slots) >= amount - task.error;
      this.hasMissed = isPaid && orders.dropped?.wantAll() === true;
    } else if (!this.#takeCheapest()) {
      this.#search(task.slots);
      this.work += nodesMax - Math.max(0, this.#nodesLeft);
      if (this.complete) this.hasMissed = this.#wantMissed();
    }
    return selection.found;
  }

  /**
   * Wants those of the dropped orders that a better selection may hold, where candidates do not stand in for
   * them (docs/routing.md, step 9). Whether there are any that were not wanted before.
   */
  #wantMissed(): boolean {
    const { orders, demand, sells, candidates } = this.#task;
    const { dropped, columns } = orders;
    if (dropped === undefined || dropped.wanted === dropped.count) return false;
    // The most that any selection can be worth does not reach what is wanted.
    if (this.#profitMost < this.#needed) return false;
    const { found, value, partMost } = this.selection;
    const { lambda, mu, profit } = this.#relaxation;
    const isUnsold = sells && !(found && partMost <= value);
    const isAny = isUnsold || (found ? value : demand.cutoff) < ROUNDED_MAX;
    const base = profit - this.#needed;
    const slack = this.#profitMost - this.#needed;
    let first = 0;
    while (!isAny && first < candidates && this.#isFree(first)) first += 1;
    if (first === candidates) return false;
    const cheapest = isAny ? 0 : columns.price[first]!;
    let hasMissed = false;
    for (let at = 0; at < dropped.count; at += 1) {
      const price = dropped.price[at]!;
      if (price <= cheapest) continue;
      const backed = dropped.backed[at]!;
      const isWhole = backed === dropped.amount[at];
      const least = isUnsold ? (backed * columns.price[0]!) / price : 1;
      const isUseful =
        (isWhole && backed * (lambda - price) - mu + slack >= 0) ||
        (isAny && base + Math.min(0, lambda - price) * least >= 0);
      if (isUseful && dropped.want(at)) hasMissed = true;
    }
    return hasMissed;
  }

  /** Whether an order can be filled whole, whatever else of its maker is. */
  #isFree(entry: number): boolean {
    const { amount, group, most } = this.#task.orders.columns;
    return most[entry] === amount[entry] && group[entry] === UNCONSTRAINED;
  }

  /** True where a part of the cheapest order is all it takes: nothing can be better. */
  #takeCheapest(): boolean {
    const { orders, sells, demand } = this.#task;
    const { cost, most, headroom } = orders.columns;
    if (sells && demand.amount >= cost[0]!) return false;
    const { selection } = this;
    selection.complete(0, most[0]!, headroom[0]!, 0, 0, 0);
    return selection.found && selection.exactValue === undefined;
  }

  /** The selections of up to so many orders. */
  #search(slots: number): void {
    const relaxation = this.#relaxation;
    const task = this.#task;
    this.work += SEARCH_WORK;
    this.#whole = slots - 1;
    this.#relax();
    if (task.ignoresBacking && task.isShortAt(relaxation.lambda)) this.#tighten();
    let bound = this.#bound();
    let isClosest = false;
    this.#passEnd = Math.max(0, this.#nodesLeft - QUICK_NODES);
    for (let gap = GAP_FIRST; ; ) {
      this.#trial = gap >= 1 ? Number.NEGATIVE_INFINITY : bound - gap * Math.abs(bound);
      this.#searchTrial();
      // All that is better than the trial was tried.
      if (this.complete && this.#trial <= Math.max(task.cutoff, this.selection.worth)) break;
      if (task.ignoresBacking && this.selection.isOverdrawn) {
        this.#tighten();
        bound = this.#bound();
        gap = GAP_FIRST;
        continue;
      }
      if (!isClosest && (!this.complete || gap > GAP_PLAIN)) {
        isClosest = true;
        this.#passEnd = 0;
        bound = this.#closestBound();
        gap = GAP_FIRST;
      } else if (this.complete) gap *= GAP_GROWTH;
      else break;
    }
    this.selection.clear();
    this.work += relaxation.work;
  }

  #relax(): void {
    this.#relaxation.find(this.#whole);
    this.#hasPairs = false;
    this.#pairsFrom = this.#nodesLeft - PLAIN_NODES;
  }

  /** A maker's backing counts: from now on its orders are one class. */
  #tighten(): void {
    this.#task.tighten();
    this.work += this.#relaxation.work;
    this.#relax();
  }

  /**
   * Moves to the shadow price of the closest bound, from which the one of a hop whose makers' backing is
   * divisible can be far: steps up or down, each half as long as the one before.
   */
  #closestBound(): number {
    const first = this.#relaxation.lambda;
    let [lambda, best] = [first, this.#bound()];
    for (let step = STEP_FIRST; step > STEP_LAST; step /= 2) {
      for (const at of [lambda + step * first, lambda - step * first]) {
        const bound = this.#boundAt(at);
        if (bound >= best) continue;
        [lambda, best] = [at, bound];
        break;
      }
    }
    this.#hasPairs = false;
    return this.#boundAt(lambda);
  }

  #boundAt(lambda: number): number {
    this.#relaxation.setAt(lambda);
    this.#nodesLeft -= this.#task.candidates / NODE_ENTRIES;
    return this.#bound();
  }

  #countChoices(): void {
    const { choices } = this.#relaxation;
    this.#nodesLeft -= choices.looked / NODE_CHOICES;
    choices.looked = 0;
  }

  /** Tries all that is better than the trial. */
  #searchTrial(): void {
    this.#updateWanted();
    this.#nodesLeft -= this.#task.candidates / NODE_ENTRIES;
    this.#isCut = false;
    const slack = this.#collectBreaks();
    if (slack >= 0) {
      this.#core.collect(slack, this.selection.isIn);
      if (this.#hasPairs) this.#pairs.take(this.#core, this.#whole);
    }
    this.#countChoices();
    for (let at = 0; at < this.#breaks && this.#nodesLeft >= this.#passEnd; at += 1) {
      if (!this.#hasPairs && this.#nodesLeft < this.#pairsFrom) this.#addPairs();
      const entry = this.#breakEntry[at]!;
      if (entry === OTHERS) this.#branchOthers();
      else this.#branch(entry);
    }
    if (this.#nodesLeft < this.#passEnd) this.#isCut = true;
    this.complete = !this.#isCut;
  }

  /** From now on nodes ask the side pairs, too. */
  #addPairs(): void {
    this.#hasPairs = true;
    this.#pairs.find();
    this.#pairs.take(this.#core, this.#whole);
    this.#setNeeded();
  }

  /** What any selection is worth at most. */
  #bound(): number {
    this.#makerGain.fill(Number.NaN, 0, this.#task.candidates);
    // No dearer break item profits anything.
    let most = this.#relaxation.profit;
    for (let entry = 0; entry < this.#relaxation.cheaper; entry += 1) {
      most = Math.max(most, this.#profitWith(entry, most));
    }
    this.#countChoices();
    this.#profitMost = most;
    return this.#worthAt(most);
  }

  /** What a selection of so much profit is worth. */
  #worthAt(profit: number): number {
    const { sells, demand } = this.#task;
    const { lambda } = this.#relaxation;
    return sells ? (demand.amount + profit) / lambda : profit - demand.amount * lambda;
  }

  /** What is to be found: better than the incumbent, the cutoff, and the trial. */
  #updateWanted(): void {
    const { found, worth, value } = this.selection;
    const { cutoff, demand } = this.#task;
    this.#wanted = Math.max(cutoff, this.#trial);
    // Beyond 2^53 one unit more is the same number.
    const least = Math.max(1, value * Math.max(demand.gap, 2 ** -50));
    if (found) this.#wanted = Math.max(this.#wanted, worth + least);
    this.#setNeeded();
  }

  #setNeeded(): void {
    this.#needed = this.#neededAt(this.#relaxation.lambda);
    for (let pair = 0; this.#hasPairs && pair < PAIRS; pair += 1) {
      this.#neededOf[pair] = this.#neededAt(this.#pairs.lambda[pair]!);
    }
  }

  /** What a selection must profit at a shadow price to be of use. */
  #neededAt(lambda: number): number {
    const { sells, demand } = this.#task;
    const none = sells ? demand.amount : -demand.amount * lambda;
    const worth = sells ? this.#wanted * lambda : this.#wanted;
    // The rounding of some forty sums and products.
    return worth - none - (Math.abs(none) + Math.abs(worth) + lambda) * 2 ** -46;
  }

  /**
   * Lists the break items that may beat the incumbent; those that are not in the relaxed solution count
   * as one. Returns the most that one has beyond what is needed; negative: none has.
   */
  #collectBreaks(): number {
    const { orders, candidates, group, sells } = this.#task;
    const { most, price } = orders.columns;
    const { cheaper, lambda, profit } = this.#relaxation;
    const { isIn } = this.selection;
    const base = profit - this.#needed;
    this.#breaks = 0;
    this.#frontEnd = OTHERS_FRONT;
    let slackMost = -1;
    let othersMost = -1;
    let othersSize = 0;
    let usesMost = 0;
    let entry = 0;
    for (; entry < candidates; entry += 1) {
      const isAlone = group[entry] === UNCONSTRAINED;
      // A dear break item takes a unit at least.
      const isDear = isAlone && entry >= cheaper;
      const slack = isDear ? base + lambda - price[entry]! : this.#slackOf(entry);
      if (isDear && slack < 0) break;
      if (!(slack >= 0) || most[entry]! < 1) continue;
      if (slack > slackMost) slackMost = slack;
      if (isAlone && isIn[entry] === 0) {
        if (slack > othersMost) othersMost = slack;
        const unit = sells ? price[entry]! : 1;
        const uses = most[entry]! * unit;
        if (uses <= usesMost) continue;
        usesMost = uses;
        if (most[entry]! > othersSize) othersSize = most[entry]!;
        this.#addFront(entry, unit, uses);
      } else this.#addBreak(entry, most[entry]!, slack);
    }
    this.#othersEnd = entry;
    this.#othersFrontEnd = this.#frontEnd;
    if (usesMost > 0) this.#addBreak(OTHERS, othersSize, othersMost);
    sortAscending(this.#breakKey, this.#breakEntry, this.#breaks);
    return slackMost;
  }

  /** The largest break items come first, by powers of four: what they find leaves less to try for the others. */
  #addBreak(entry: number, size: number, slack: number): void {
    const part = slack === Number.POSITIVE_INFINITY ? 1 : slack / (slack + size);
    this.#breakEntry[this.#breaks] = entry;
    this.#breakKey[this.#breaks] = -2 * Math.floor(Math.log2(size) / 2) - part;
    this.#breaks += 1;
  }

  /** By how much the bound with a break item is beyond what is needed; negative: it is not. */
  #slackOf(entry: number): number {
    const isFilled = this.#task.orders.columns.most[entry]! >= 1;
    if (!isFilled) return Number.NEGATIVE_INFINITY;
    return this.#profitWith(entry, this.#needed) - this.#needed;
  }

  /** What a selection with the break item profits at most; where that is below `least`, something below it. */
  #profitWith(entry: number, least: number): number {
    const { orders, sells, demand, group } = this.#task;
    const { most, price } = orders.columns;
    const relaxation = this.#relaxation;
    const gain = relaxation.gainOf(entry);
    const fills = Math.min(most[entry]!, sells ? demand.amount / price[entry]! : demand.amount);
    const profit = relaxation.profit + (gain > 0 ? gain * fills : gain);
    if (relaxation.isClass(entry)) return profit - Math.max(0, relaxation.reducedOf(entry));
    const maker = group[entry]!;
    if (maker === UNCONSTRAINED || profit < least) return profit;
    if (Number.isNaN(this.#makerGain[entry])) {
      const best = relaxation.bestWithBreak(maker, entry);
      this.#makerGain[entry] = best - relaxation.bestOf[maker]!;
    }
    return relaxation.profit + this.#makerGain[entry]!;
  }

  /** Tries the selections with a break item. */
  #branch(entry: number): void {
    // The incumbent may be better by now.
    if (!(this.#slackOf(entry) >= 0)) return;
    const { amount, budget, cost } = this.#task.orders.columns;
    const relaxation = this.#relaxation;
    const maker = this.#task.group[entry]!;
    const isChoice = maker !== UNCONSTRAINED && !relaxation.isClass(entry);
    this.#itemsEnd = entry + 1;
    this.#maker = maker;
    this.#fixed = this.#core.placeOf(isChoice ? -1 - maker : entry);
    if (isChoice) {
      this.#branchMaker(maker, entry);
      return;
    }
    this.#setFront(entry, budget[entry]!);
    if (this.selection.isIn[entry] === 0) {
      this.#branchFrom(relaxation.profit, maker, 0, 0, 0);
      return;
    }
    const profit = relaxation.profit - relaxation.reducedOf(entry);
    relaxation.flip(entry);
    this.#branchFrom(profit, maker, -amount[entry]!, -cost[entry]!, -1);
    relaxation.flip(entry);
  }

  /** Tries those with one of the break items that are not in the relaxed solution. */
  #branchOthers(): void {
    this.#front = OTHERS_FRONT;
    this.#frontEnd = this.#othersFrontEnd;
    this.#itemsEnd = this.#othersEnd;
    this.#maker = UNCONSTRAINED;
    // Each may change; what is whole is then no break item.
    this.#fixed = -1;
    this.#branchFrom(this.#relaxation.profit, UNCONSTRAINED, 0, 0, 0);
  }

  /** The break item's maker chooses anew which of its other orders to fill. */
  #branchMaker(maker: number, entry: number): void {
    const relaxation = this.#relaxation;
    const { first, got, paid, size } = relaxation.choices;
    const budget = this.#task.orders.columns.budget[entry]!;
    const kept = relaxation.choiceOf[maker]!;
    const rest = relaxation.profit - relaxation.bestOf[maker]!;
    this.#nodesLeft -= (first[maker + 1]! - first[maker]!) / NODE_CHOICES;
    relaxation.toggle(maker, kept, 0);
    for (let choice = first[maker]!; choice < first[maker + 1]! && !this.#isOut(); choice += 1) {
      if (rest + relaxation.profitWithBreak(maker, choice, entry) < this.#needed) continue;
      this.#setFront(entry, budget - got[choice]!);
      relaxation.toggle(maker, choice, 1);
      this.#branchFrom(
        rest + relaxation.choiceProfit(maker, choice),
        maker,
        got[choice]! - got[kept]!,
        paid[choice]! - paid[kept]!,
        size[choice]! - size[kept]!,
      );
      relaxation.toggle(maker, choice, 0);
    }
    relaxation.toggle(maker, kept, 1);
  }

  /** Makes an entry the only break item at hand. `budget`: at least what its maker has for it. */
  #setFront(entry: number, budget: number): void {
    const { orders, sells } = this.#task;
    const { price, most } = orders.columns;
    const unit = sells ? price[entry]! : 1;
    const uses = Math.min(most[entry]!, budget) * unit;
    this.#front = 0;
    this.#frontEnd = 0;
    if (uses > 0) this.#addFront(entry, unit, uses);
  }

  #addFront(entry: number, unit: number, uses: number): void {
    const at = this.#frontEnd;
    this.#frontGain[at] = this.#relaxation.gainOf(entry) / unit;
    this.#frontLeast[at] = unit;
    this.#frontMost[at] = uses;
    this.#frontEntry[at] = entry;
    this.#frontEnd += 1;
  }

  /**
   * Tries the selections with one of the break items at hand, from those whole orders on that profit so much:
   * the relaxed solution, of which a maker (or UNCONSTRAINED) gets, is paid and lists so much more.
   */
  #branchFrom(profit: number, maker: number, got: number, paid: number, size: number): void {
    const relaxation = this.#relaxation;
    this.#profit[0] = profit;
    this.#got[0] = relaxation.got + got;
    this.#paid[0] = relaxation.paid + paid;
    for (let pair = 0; this.#hasPairs && pair < PAIRS; pair += 1) {
      const more = this.#pairs.profitOf(pair, maker, got, paid, size);
      this.#profits[pair] = this.#pairs.relaxed[pair]! + more;
    }
    if (relaxation.overdrawn > 0 && !this.#core.canRecover(0)) return;
    const count = relaxation.count + size;
    if (!this.#isUseful(0, 0, count)) return;
    if (!this.#hasPairs || this.#isHopeful(0, 0, -1)) this.#vary(0, 0, count);
  }

  #isOut(): boolean {
    if (this.#nodesLeft >= this.#passEnd) return false;
    this.#isCut = true;
    return true;
  }

  /** The selections that hold the changes made so far, and others of classes from `from` on. */
  #vary(depth: number, from: number, count: number): void {
    this.#nodesLeft -= 1;
    if (this.#isOut()) return;
    const relaxation = this.#relaxation;
    const core = this.#core;
    const got = this.#got[depth]!;
    const paid = this.#paid[depth]!;
    const own = this.#profit[depth]!;
    const most = own + this.#breakMost[depth]!;
    if (count <= this.#whole && relaxation.overdrawn === 0) this.#complete(own, got, paid, count);
    if (depth === DEPTH_MAX) {
      this.#isCut = true;
      return;
    }
    for (let place = from; place < core.count; place += 1) {
      const first = core.from[place]!;
      if (most - core.loss[first]! < this.#needed) continue;
      if (place === this.#fixed) continue;
      if (core.isTwin[place] === 1 && place > from && place - 1 !== this.#fixed) continue;
      const end = core.end[first]!;
      for (let at = first; at < end; at += 1) {
        const loss = core.loss[at]!;
        if (most - loss < this.#needed) break;
        const size = count + core.size[at]!;
        if (size - core.canEmpty[place + 1]! > this.#whole) continue;
        this.#profit[depth + 1] = own - loss;
        this.#got[depth + 1] = got + core.got[at]!;
        this.#paid[depth + 1] = paid + core.paid[at]!;
        if (!this.#isUseful(depth + 1, place + 1, size)) continue;
        if (this.#hasPairs && !this.#isHopeful(depth + 1, place + 1, at)) continue;
        const owner = core.owner[first]!;
        this.#change(owner, at, false);
        if (relaxation.overdrawn === 0 || core.canRecover(place + 1)) {
          this.#vary(depth + 1, place + 1, size);
        }
        this.#change(owner, at, true);
        if (this.#isOut()) return;
      }
    }
  }

  /** Puts an alternative of a class in the place of the relaxed solution's choice, or back. */
  #change(owner: number, alternative: number, isBack: boolean): void {
    const relaxation = this.#relaxation;
    if (owner >= 0) {
      relaxation.flip(owner);
      return;
    }
    const maker = -1 - owner;
    const kept = relaxation.choiceOf[maker]!;
    const other = this.#core.choice[alternative]!;
    relaxation.toggle(maker, isBack ? other : kept, 0);
    relaxation.toggle(maker, isBack ? kept : other, 1);
  }

  /** Completes whole orders with the cheapest of the break items that can take what is left. */
  #complete(profit: number, got: number, paid: number, count: number): void {
    const { orders, sells, demand, error, group, priceMax } = this.#task;
    const { columns } = orders;
    const { lambda, makerGot, makerPaid } = this.#relaxation;
    const { selection } = this;
    const maker = this.#maker;
    const rest = demand.amount - (sells ? paid : got);
    const least = rest - error - (sells ? priceMax + 1 : 0);
    let front = this.#front;
    for (; front < this.#frontEnd && this.#frontMost[front]! < least; front += 1) {
      // Nor is any of those that this one stands for.
      if (sells) selection.notePart(got + columns.most[this.#frontEntry[front]!]!);
    }
    // None before it is as large.
    let entry = front < this.#frontEnd ? this.#frontEntry[front]! : this.#itemsEnd;
    for (; entry < this.#itemsEnd; entry += 1) {
      if (maker === UNCONSTRAINED && group[entry] !== UNCONSTRAINED) continue;
      this.#nodesLeft -= 1 / NODE_ITEMS;
      const price = columns.price[entry]!;
      let most = columns.most[entry]!;
      let headroom = columns.headroom[entry]!;
      if (maker !== UNCONSTRAINED) {
        most = Math.min(most, columns.budget[entry]! - makerGot[maker]!);
        headroom -= makerPaid[maker]!;
      }
      // The dearer, the less there is to gain.
      const part = sells ? Math.max(least / price, 1) : rest;
      if (price > lambda && profit + (lambda - price) * part < this.#needed) return;
      if (selection.isIn[entry] === 1) continue;
      if (least > (sells ? most * price : most)) {
        if (sells) selection.noteCarried(got + most, entry, count);
        continue;
      }
      const isBetter = selection.complete(entry, most, headroom, got, paid, count);
      if (isBetter) this.#updateWanted();
      this.#nodesLeft -= selection.exactNodes;
      selection.exactNodes = 0;
      // A dearer one gets no more, unless a part stays unsold.
      if (isBetter && (!sells || rest <= most * price)) return;
    }
  }

  /** Whether a selection may beat the incumbent once classes from a place on change. */
  #isUseful(depth: number, from: number, count: number): boolean {
    const { sells, demand, error } = this.#task;
    const core = this.#core;
    this.#nodesLeft -= (BOUNDS_MIN + this.#frontEnd - this.#front) / NODE_BOUNDS;
    const slots = this.#whole - count + core.canEmpty[from]!;
    if (slots < 0 || this.#frontEnd === this.#front) return false;
    const canSwap = core.canSwap[from]! + slots * core.addMost[from]!;
    this.#canAdd = Math.min(core.canAdd[from]!, canSwap);
    this.#canDrop = core.canDrop[from]!;
    this.#rest = demand.amount - (sells ? this.#paid[depth]! : this.#got[depth]!) + error;
    const profit = this.#profit[depth]!;
    if (!this.#canFit(profit)) return false;
    if (profit + this.#breakProfit(depth, from, count) < this.#needed) {
      if (profit + this.#unsold >= this.#needed) {
        this.selection.notePart(this.#worthAt(profit + this.#unsold) * UP);
      }
      return false;
    }
    return true;
  }

  /**
   * Whether a break item can take what is left once classes that are yet to change do. Notes what a
   * smaller amount could get where none can.
   */
  #canFit(profit: number): boolean {
    const { sells, demand, error, priceMax } = this.#task;
    const { amount } = demand;
    const most = this.#frontMost[this.#frontEnd - 1]!;
    if (this.#rest + this.#canDrop < this.#frontLeast[this.#front]! * (1 - 2 ** -48)) return false;
    if (!sells) return this.#rest - this.#canAdd <= most + 2 * error;
    const usable = (amount - this.#rest + error + this.#canAdd + most + 1) * (1 + 2 ** -48);
    if (amount - usable < priceMax + error) return true;
    // Nothing here settles, but a smaller amount might.
    let broken = 0;
    for (let at = this.#front; at < this.#frontEnd; at += 1) {
      broken = Math.max(broken, this.#frontGain[at]! * Math.min(this.#frontMost[at]!, amount));
    }
    this.selection.notePart(Math.floor((usable + profit + broken) / this.#relaxation.lambda));
    return false;
  }

  /**
   * Of a node that `#isUseful` has just let pass: whether each side pair's bound, too, is beyond what is needed.
   * `at`: the alternative taken last; -1: none, what the pairs profit is noted.
   */
  #isHopeful(depth: number, from: number, at: number): boolean {
    const { sells, error, priceMax } = this.#task;
    const { altProfit, lambda, gainFrom } = this.#pairs;
    const profits = this.#profits;
    const most = this.#rest + this.#canDrop;
    const least = this.#rest - 2 * error - this.#canAdd;
    const first = this.#relaxation.lambda;
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const rise = lambda[pair]! - first;
      let broken = Number.NEGATIVE_INFINITY;
      for (let front = this.#front; front < this.#frontEnd; front += 1) {
        const unit = this.#frontLeast[front]!;
        const gain = this.#frontGain[front]! + (sells ? rise / unit : rise);
        const end = this.#frontMost[front]! + error;
        const uses =
          gain > 0
            ? Math.min(end, most)
            : Math.max(unit, Math.min(end, least - (sells ? priceMax + Math.max(unit, 1) : 0)));
        if (gain * uses > broken) broken = gain * uses;
      }
      const own = depth * PAIRS + pair;
      if (at >= 0) profits[own] = profits[own - PAIRS]! + altProfit[at * PAIRS + pair]!;
      const profit = profits[own]! + gainFrom[from * PAIRS + pair]!;
      if (profit + broken < this.#neededOf[pair]!) return false;
    }
    return true;
  }

  /**
   * At most what a break item profits once classes from a place on change, less what those lose that
   * must change for it: a relaxation in which they change in part, at the least that a unit loses.
   * Leaves in `#breakMost` what it profits without regard to that, and in `#unsold` what it does where a part
   * of the amount stays unsold because nothing else is there to be filled.
   */
  #breakProfit(depth: number, from: number, count: number): number {
    const { sells, error, priceMax } = this.#task;
    const core = this.#core;
    const rest = this.#rest;
    const canAdd = this.#canAdd;
    const canDrop = this.#canDrop;
    let addRate = core.addRate[from]!;
    // Without a slot left, an order is dropped for each one that is added.
    if (count >= this.#whole && addRate < Number.POSITIVE_INFINITY) {
      addRate += core.emptyLoss[from]! / core.addMost[from]!;
    }
    addRate = Math.min(addRate, core.swapRate[from]!);
    const dropRate = core.dropRate[from]!;
    let best = Number.NEGATIVE_INFINITY;
    let unsold = Number.NEGATIVE_INFINITY;
    let breakMost = Number.NEGATIVE_INFINITY;
    for (let at = this.#front; at < this.#frontEnd; at += 1) {
      const gain = this.#frontGain[at]!;
      const unit = this.#frontLeast[at]!;
      const most = this.#frontMost[at]! + error;
      // What stays unsold, and what rounding leaves: of a part a unit's price, of a whole order's cost a unit.
      const least = rest - 2 * error - (sells ? priceMax + Math.max(unit, 1) : 0);
      const taken =
        gain > 0 ? Math.min(most, rest + canDrop) : Math.max(unit, Math.min(most, least - canAdd));
      if (gain * taken > breakMost) breakMost = gain * taken;
      let profit: number;
      if (least > most) {
        profit = gain * most - addRate * (least - most);
        // What is added may lose less than a dear break item does.
        if (-gain > addRate) profit += (-gain - addRate) * Math.max(0, most - unit);
        // A unit that stays unsold loses itself, which is more than a break item's can.
        if (sells && addRate > 1) unsold = Math.max(unsold, gain * most - (least - most));
      } else if (rest < unit) {
        profit = gain * unit - dropRate * (unit - rest);
        if (gain > dropRate) profit += (gain - dropRate) * Math.min(most - unit, canDrop);
      } else if (gain > 0) {
        profit = gain * Math.min(rest, most);
        const more = Math.min(most - rest, canDrop);
        if (more > 0 && gain > dropRate) profit += (gain - dropRate) * more;
      } else {
        const uses = Math.max(unit, least);
        const less = Math.min(uses - unit, canAdd);
        profit = gain * uses;
        if (less > 0 && -gain > addRate) profit += (-gain - addRate) * less;
      }
      if (profit > best) best = profit;
    }
    this.#breakMost[depth] = breakMost;
    this.#unsold = unsold;
    return best;
  }
}
