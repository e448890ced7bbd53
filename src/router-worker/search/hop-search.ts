// Hot path: the best listing of one hop. Given what goes in (SELL) or must come out (BUY) and how
// many orders may be listed, finds the orders whose fills give most, or cost least.
//
// A listing that settles as planned fills all of its orders whole but the last one, which takes
// what is then left. So a listing is a set of whole orders and a last one.
//
// Bound. For a price level, an order filled whole saves `amount * level - cost` against buying at
// that level. With what a listing saves in all, SELL gets `(paid + saved) / level` at most and BUY
// costs `wanted * level - saved` at least. Which orders save most is plain: those that save more
// than the charge for a place (0 unless places are short), and of a maker with too little backing
// the choice `MakerSubsets` finds. This is the base; no listing saves more than it and the last
// order together.
//
// Search. First the base with each order as the last one. Then the rest: any listing differs from
// the base by orders put in or taken out, each of which loses something; one that beats the best
// known listing loses less than the base has to spare. Little is to spare, so few sets of such
// changes are left to try, with each order as the last one; those that lose little first. What is
// found where that is cut short is made better by exchanges of single orders (hop-swaps.ts).
//
// Allocates nothing. A node is some 50 ns; `nodesMax` bounds them for each level tried.

import { HopChanges } from "./hop-changes.ts";
import { ALONE, CANDIDATES_MAX } from "./hop-columns.ts";
import { HopDraft } from "./hop-draft.ts";
import { HopSwaps } from "./hop-swaps.ts";
import {
  type HopDemand,
  type HopOrders,
  HopTask,
  NONE_OUT,
  nextBetter,
  PLACES_MAX,
  SELL,
} from "./hop-task.ts";
import { LastReach } from "./last-reach.ts";
import { MakerSubsets } from "./maker-subsets.ts";
import { PlainListing } from "./plain-listing.ts";
import { SeenStates } from "./seen-states.ts";

/**
 * With so few nodes to spend only few changes are worth listing. With these most hops of the devnet's
 * large book are solved (measured, 2026-11).
 */
export const FEW_NODES = 384;
/** Nodes before states are kept: most searches end sooner. */
const NODES_PLAIN = 256;
/**
 * Steps to find the choices of one maker at once; and those of all makers for one level: so many,
 * and more with more nodes (guesses).
 */
const STEPS_MAX = 4096;
const STEPS_IN_ALL_MIN = 4096;
const STEPS_PER_NODE = 4;
/** Times a level is raised while no listing is found at all, and by how much (guesses). */
const RAISES_MAX = 4;
const RAISE_FACTOR = 8;
/** Times the charge for a place is adjusted to makers who cannot use theirs. */
const CHARGES_MAX = 3;

export class HopSearch {
  // The answer.
  /** SELL: what the listing gets; BUY: what it costs. Means nothing where `solve` said false. */
  value = 0;
  /** Entries (relative to the block) in listing order: the first `count`; the last maybe in part. */
  readonly list: Int32Array;
  count = 0;
  /**
   * SELL: at least as much as any listing could get of this or any smaller amount, were it free to
   * leave a part of the amount unsold, or less than the target. Where it is `value`, paying less
   * cannot get more.
   */
  free = 0;
  /** False where the search was cut short: a better listing, of use, may exist. */
  complete = true;
  /** What the search took, in steps of some 50 ns. */
  work = 0;

  readonly #task = new HopTask();
  readonly #subsets = new MakerSubsets();
  readonly #draft = new HopDraft(this.#task, this.#subsets);
  readonly #plain = new PlainListing(this.#task, this.#draft);
  readonly #changes = new HopChanges(this.#task, this.#draft);
  readonly #swaps = new HopSwaps(this.#task, this.#draft);
  readonly #reach = new LastReach(this.#task, this.#draft, this.#changes);
  readonly #seen = new SeenStates();
  #nodesLeft = 0;
  /** Fewer nodes left than this: states seen before are told apart. */
  #nodesPlain = 0;

  // The bound: the price level, and the charge for a place.
  #level = 0;
  #charge = 0;
  /** What a listing must save to beat the best one known, whose value is `#neededFor`. */
  #needed = 0;
  #neededFor = 0;
  /** What a listing saves at most. */
  #most = 0;
  /** What the base saves, all places used; and what its orders on their own get and cost. */
  #baseSaved = 0;
  #baseGot = 0;
  #basePaid = 0;

  // By group: what its best choice saves, and its choices that may beat the best listing.
  readonly #groupBest = new Float64Array(CANDIDATES_MAX);
  readonly #choiceFrom = new Int32Array(CANDIDATES_MAX);
  readonly #choiceCount = new Int32Array(CANDIDATES_MAX);
  /** Least and most that its choices use up, and those of all groups. */
  readonly #choiceLeast = new Float64Array(CANDIDATES_MAX);
  readonly #choiceMost = new Float64Array(CANDIDATES_MAX);
  #choicesLeast = 0;
  #choicesMost = 0;
  /** Only the base and the best choices are tried. */
  #isProbe = true;

  constructor() {
    this.list = this.#draft.list;
  }

  /** To be called for another request: what was asked before changes no answer. */
  beginRequest(): void {
    this.#task.forgetLevel();
  }

  /** False where no listing settles (or, with `complete` false, none was found). */
  solve(orders: HopOrders, demand: HopDemand): boolean {
    this.#task.begin(orders, demand);
    this.#draft.begin();
    this.complete = true;
    this.#level = 0;
    this.work = 2 + orders.count / 16;
    this.#run(demand);
    this.#draft.clearBase();
    const { found, value, count, free } = this.#draft;
    this.value = value;
    this.count = count;
    this.free = free < value ? value : free;
    return found;
  }

  #run(demand: HopDemand): void {
    const task = this.#task;
    if (task.candidates === 0 || demand.ordersMax < 1) return;
    if (!task.isEnoughInAll()) {
      if (task.direction === SELL) this.#draft.free = task.mostGotInAll();
      return;
    }
    const plain = this.#plain.list();
    if (plain >= 0) {
      this.#level = task.priceOf(plain);
      if (this.#plain.isBest(plain)) return;
    }
    if (demand.nodesMax === 0) {
      this.complete = false;
      return;
    }
    const last = plain >= 0 ? plain : task.findLevel(-1 - plain);
    this.#level = plain >= 0 ? task.priceOf(last) : task.levelFor(last);
    this.#draft.hasChoices = true;
    this.#searchAtLevel(last, demand.nodesMax);
    if (this.#draft.found || this.complete) return;
    if (this.#findLargest()) {
      this.#searchAtLevel(last, demand.nodesMax);
      return;
    }
    if (demand.nodesMax <= FEW_NODES) return;
    // Where few sets of orders use up the amount, size counts for more than the level says: the
    // level does not see that makers with several orders cannot fill them all.
    const nodes = Math.ceil(demand.nodesMax / RAISES_MAX);
    for (let raise = 0; raise < RAISES_MAX; raise += 1) {
      if (this.#draft.found || this.complete) return;
      this.#level *= RAISE_FACTOR;
      this.#searchAtLevel(last, nodes);
    }
  }

  /** A first listing where what is cheap led to none. */
  #findLargest(): boolean {
    const draft = this.#draft;
    draft.clearBase();
    draft.hasChoices = false;
    this.#plain.listLargest();
    draft.clearBase();
    draft.hasChoices = true;
    this.work += this.#task.candidates / 2;
    return draft.found;
  }

  /** `first` is tried as the last order before the others. */
  #searchAtLevel(first: number, nodesMax: number): void {
    this.complete = true;
    this.#nodesLeft = nodesMax;
    this.#nodesPlain = nodesMax - NODES_PLAIN;
    const stepsInAll = STEPS_IN_ALL_MIN + STEPS_PER_NODE * nodesMax;
    this.#subsets.stepsMax = Math.min(STEPS_MAX, nodesMax);
    this.#subsets.stepsLeft = stepsInAll;
    this.#subsets.isCut = false;
    this.#reach.level = this.#level;
    this.#neededFor = Number.NaN;
    this.#updateNeeded();
    this.#layBase();
    this.#search(first, nodesMax <= FEW_NODES);
    this.work += this.#task.candidates / 4 + stepsInAll - Math.max(0, this.#subsets.stepsLeft);
    this.work += nodesMax - Math.max(0, this.#nodesLeft);
  }

  /** Follows the best listing: what one that is a unit better saves at least. */
  #updateNeeded(): void {
    const { found, value } = this.#draft;
    if (value === this.#neededFor) return;
    this.#neededFor = value;
    this.#needed = Number.NEGATIVE_INFINITY;
    const { direction, amount, target } = this.#task;
    let wanted = target;
    if (found) {
      const next = nextBetter(direction, value);
      wanted = direction === SELL ? Math.max(target, next) : Math.min(target, next);
    }
    if (wanted === (direction === SELL ? 0 : Number.POSITIVE_INFINITY)) return;
    const paid = direction === SELL ? amount : amount * this.#level;
    const better = direction === SELL ? this.#level * wanted - amount : paid - wanted;
    // The rounding of some forty sums and products.
    const worth = direction === SELL ? this.#level * wanted : wanted;
    this.#needed = better - (paid + worth + this.#level) * 2 ** -46;
  }

  /** Chooses the charge for a place and, with it, the orders that save most. */
  #layBase(): void {
    const task = this.#task;
    let rank = task.places;
    for (let round = 0; round < CHARGES_MAX; round += 1) {
      // The best order that finds no place sets the charge.
      const held = task.topSavings(this.#level, Math.min(rank + 1, 2 * PLACES_MAX), NONE_OUT);
      this.#charge = held > rank ? task.top[rank]! : 0;
      this.#draft.clearBase();
      const orders = this.#sumBase();
      if (this.#charge === 0 || orders >= task.places) return;
      rank += task.places - orders;
      if (rank + 1 > 2 * PLACES_MAX) return;
    }
  }

  /** Fills the base; returns how many orders save more than the charge, those of groups at most. */
  #sumBase(): number {
    const task = this.#task;
    const { columns, start, candidates, groups, places } = task;
    const { amount, cost, group, price } = columns;
    this.#baseGot = 0;
    this.#basePaid = 0;
    this.#baseSaved = places * this.#charge;
    this.#subsets.clear();
    for (let entry = 0; entry < candidates; entry += 1) {
      const at = start + entry;
      if (price[at]! > this.#level) break;
      if (group[at] !== ALONE) continue;
      const saving = amount[at]! * this.#level - cost[at]! - this.#charge;
      if (saving <= 0 || !task.canBeWhole(entry)) continue;
      this.#draft.addToBase(entry);
      this.#baseGot += amount[at]!;
      this.#basePaid += cost[at]!;
      this.#baseSaved += saving;
    }
    let orders = this.#draft.baseCount;
    for (let maker = 0; maker < groups; maker += 1) {
      this.#groupBest[maker] = 0;
      if (this.#savesNothing(maker)) continue;
      this.#takeMaker(maker);
      this.#groupBest[maker] = this.#subsets.best();
      this.#baseSaved += this.#groupBest[maker]!;
      if (this.#charge > 0) orders += this.#subsets.bestSize;
    }
    return orders;
  }

  /** Whether even the maker's cheapest order is no cheaper than the level. */
  #savesNothing(maker: number): boolean {
    const { columns, start } = this.#task;
    return columns.price[start + columns.groupFirst[start + maker]!]! >= this.#level;
  }

  #takeMaker(maker: number): void {
    this.#subsets.take(this.#task, maker, this.#level, this.#charge);
  }

  #search(first: number, few: boolean): void {
    this.#most = this.#baseSaved + this.#mostOfLasts();
    if (this.#isProven()) return;
    // First the base as it is, with each order as the last one: what this finds leaves less to try.
    this.#isProbe = true;
    this.#changes.clear();
    this.#listChoices(0);
    this.#searchLasts(first);
    if (this.#isProven()) return;
    this.#isProbe = false;
    const spare = this.#most - this.#needed;
    this.#changes.collect(this.#level, this.#charge, spare, few);
    this.#listChoices(spare);
    this.#searchLasts(first);
    // Choices are listed anew for some last orders.
    if (!this.#subsets.complete || !this.#changes.complete) this.complete = false;
    if (this.complete) return;
    this.#swaps.improve(this.#level);
    this.work += this.#swaps.work;
  }

  /** Whether no listing saves what is needed. */
  #isProven(): boolean {
    if (this.#most >= this.#needed) return false;
    this.complete = !this.#subsets.isCut;
    return true;
  }

  #searchLasts(first: number): void {
    const task = this.#task;
    this.#searchLast(first);
    for (let at = 0; this.#nodesLeft >= 0; at += 1) {
      const entry = task.lastAt(at);
      if (entry < 0 || this.#isHopelessFrom(entry)) return;
      if (entry !== first) this.#searchLast(entry);
    }
  }

  /** The dearer the last order is above the level, the less it can add. */
  #isHopelessFrom(entry: number): boolean {
    const above = this.#task.priceOf(entry) - this.#level;
    return above > 0 && this.#baseSaved - above < this.#needed;
  }

  /** The most that any last order can add to what the base saves. */
  #mostOfLasts(): number {
    const task = this.#task;
    let most = Number.NEGATIVE_INFINITY;
    for (let at = 0; ; at += 1) {
      const entry = task.lastAt(at);
      if (entry < 0) break;
      let adds = this.#lastAdds(entry);
      if (adds <= most) {
        // Above the level each adds less than the one before.
        if (task.priceOf(entry) > this.#level) break;
        continue;
      }
      this.#draft.setLast(entry);
      const maker = this.#draft.lastGroup;
      if (maker !== ALONE && adds > 0) {
        this.#takeMaker(maker);
        adds = this.#bestWithLast() - this.#groupBest[maker]!;
      }
      if (adds > most) most = adds;
    }
    return most;
  }

  /** What the maker at hand saves at most where one of its orders is the last one. */
  #bestWithLast(): number {
    const { last, lastMost } = this.#draft;
    this.#subsets.lastIs(last, this.#level - this.#task.priceOf(last), lastMost);
    return this.#subsets.best();
  }

  /** At most what `entry` as the last order adds to the base, which it may be part of. */
  #lastAdds(entry: number): number {
    const { columns, start, direction, amount: demanded } = this.#task;
    const { amount, cost, group, most, price } = columns;
    const at = start + entry;
    // At least one unit is filled.
    if (price[at]! > this.#level) return this.#level - price[at]!;
    const wanted = direction === SELL ? demanded / price[at]! : demanded;
    const gain = (this.#level - price[at]!) * (most[at]! < wanted ? most[at]! : wanted);
    if (group[at] !== ALONE || this.#draft.isIn[entry] === 0) return gain;
    return gain - (amount[at]! * this.#level - cost[at]! - this.#charge);
  }

  /** For each group the choices that lose at most `spare`. */
  #listChoices(spare: number): void {
    this.#choicesLeast = 0;
    this.#choicesMost = 0;
    this.#subsets.clear();
    for (let maker = 0; maker < this.#task.groups; maker += 1) {
      this.#choiceFrom[maker] = this.#subsets.count;
      if (this.#isProbe && this.#savesNothing(maker)) {
        this.#choiceCount[maker] = this.#subsets.listNone();
      } else {
        this.#takeMaker(maker);
        this.#choiceCount[maker] = this.#subsets.list(this.#groupBest[maker]! - spare);
      }
      this.#measureChoices(maker);
      this.#choicesLeast += this.#choiceLeast[maker]!;
      this.#choicesMost += this.#choiceMost[maker]!;
    }
  }

  /** Notes the least and the most that a choice of the group uses up. */
  #measureChoices(maker: number): void {
    const uses = this.#task.direction === SELL ? this.#subsets.paid : this.#subsets.got;
    const from = this.#choiceFrom[maker]!;
    const count = this.#choiceCount[maker]!;
    let least = count === 0 ? 0 : Number.POSITIVE_INFINITY;
    let most = 0;
    for (let at = from; at < from + count; at += 1) {
      if (uses[at]! < least) least = uses[at]!;
      if (uses[at]! > most) most = uses[at]!;
    }
    this.#choiceLeast[maker] = least;
    this.#choiceMost[maker] = most;
  }

  #searchLast(entry: number): void {
    const saved = this.#baseSaved + this.#lastAdds(entry);
    if (saved < this.#needed) return;
    const { columns, start, direction } = this.#task;
    const draft = this.#draft;
    draft.setLast(entry);
    if (!draft.isLastAlone) {
      this.#searchLastOfMaker(draft.lastGroup);
      return;
    }
    const isIn = draft.isIn[entry] === 1;
    const got = this.#baseGot - (isIn ? columns.amount[start + entry]! : 0);
    const paid = this.#basePaid - (isIn ? columns.cost[start + entry]! : 0);
    const used = direction === SELL ? paid : got;
    const orders = draft.baseCount - (isIn ? 1 : 0);
    const least = used + this.#choicesLeast;
    if (!this.#reach.canFit(least, used + this.#choicesMost, 0, orders, saved)) return;
    if (isIn) draft.isIn[entry] = 0;
    this.#choose(0, saved, got, paid, orders, this.#choicesLeast, this.#choicesMost);
    if (isIn) draft.isIn[entry] = 1;
  }

  /** The last order's maker chooses anew which of its other orders to fill. */
  #searchLastOfMaker(maker: number): void {
    const subsets = this.#subsets;
    this.#takeMaker(maker);
    const best = this.#bestWithLast();
    const baseBest = this.#groupBest[maker]!;
    const saved = this.#baseSaved - baseBest + best;
    if (saved < this.#needed) return;
    const from = this.#choiceFrom[maker]!;
    const count = this.#choiceCount[maker]!;
    const listed = subsets.count;
    const choiceLeast = this.#choiceLeast[maker]!;
    const choiceMost = this.#choiceMost[maker]!;
    this.#choiceFrom[maker] = listed;
    this.#choiceCount[maker] = subsets.list(best - (this.#isProbe ? 0 : saved - this.#needed));
    this.#groupBest[maker] = best;
    this.#measureChoices(maker);
    const least = this.#choicesLeast - choiceLeast + this.#choiceLeast[maker]!;
    const most = this.#choicesMost - choiceMost + this.#choiceMost[maker]!;
    const { baseCount } = this.#draft;
    this.#choose(0, saved, this.#baseGot, this.#basePaid, baseCount, least, most);
    this.#choiceFrom[maker] = from;
    this.#choiceCount[maker] = count;
    this.#groupBest[maker] = baseBest;
    this.#choiceLeast[maker] = choiceLeast;
    this.#choiceMost[maker] = choiceMost;
    subsets.dropFrom(listed);
  }

  /** Counts a node. False, and the search is cut short, where it was one too many. */
  #hasNode(): boolean {
    this.#nodesLeft -= 1;
    if (this.#nodesLeft >= 0) return true;
    this.complete = false;
    return false;
  }

  /**
   * Tries the choices of the groups from `maker` on, which use up `least` to `most`, then the
   * changes.
   */
  #choose(
    maker: number,
    saved: number,
    got: number,
    paid: number,
    orders: number,
    least: number,
    most: number,
  ): void {
    if (!this.#hasNode()) return;
    if (maker === this.#task.groups) {
      this.#seen.clear();
      this.#reach.measure();
      this.#vary(0, saved, got, paid, orders);
      return;
    }
    const draft = this.#draft;
    const subsets = this.#subsets;
    const from = this.#choiceFrom[maker]!;
    const isOfLast = draft.lastGroup === maker;
    const leastAfter = least - this.#choiceLeast[maker]!;
    const mostAfter = most - this.#choiceMost[maker]!;
    for (let at = from; at < from + this.#choiceCount[maker]!; at += 1) {
      const rest = saved - (this.#groupBest[maker]! - subsets.saved[at]!);
      if (rest < this.#needed) continue;
      draft.chosen[maker] = at;
      if (isOfLast) {
        draft.setLast(draft.last);
        draft.lastBudget -= subsets.got[at]!;
        draft.lastRoom -= subsets.paid[at]!;
      }
      const gotAll = got + subsets.got[at]!;
      const paidAll = paid + subsets.paid[at]!;
      const ordersAll = orders + subsets.size[at]!;
      const used = this.#task.direction === SELL ? paidAll : gotAll;
      if (!this.#reach.canFit(used + leastAfter, used + mostAfter, 0, ordersAll, rest)) continue;
      this.#choose(maker + 1, rest, gotAll, paidAll, ordersAll, leastAfter, mostAfter);
      if (this.#nodesLeft < 0) return;
    }
  }

  /** The listings that hold what was changed so far and changes from `from` on. */
  #vary(from: number, saved: number, got: number, paid: number, orders: number): void {
    if (!this.#hasNode()) return;
    const { columns, start, direction, places } = this.#task;
    const draft = this.#draft;
    const changes = this.#changes;
    if (this.#nodesLeft < this.#nodesPlain && this.#wasSeen(from, orders, got, paid)) return;
    if (orders <= places && draft.complete(got, paid, orders)) this.#updateNeeded();
    if (orders - changes.drops[from]! > places) return;
    const used = direction === SELL ? paid : got;
    if (this.#reach.most(from, saved, used, orders) < this.#needed) return;
    if (!this.#reach.canFit(used, used, from, orders, saved)) return;
    for (let place = from; place < changes.count; place += 1) {
      const rest = saved - changes.loss[place]!;
      if (rest < this.#needed) return;
      const entry = changes.entry[place]!;
      if (entry === draft.last) continue;
      const sign = draft.isIn[entry] === 0 ? 1 : -1;
      if (sign > 0 && (draft.isFull || orders + 1 - changes.drops[place + 1]! > places)) continue;
      draft.flip(entry);
      const gotAll = got + sign * columns.amount[start + entry]!;
      const paidAll = paid + sign * columns.cost[start + entry]!;
      this.#vary(place + 1, rest, gotAll, paidAll, orders + sign);
      draft.unflip(entry);
      if (this.#nodesLeft < 0) return;
    }
  }

  /**
   * Whether the same amounts with as many orders were reached before at this place of the changes:
   * then what can follow was tried, with the same last order. Which orders they are matters in one
   * case only: the highest price among them says what may stay unsold.
   */
  #wasSeen(from: number, orders: number, got: number, paid: number): boolean {
    if (this.#draft.hasUnsold) return false;
    return this.#seen.has(from, orders, got, paid);
  }
}
