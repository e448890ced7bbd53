// Hot path: the best order selection of one hop: which orders are filled whole, and which one is the
// break item that takes what they leave. Branch and bound over the core of a knapsack with slots.
//
// Bound. At a shadow price lambda and a slot penalty mu a whole order has the reduced profit
// `amount * lambda - cost - mu`. With the reduced profits of a selection, SELL gets at most
// `(paid + profits + slots * mu) / lambda`, BUY costs at least `wanted * lambda - profits - slots * mu`.
//
// A selection differs from the relaxed solution (relaxation.ts) in some classes, each of which loses
// something, and in its break item, which profits `lambda - price` a unit of what is left for it. One that
// beats the incumbent loses no more than the optimality gap, so only the core (core.ts) is searched, depth
// first for each break item.
//
// Allocates nothing; `nodesMax` bounds the nodes.

import { Core } from "./core.ts";
import { UNCONSTRAINED } from "./hop-columns.ts";
import {
  type HopDemand,
  type HopOrders,
  mostOfSlots,
  nextBetter,
  sortAscending,
  wantCostly,
} from "./hop-problem.ts";
import { HopSelection } from "./hop-selection.ts";
import { ENTRIES_MAX, HopTask } from "./hop-task.ts";
import { Relaxation } from "./relaxation.ts";
import { PAIRS, SidePairs } from "./side-pairs.ts";

/** The gap to the bound that is searched first, as a part of it, and its growth while none is found. */
const GAP_FIRST = 2 ** -16;
const GAP_GROWTH = 4;
/** Past this gap, or so many nodes, a closer bound is looked for: first rise, rises, sections (guesses). */
const GAP_PLAIN = 2 ** -12;
const QUICK_NODES = 512;
const RISE_FIRST = 2 ** -8;
const RISES_MAX = 12;
const SECTIONS = 8;
const GOLDEN = (3 - Math.sqrt(5)) / 2;
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
/** Above what rounding loses. */
const UP = 1 + 2 ** -46;
/** Below it a unit is more than a part that counts as equal. */
const ROUNDED_MAX = 1e9;
const UNKNOWN = -1;
const OTHERS = -1;

export class HopSolver {
  // The answer.
  /** False where the search was cut short: a better selection, of use, may exist. */
  complete = true;
  /** Whether a better selection may hold orders that are no candidates: they are wanted now. */
  hasMissed = false;
  /** What the search took, in work units. */
  work = 0;
  /**
   * SELL: an upper bound of what any selection gets of a part of the amount or of all of it; what is below the
   * cutoff, or better than the incumbent by no more than the gap, does not count. No bound where the search
   * was cut short.
   */
  partMost = 0;
  readonly selection = new HopSelection();

  readonly #task = new HopTask();
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

  // What the selection must come to, and profit for that, to be of use.
  #trial = 0;
  #wanted = 0;
  #needed = 0;

  // Break items that may beat the incumbent.
  #breaks = 0;
  readonly #breakEntry = new Int32Array(ENTRIES_MAX + 1);
  readonly #breakKey = new Float64Array(ENTRIES_MAX + 1);
  #others = 0;
  readonly #other = new Int32Array(ENTRIES_MAX);
  // The break items at hand, the cheapest first: one, or all that are not in the relaxed solution.
  #items = 0;
  readonly #one = new Int32Array(1);
  #item = this.#one;
  /** Of the only one: its maker. */
  #maker = UNCONSTRAINED;
  /** Core place of its class, which does not change. */
  #fixed = -1;
  // Those that no cheaper one is as large as: what a unit used profits, what they use at least and most.
  #front = 0;
  readonly #frontGain = new Float64Array(ENTRIES_MAX);
  readonly #frontLeast = new Float64Array(ENTRIES_MAX);
  readonly #frontMost = new Float64Array(ENTRIES_MAX);
  readonly #frontPlace = new Int32Array(ENTRIES_MAX);
  /** By entry of a maker that is one class: see `#makerSlackOf`, and the shadow price it is for. */
  readonly #makerSlack = new Float64Array(ENTRIES_MAX);
  readonly #makerSlackAt = new Float64Array(ENTRIES_MAX);

  // By depth: what the whole orders profit, get and cost.
  readonly #profit = new Float64Array(DEPTH_MAX + 2);
  readonly #got = new Float64Array(DEPTH_MAX + 2);
  readonly #paid = new Float64Array(DEPTH_MAX + 2);
  /** And what a break item profits with them at most. */
  readonly #breakMost = new Float64Array(DEPTH_MAX + 2);
  #unsold = 0;
  /** And by side pair: what they profit; and by pair what is needed. */
  readonly #profits = new Float64Array((DEPTH_MAX + 2) * PAIRS);
  readonly #neededOf = new Float64Array(PAIRS);

  /** False where no selection settles (or, with `complete` false, none was found). */
  solve(orders: HopOrders, demand: HopDemand): boolean {
    const task = this.#task;
    task.begin(orders, demand);
    this.#whole = demand.slots - 1;
    this.complete = true;
    this.partMost = 0;
    this.work = 2 + orders.count / 16;
    this.selection.begin(orders, demand, task.candidates);
    this.selection.isBytesBound = task.isBytesBound;
    this.selection.checksBacking = task.ignoresBacking;
    this.#nodesLeft = demand.nodesMax;
    this.#isCut = false;
    this.hasMissed = false;
    const isSearched = this.#run(orders, demand);
    const { found, value, partMost } = this.selection;
    this.partMost = found && partMost < value ? value : Math.max(partMost, this.partMost);
    if (isSearched && this.complete) this.hasMissed = this.#wantMissed();
    return found;
  }

  /** True where the core was searched. */
  #run(orders: HopOrders, { slots, nodesMax, bytes, amount }: HopDemand): boolean {
    const task = this.#task;
    if (task.candidates === 0 || slots < 1) return false;
    if (!task.isEnoughInAll()) {
      this.partMost = mostOfSlots(orders, task.candidates, slots, false);
      this.hasMissed = task.sells && wantCostly(orders, slots, amount * (1 - 2 ** -46));
      return false;
    }
    if (this.#takeCheapest()) return false;
    if (nodesMax === 0) {
      this.complete = false;
      return false;
    }
    if (task.isBytesBound) {
      // As many as surely fit; then as many as can.
      this.#whole = Math.max(1, Math.floor(bytes / task.bytesMost)) - 1;
      this.#search();
      const most = Math.min(slots, task.mostThatFit());
      if (most > this.#whole + 1) {
        this.#whole = most - 1;
        this.#search();
      }
    } else this.#search();
    this.work += nodesMax - Math.max(0, this.#nodesLeft);
    return true;
  }

  /**
   * Wants those of the dropped orders that a better selection may hold, where candidates do not stand in for
   * them (see candidates.ts): with a break item that its maker can fill only in part and that is cheaper,
   * and with any where the amount is not used up by what would get more, where the bytes of the call are
   * short, or where a unit counts. Whether there are any that were not wanted before.
   */
  #wantMissed(): boolean {
    const { orders, group, demand, sells, candidates, isBytesBound } = this.#task;
    const { dropped, columns } = orders;
    if (dropped === undefined) return false;
    const { found, value } = this.selection;
    const { lambda, mu, profit } = this.#relaxation;
    const isUnsold = sells && !(found && this.partMost <= value);
    const isAny = isUnsold || isBytesBound || (found ? value : demand.cutoff) < ROUNDED_MAX;
    const base = profit - this.#needed;
    let slack = isAny ? base : -1;
    let cheapest = isAny ? 0 : Number.POSITIVE_INFINITY;
    for (let entry = 0; entry < candidates; entry += 1) {
      const isWhole = columns.most[entry] === columns.amount[entry];
      if (!isAny && isWhole && group[entry] === UNCONSTRAINED) continue;
      cheapest = Math.min(cheapest, columns.price[entry]!);
      slack = Math.max(slack, this.#slackOf(entry));
    }
    if (slack < 0) return false;
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

  /** True where a part of the cheapest order is all it takes: nothing can be better. */
  #takeCheapest(): boolean {
    const { orders, sells, demand } = this.#task;
    const { cost, most, headroom } = orders.columns;
    if (sells && demand.amount >= cost[0]!) return false;
    const { selection } = this;
    selection.complete(0, most[0]!, headroom[0]!, 0, 0, 0);
    return selection.found && selection.exactValue === undefined;
  }

  #search(): void {
    const relaxation = this.#relaxation;
    const task = this.#task;
    this.work += SEARCH_WORK;
    this.#relax();
    if (task.ignoresBacking && task.isShortAt(relaxation.lambda)) this.#tighten();
    let bound = this.#bound();
    let isClosest = false;
    this.#passEnd = Math.max(0, this.#nodesLeft - QUICK_NODES);
    for (let gap = GAP_FIRST; ; ) {
      this.#trial = this.#task.sells ? bound * (1 - gap) : bound * (1 + gap);
      if (gap >= 1) this.#trial = this.#task.sells ? 0 : Number.POSITIVE_INFINITY;
      this.#searchTrial();
      // All that is better than the trial was tried.
      if (this.complete && !this.#isBelow(this.#trial)) break;
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
    this.#makerSlackAt.fill(UNKNOWN, 0, this.#task.candidates);
    this.#hasPairs = false;
    this.#pairsFrom = this.#nodesLeft - PLAIN_NODES;
  }

  /** A maker's backing counts: from now on its orders are one class. */
  #tighten(): void {
    this.#task.tighten();
    this.selection.checksBacking = false;
    this.work += this.#relaxation.work;
    this.#relax();
  }

  /**
   * Moves to the shadow price of the closest bound, from which the one of a hop whose makers' backing is
   * divisible can be far: steps up or down, then a golden section.
   */
  #closestBound(): number {
    const first = this.#relaxation.lambda;
    const above = first * (1 + RISE_FIRST);
    let best = this.#bound();
    const isAbove = this.#isCloser(this.#boundAt(above), best);
    let [near, middle, far] = [isAbove ? first : above, first, first];
    let step = isAbove ? above - first : first - above;
    for (let rise = 0; rise < RISES_MAX; rise += 1) {
      far = Math.max(middle + step, first / 2);
      const bound = this.#boundAt(far);
      if (!this.#isCloser(bound, best)) break;
      best = bound;
      near = middle;
      middle = far;
      step *= 2;
    }
    for (let section = 0; section < SECTIONS; section += 1) {
      const [width, other] = [far - middle, near - middle];
      const isFar = Math.abs(width) > Math.abs(other);
      const at = middle + GOLDEN * (isFar ? width : other);
      const bound = this.#boundAt(at);
      if (this.#isCloser(bound, best)) {
        if (isFar) near = middle;
        else far = middle;
        middle = at;
        best = bound;
      } else if (isFar) far = at;
      else near = at;
    }
    best = this.#boundAt(middle);
    this.#hasPairs = false;
    return best;
  }

  #boundAt(lambda: number): number {
    this.#relaxation.setAt(lambda);
    this.#nodesLeft -= this.#task.candidates / NODE_ENTRIES;
    this.#countChoices();
    return this.#bound();
  }

  #countChoices(): void {
    const { choices } = this.#relaxation;
    this.#nodesLeft -= choices.looked / NODE_CHOICES;
    choices.looked = 0;
  }

  #isCloser(bound: number, other: number): boolean {
    return this.#task.sells ? bound < other : bound > other;
  }

  /** Tries all that is better than the trial. */
  #searchTrial(): void {
    this.#updateWanted();
    this.#nodesLeft -= this.#task.candidates / NODE_ENTRIES;
    this.#isCut = false;
    const slack = this.#collectBreaks();
    if (slack >= 0) this.#collectCore(slack);
    this.#countChoices();
    for (let at = 0; at < this.#breaks && this.#nodesLeft >= this.#passEnd; at += 1) {
      if (!this.#hasPairs && this.#nodesLeft < this.#pairsFrom) this.#addPairs();
      const entry = this.#breakEntry[at]!;
      if (entry === OTHERS) {
        this.#items = this.#others;
        this.#item = this.#other;
        this.#branchItems();
        continue;
      }
      this.#branch(entry);
    }
    if (this.#nodesLeft < this.#passEnd) this.#isCut = true;
    this.complete = !this.#isCut;
  }

  #collectCore(gap: number): void {
    this.#core.collect(gap, this.selection.isIn);
    if (this.#hasPairs) this.#pairs.take(this.#core, this.#whole);
  }

  /** From now on nodes ask the side pairs, too. */
  #addPairs(): void {
    this.#hasPairs = true;
    this.#pairs.find();
    this.#pairs.take(this.#core, this.#whole);
    this.#setNeeded();
  }

  /** Whether a value is better than all that a search could still find to be of use. */
  #isBelow(value: number): boolean {
    const { found, value: best } = this.selection;
    const { cutoff } = this.#task.demand;
    return this.#task.sells
      ? value > cutoff && !(found && best >= value)
      : value < cutoff && !(found && best <= value);
  }

  /** What any selection gets at most (SELL), or costs at least (BUY). */
  #bound(): number {
    this.#needed = 0;
    // No dearer break item profits anything.
    let most = this.#relaxation.profit;
    const cheaper = this.#cheaper();
    for (let entry = 0; entry < cheaper; entry += 1) {
      const slack = this.#slackOf(entry);
      if (slack > most) most = slack;
    }
    const bound = this.#valueAt(this.#relaxation.lambda, most);
    return this.#task.sells ? Math.max(0, bound) : bound;
  }

  /** What a selection of so much profit comes to. */
  #valueAt(lambda: number, profit: number): number {
    const { sells, demand } = this.#task;
    return sells ? (demand.amount + profit) / lambda : demand.amount * lambda - profit;
  }

  /** What is to be found: better than the incumbent, the cutoff, and the trial. */
  #updateWanted(): void {
    const { found, value } = this.selection;
    const { sells, demand } = this.#task;
    const { direction, cutoff, gap } = demand;
    let wanted = sells ? Math.max(cutoff, this.#trial) : Math.min(cutoff, this.#trial);
    if (found) {
      const next = nextBetter(direction, value);
      wanted = sells
        ? Math.max(wanted, next, value * (1 + gap))
        : Math.min(wanted, next, value * (1 - gap));
    }
    this.#wanted = wanted;
    this.#setNeeded();
  }

  #setNeeded(): void {
    this.#needed = this.#neededAt(this.#relaxation.lambda);
    if (!this.#hasPairs) return;
    for (let pair = 0; pair < PAIRS; pair += 1) {
      this.#neededOf[pair] = this.#neededAt(this.#pairs.lambda[pair]!);
    }
  }

  /** What a selection must profit at a shadow price to be of use. */
  #neededAt(lambda: number): number {
    const { sells, demand } = this.#task;
    const wanted = this.#wanted;
    if (wanted === (sells ? 0 : Number.POSITIVE_INFINITY)) return Number.NEGATIVE_INFINITY;
    const paid = sells ? demand.amount : demand.amount * lambda;
    const worth = sells ? lambda * wanted : wanted;
    // The rounding of some forty sums and products.
    return (sells ? worth - paid : paid - worth) - (paid + worth + lambda) * 2 ** -46;
  }

  /**
   * Lists the break items that may beat the incumbent; those that are not in the relaxed solution count
   * as one. Returns the most that one has beyond what is needed; negative: none has.
   */
  #collectBreaks(): number {
    const { orders, candidates } = this.#task;
    const { columns } = orders;
    const { lambda } = this.#relaxation;
    this.#breaks = 0;
    this.#others = 0;
    let [most, othersMost, othersSize] = [-1, -1, 0];
    const cheaper = this.#cheaper();
    const base = this.#relaxation.profit - this.#needed;
    for (let entry = 0; entry < candidates; entry += 1) {
      const size = columns.most[entry]!;
      const isAlone = columns.group[entry] === UNCONSTRAINED;
      // A dear break item takes a unit at least.
      const isDear = isAlone && entry >= cheaper;
      const slack = isDear ? base + lambda - columns.price[entry]! : this.#slackOf(entry);
      if (isDear && slack < 0) break;
      if (!(slack >= 0) || size < 1) continue;
      if (slack > most) most = slack;
      if (isAlone && this.selection.isIn[entry] === 0) {
        this.#other[this.#others] = entry;
        this.#others += 1;
        if (slack > othersMost) othersMost = slack;
        if (size > othersSize) othersSize = size;
        continue;
      }
      this.#breakEntry[this.#breaks] = entry;
      this.#breakKey[this.#breaks] = breakKey(size, slack);
      this.#breaks += 1;
    }
    if (this.#others > 0) {
      this.#breakEntry[this.#breaks] = OTHERS;
      this.#breakKey[this.#breaks] = breakKey(othersSize, othersMost);
      this.#breaks += 1;
    }
    sortAscending(this.#breakKey, this.#breakEntry, this.#breaks);
    return most;
  }

  /** How many entries are cheaper than the shadow price: the first ones. */
  #cheaper(): number {
    const { orders, candidates } = this.#task;
    const { columns } = orders;
    const { lambda } = this.#relaxation;
    let cheaper = 0;
    while (cheaper < candidates && columns.price[cheaper]! < lambda) cheaper += 1;
    return cheaper;
  }

  /** By how much the bound with a break item is beyond what is needed; negative: it is not. */
  #slackOf(entry: number): number {
    const { orders, sells, demand } = this.#task;
    const most = orders.columns.most[entry]!;
    if (most < 1) return Number.NEGATIVE_INFINITY;
    const gain = this.#relaxation.gainOf(entry);
    const { amount } = demand;
    const fills = Math.min(most, sells ? amount / orders.columns.price[entry]! : amount);
    const slack = this.#relaxation.profit + (gain > 0 ? gain * fills : gain) - this.#needed;
    if (this.#relaxation.isClass(entry))
      return slack - Math.max(0, this.#relaxation.reduced[entry]!);
    const group = orders.columns.group[entry]!;
    if (group === UNCONSTRAINED || slack < 0) return slack;
    return this.#relaxation.profit - this.#needed + this.#makerSlackOf(entry, group);
  }

  /** What a maker whose order is the break item profits beyond its best choice. */
  #makerSlackOf(entry: number, maker: number): number {
    const relaxation = this.#relaxation;
    const { lambda } = relaxation;
    if (this.#makerSlackAt[entry] !== lambda) {
      this.#makerSlackAt[entry] = lambda;
      this.#makerSlack[entry] = relaxation.bestWithBreak(maker, entry) - relaxation.bestOf[maker]!;
    }
    return this.#makerSlack[entry]!;
  }

  /** Tries the selections with a break item. */
  #branch(entry: number): void {
    // The incumbent may be better by now.
    if (!(this.#slackOf(entry) >= 0)) return;
    const { columns } = this.#task.orders;
    const relaxation = this.#relaxation;
    const group = columns.group[entry]!;
    const isChoice = group !== UNCONSTRAINED && !relaxation.isClass(entry);
    this.#item = this.#one;
    this.#item[0] = entry;
    this.#items = 1;
    this.#maker = group;
    this.#fixed = this.#core.placeOf(isChoice ? -1 - group : entry);
    if (isChoice) {
      this.#branchMaker(group);
      return;
    }
    this.#setFront(columns.budget[entry]!);
    const isIn = this.selection.isIn[entry] === 1;
    this.#profit[0] = relaxation.profit - (isIn ? relaxation.reduced[entry]! : 0);
    this.#got[0] = relaxation.got - (isIn ? columns.amount[entry]! : 0);
    this.#paid[0] = relaxation.paid - (isIn ? columns.cost[entry]! : 0);
    for (let pair = 0; this.#hasPairs && pair < PAIRS; pair += 1) {
      const own = isIn
        ? this.#profitOf(pair, group, columns.amount[entry]!, columns.cost[entry]!, 1)
        : 0;
      this.#profits[pair] = this.#pairs.relaxed[pair]! - own;
    }
    if (isIn) relaxation.flip(entry);
    this.#varyAll(relaxation.count - (isIn ? 1 : 0));
    if (isIn) relaxation.flip(entry);
  }

  /** Tries the selections with one of the break items at hand. */
  #branchItems(): void {
    const relaxation = this.#relaxation;
    this.#maker = UNCONSTRAINED;
    // Of several each may change; what is whole is then no break item.
    this.#fixed = this.#items === 1 ? this.#core.placeOf(this.#item[0]!) : -1;
    this.#setFront(Number.POSITIVE_INFINITY);
    this.#profit[0] = relaxation.profit;
    this.#got[0] = relaxation.got;
    this.#paid[0] = relaxation.paid;
    this.#profits.set(this.#pairs.relaxed);
    this.#varyAll(relaxation.count);
  }

  /** What orders of a maker (or UNCONSTRAINED) profit at a side pair. */
  #profitOf(pair: number, maker: number, got: number, paid: number, size: number): number {
    const { lambda, mu } = this.#pairs;
    const nu = maker === UNCONSTRAINED ? 0 : this.#relaxation.nu[maker]!;
    return got * (lambda[pair]! - nu) - paid - size * mu[pair]!;
  }

  /** `budget`: at least what their maker has for them. */
  #setFront(budget: number): void {
    const { orders, sells } = this.#task;
    const { price, most } = orders.columns;
    this.#front = 0;
    let largest = 0;
    for (let place = 0; place < this.#items; place += 1) {
      const entry = this.#item[place]!;
      const unit = sells ? price[entry]! : 1;
      const uses = Math.min(most[entry]!, budget) * unit;
      if (uses <= largest) continue;
      largest = uses;
      this.#frontGain[this.#front] = this.#relaxation.gainOf(entry) / unit;
      this.#frontLeast[this.#front] = unit;
      this.#frontMost[this.#front] = uses;
      this.#frontPlace[this.#front] = place;
      this.#front += 1;
    }
  }

  /** The break item's maker chooses anew which of its other orders to fill. */
  #branchMaker(maker: number): void {
    const relaxation = this.#relaxation;
    const { choices } = relaxation;
    const { columns } = this.#task.orders;
    const entry = this.#item[0]!;
    const kept = relaxation.choiceOf[maker]!;
    const rest = relaxation.profit - relaxation.choiceProfit(maker, kept);
    relaxation.toggle(maker, kept, 0);
    for (let choice = choices.first[maker]!; choice < choices.first[maker + 1]!; choice += 1) {
      if (this.#isOut()) break;
      if (rest + relaxation.profitWithBreak(maker, choice, entry) < this.#needed) continue;
      this.#setFront(columns.budget[entry]! - choices.got[choice]!);
      if (this.#front === 0) continue;
      this.#profit[0] = rest + relaxation.choiceProfit(maker, choice);
      this.#got[0] = relaxation.got - choices.got[kept]! + choices.got[choice]!;
      this.#paid[0] = relaxation.paid - choices.paid[kept]! + choices.paid[choice]!;
      for (let pair = 0; this.#hasPairs && pair < PAIRS; pair += 1) {
        const got = choices.got[choice]! - choices.got[kept]!;
        const paid = choices.paid[choice]! - choices.paid[kept]!;
        const size = choices.size[choice]! - choices.size[kept]!;
        this.#profits[pair] =
          this.#pairs.relaxed[pair]! + this.#profitOf(pair, maker, got, paid, size);
      }
      relaxation.toggle(maker, choice, 1);
      this.#varyAll(relaxation.count - choices.size[kept]! + choices.size[choice]!);
      relaxation.toggle(maker, choice, 0);
    }
    relaxation.toggle(maker, kept, 1);
  }

  #isOut(): boolean {
    if (this.#nodesLeft >= this.#passEnd) return false;
    this.#isCut = true;
    return true;
  }

  #varyAll(count: number): void {
    if (this.#relaxation.overdrawn > 0 && !this.#core.canRecover(0)) return;
    if (this.#isUseful(0, 0, count)) this.#vary(0, 0, count);
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
    if (count <= this.#whole && relaxation.overdrawn === 0) {
      if (this.#items === 1) this.#complete(got, paid, count);
      else this.#completeBest(own, got, paid, count);
    }
    if (depth === DEPTH_MAX) {
      this.#isCut = true;
      return;
    }
    for (let place = from; place < core.count; place += 1) {
      if (most - core.loss[place]! < this.#needed) {
        place = core.nextSize[place]! - 1;
        continue;
      }
      if (place === this.#fixed) continue;
      if (core.isTwin[place] === 1 && place > from && place - 1 !== this.#fixed) continue;
      const first = core.from[place]!;
      const end = first + core.size[place]!;
      for (let at = first; at < end; at += 1) {
        const loss = core.altLoss[at]!;
        if (most - loss < this.#needed) break;
        const size = count + core.altSize[at]!;
        if (size - core.canEmpty[place + 1]! > this.#whole) continue;
        this.#profit[depth + 1] = own - loss;
        this.#got[depth + 1] = got + core.altGot[at]!;
        this.#paid[depth + 1] = paid + core.altPaid[at]!;
        for (let pair = 0; this.#hasPairs && pair < PAIRS; pair += 1) {
          const next = this.#pairs.altProfit[at * PAIRS + pair]!;
          this.#profits[(depth + 1) * PAIRS + pair] = this.#profits[depth * PAIRS + pair]! + next;
        }
        if (!this.#isUseful(depth + 1, place + 1, size)) continue;
        const owner = core.owner[place]!;
        this.#change(owner, at, false);
        if (relaxation.overdrawn === 0 || core.canRecover(place + 1)) {
          this.#vary(depth + 1, place + 1, size);
        }
        this.#change(owner, at, true);
        if (this.#isOut()) return;
      }
    }
  }

  /** Whether a selection may beat the incumbent once classes from a place on change. */
  #isUseful(depth: number, from: number, count: number): boolean {
    this.#nodesLeft -= (BOUNDS_MIN + this.#front) / NODE_BOUNDS;
    if (!this.#canFit(depth, from, count)) return false;
    const profit = this.#profit[depth]!;
    if (profit + this.#breakProfit(depth, from, count) < this.#needed) {
      if (profit + this.#unsold >= this.#needed) {
        this.#notePart(this.#valueAt(this.#relaxation.lambda, profit + this.#unsold) * UP);
      }
      return false;
    }
    return !this.#hasPairs || this.#isHopeful(depth, from, count);
  }

  /** Whether each side pair's bound is beyond what is needed. */
  #isHopeful(depth: number, from: number, count: number): boolean {
    const { sells, demand, priceMax } = this.#task;
    const { lambda, gainFrom } = this.#pairs;
    const error = demand.amount * 2 ** -46;
    const rest = demand.amount - (sells ? this.#paid[depth]! : this.#got[depth]!) + error;
    const most = rest + this.#core.canDrop[from]!;
    const least = rest - 2 * error - this.#canAdd(from, count);
    const first = this.#relaxation.lambda;
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const rise = lambda[pair]! - first;
      let broken = Number.NEGATIVE_INFINITY;
      for (let at = 0; at < this.#front; at += 1) {
        const unit = this.#frontLeast[at]!;
        const gain = this.#frontGain[at]! + (sells ? rise / unit : rise);
        const end = this.#frontMost[at]! + error;
        const uses =
          gain > 0
            ? Math.min(end, most)
            : Math.max(unit, Math.min(end, least - (sells ? priceMax + Math.max(unit, 1) : 0)));
        if (gain * uses > broken) broken = gain * uses;
      }
      const profit = this.#profits[depth * PAIRS + pair]! + gainFrom[from * PAIRS + pair]!;
      if (profit + broken < this.#neededOf[pair]!) return false;
    }
    return true;
  }

  /** With the only break item. */
  #complete(got: number, paid: number, count: number): void {
    const { makerGot, makerPaid } = this.#relaxation;
    const { columns } = this.#task.orders;
    const entry = this.#item[0]!;
    const maker = this.#maker;
    const budget = columns.budget[entry]! - (maker === UNCONSTRAINED ? 0 : makerGot[maker]!);
    const headroom = columns.headroom[entry]! - (maker === UNCONSTRAINED ? 0 : makerPaid[maker]!);
    const most = Math.min(columns.most[entry]!, budget);
    this.#completeWith(entry, most, headroom, got, paid, count);
  }

  /** With the cheapest of the break items that can take what is left. */
  #completeBest(profit: number, got: number, paid: number, count: number): void {
    const { orders, sells, demand, priceMax } = this.#task;
    const { columns } = orders;
    const { lambda } = this.#relaxation;
    const { isIn } = this.selection;
    const rest = demand.amount - (sells ? paid : got);
    const least = rest - demand.amount * 2 ** -46 - (sells ? priceMax + 1 : 0);
    let front = 0;
    for (; front < this.#front && this.#frontMost[front]! < least; front += 1) {
      // Nor is any of those that this one stands for.
      if (sells) this.#notePart(got + columns.most[this.#item[this.#frontPlace[front]!]!]!);
    }
    // None before it is as large.
    let place = front < this.#front ? this.#frontPlace[front]! : this.#items;
    for (; place < this.#items; place += 1) {
      this.#nodesLeft -= 1 / NODE_ITEMS;
      const entry = this.#item[place]!;
      const price = columns.price[entry]!;
      const most = columns.most[entry]!;
      // The dearer, the less there is to gain.
      const part = sells ? Math.max(least / price, 1) : rest;
      if (price > lambda && profit + (lambda - price) * part < this.#needed) return;
      if (isIn[entry] === 1) continue;
      if (least > (sells ? most * price : most)) {
        if (sells) this.#notePart(got + most);
        continue;
      }
      const isBetter = this.#completeWith(entry, most, columns.headroom[entry]!, got, paid, count);
      // A dearer one gets no more, unless a part stays unsold.
      if (isBetter && (!sells || rest <= most * price)) return;
    }
  }

  #completeWith(
    entry: number,
    most: number,
    headroom: number,
    got: number,
    paid: number,
    count: number,
  ): boolean {
    const { selection } = this;
    const isBetter = selection.complete(entry, most, headroom, got, paid, count);
    if (isBetter) this.#updateWanted();
    if (selection.exactNodes > 0) {
      this.#nodesLeft -= selection.exactNodes;
      selection.exactNodes = 0;
    }
    return isBetter;
  }

  /** Puts an alternative of a class in the place of the relaxed solution's choice, or back. */
  #change(owner: number, alternative: number, isBack: boolean): void {
    const relaxation = this.#relaxation;
    if (owner >= 0) {
      relaxation.flip(owner);
      return;
    }
    const kept = relaxation.choiceOf[-1 - owner]!;
    const other = this.#core.altChoice[alternative]!;
    relaxation.toggle(-1 - owner, isBack ? other : kept, 0);
    relaxation.toggle(-1 - owner, isBack ? kept : other, 1);
  }

  /** What classes from a place on can still use, within the slots. */
  #canAdd(from: number, count: number): number {
    const core = this.#core;
    const slots = this.#whole - count + core.canEmpty[from]!;
    return Math.min(core.canAdd[from]!, core.canSwap[from]! + slots * core.addMost[from]!);
  }

  /**
   * At most what a break item profits once classes from a place on change, less what those lose that
   * must change for it: a relaxation in which they change in part, at the least that a unit loses.
   * Leaves in `#breakMost` what it profits without regard to that, and in `#unsold` what it does where a part
   * of the amount stays unsold because nothing else is there to be filled.
   */
  #breakProfit(depth: number, from: number, count: number): number {
    const { sells, demand, priceMax } = this.#task;
    const core = this.#core;
    const error = demand.amount * 2 ** -46;
    const rest = demand.amount - (sells ? this.#paid[depth]! : this.#got[depth]!) + error;
    const canAdd = this.#canAdd(from, count);
    const canDrop = core.canDrop[from]!;
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
    for (let at = 0; at < this.#front; at += 1) {
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

  /** SELL: what a smaller amount could get. */
  #notePart(value: number): void {
    if (value > this.selection.partMost) this.selection.partMost = value;
  }

  /**
   * Whether a break item can take what is left once classes from a place on change. Notes what a
   * smaller amount could get where none can.
   */
  #canFit(depth: number, from: number, count: number): boolean {
    const { sells, demand, priceMax } = this.#task;
    const { amount } = demand;
    const core = this.#core;
    if (count - core.canEmpty[from]! > this.#whole || this.#front === 0) return false;
    const error = amount * 2 ** -46;
    const rest = amount - (sells ? this.#paid[depth]! : this.#got[depth]!);
    const most = this.#frontMost[this.#front - 1]!;
    if (rest + core.canDrop[from]! < this.#frontLeast[0]! * (1 - 2 ** -48) - error) return false;
    const canAdd = this.#canAdd(from, count);
    if (!sells) return rest - canAdd <= most + error;
    const usable = (amount - rest + canAdd + most + 1) * (1 + 2 ** -48);
    if (amount - usable < priceMax + error) return true;
    // Nothing here settles, but a smaller amount might.
    let profit = 0;
    for (let at = 0; at < this.#front; at += 1) {
      profit = Math.max(profit, this.#frontGain[at]! * Math.min(this.#frontMost[at]!, amount));
    }
    this.#notePart(Math.floor((usable + this.#profit[depth]! + profit) / this.#relaxation.lambda));
    return false;
  }
}

/** The largest break items first, by powers of four: what they find leaves less to try for the others. */
function breakKey(size: number, slack: number): number {
  const part = slack === Number.POSITIVE_INFINITY ? 1 : slack / (slack + size);
  return -2 * Math.floor(Math.log2(size) / 2) - part;
}
