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
// Search. Any listing differs from the base by orders put in or left out, each of which loses
// something; one that beats the best known listing loses less than the base has to spare. Little is
// to spare, so few sets of such changes are left to try, with each order as the last one.
//
// Allocates nothing. A node is some 50 ns; `nodesMax` bounds them.
import { ALONE, CANDIDATES_MAX, entryCost, entryOutput, type HopColumns } from "./hop-columns.ts";
import { MakerSubsets, NO_LAST } from "./maker-subsets.ts";

export const SELL = 0;
export const BUY = 1;
export type HopDirection = typeof SELL | typeof BUY;

/** A hop's orders: a block of the columns. `words` holds exact prices (see hop-columns.ts). */
export type HopOrders = {
  columns: HopColumns;
  start: number;
  count: number;
  groups: number;
  words: BigUint64Array;
};

export type HopDemand = {
  direction: HopDirection;
  /** SELL: what is paid, all of it but less than one unit's worth. BUY: what is got, exactly. */
  amount: number;
  ordersMax: number;
  /** SELL: the answer must get less than this. Infinity: no bound. */
  below: number;
  /** 0: the plain listing, best price first, will do where it can be made. */
  nodesMax: number;
};

/** Orders that a listing can hold at most, here and in the scratch below. */
const PLACES_MAX = 32;
/** With few nodes to spend only the changes that lose least are worth listing. */
const FEW_NODES = 64;
const FEW_CHANGES = 24;
/** Steps to find the choices of one maker (a guess). */
const STEPS_MAX = 4096;
/** Times the charge for a place is adjusted to makers who cannot use theirs. */
const CHARGES_MAX = 3;

export class HopSearch {
  // The answer.
  /** SELL: what the listing gets; BUY: what it costs. Means nothing where `solve` said false. */
  value = 0;
  /** Entries (relative to the block) in listing order: the first `count`; the last maybe in part. */
  readonly list = new Int32Array(PLACES_MAX);
  count = 0;
  /**
   * SELL: at least as much as any listing could get of this or any smaller amount, were it free to
   * leave a part of the amount unsold. Where it is `value`, paying less cannot get more.
   */
  free = 0;
  /** False where the search was cut short: a better listing may exist. */
  complete = true;
  /** The price at which the last order was looked for: what one unit more costs, or nearly. */
  level = 0;
  /** What the search took, in steps of some 50 ns. */
  work = 0;

  // The task.
  #columns!: HopColumns;
  #words!: BigUint64Array;
  #start = 0;
  #groups = 0;
  #direction: HopDirection = SELL;
  #amount = 0;
  /** Places for whole orders: one less than may be listed. */
  #places = 0;
  #below = 0;
  #nodesLeft = 0;
  /** Entries that can be filled at all: the first ones. */
  #candidates = 0;
  #priceMax = 0;

  // The bound.
  #charge = 0;
  #found = false;
  /** The plain listing is being made: there are no choices of groups yet. */
  #isPlain = true;
  /** Only the base and the best choices are tried. */
  #isProbe = true;
  /** What a listing must save to beat the best one known. */
  #needed = 0;
  /** What the base saves, all places used. */
  #baseSaved = 0;

  // The base: orders of makers on their own, and by group what its best choice saves.
  readonly #base = new Int32Array(CANDIDATES_MAX);
  #baseCount = 0;
  #baseGot = 0;
  #basePaid = 0;
  readonly #isIn = new Uint8Array(CANDIDATES_MAX);
  readonly #groupBest = new Float64Array(CANDIDATES_MAX);
  /** By group: its choices that may beat the best listing, and the one taken in the branch. */
  readonly #choiceFrom = new Int32Array(CANDIDATES_MAX);
  readonly #choiceCount = new Int32Array(CANDIDATES_MAX);
  readonly #chosen = new Int32Array(CANDIDATES_MAX);
  readonly #subsets = new MakerSubsets();

  // The changes: orders on their own to be put in or left out, by what that loses.
  readonly #change = new Int32Array(CANDIDATES_MAX);
  readonly #loss = new Float64Array(CANDIDATES_MAX);
  #changes = 0;
  #changesMax = 0;
  /** What the changes from i on can put in or leave out, in what the direction uses up. */
  readonly #canAdd = new Float64Array(CANDIDATES_MAX + 1);
  readonly #canDrop = new Float64Array(CANDIDATES_MAX + 1);
  /** How many of them leave one out. */
  readonly #drops = new Int32Array(CANDIDATES_MAX + 1);
  /** Least and most that the choices of all groups use up. */
  #choicesLeast = 0;
  #choicesMost = 0;

  // The branch.
  #last = 0;
  #lastMost = 0;
  #lastBudget = 0;
  #lastRoom = 0;
  readonly #added = new Int32Array(PLACES_MAX);
  #addedCount = 0;

  // Scratch: what makers have left in the plain listing; the largest values of a pass.
  readonly #budgetLeft = new Float64Array(CANDIDATES_MAX);
  readonly #roomLeft = new Float64Array(CANDIDATES_MAX);
  readonly #top = new Float64Array(2 * PLACES_MAX);
  readonly #topEntry = new Int32Array(2 * PLACES_MAX);

  /** False where no listing settles (or, with `complete` false, none was found). */
  solve(orders: HopOrders, demand: HopDemand): boolean {
    this.#begin(orders, demand);
    if (this.#candidates === 0 || demand.ordersMax < 1 || !this.#isEnoughInAll()) return false;
    this.#isPlain = true;
    const plain = this.#listPlain();
    if (this.#isCheapestAlone(plain)) return true;
    if (plain >= 0 && demand.nodesMax === 0) {
      for (let at = 0; at < this.#baseCount; at += 1) this.#isIn[this.#base[at]!] = 0;
      this.level = this.#columns.price[this.#start + plain]!;
      this.complete = false;
      return this.#found;
    }
    this.#isPlain = false;
    const last = plain >= 0 ? plain : this.#findLevel(-1 - plain);
    this.#subsets.steps = 0;
    this.#subsets.stepsMax = Math.min(STEPS_MAX, demand.nodesMax);
    this.level = this.#columns.price[this.#start + last]!;
    this.#setNeeded();
    this.#layBase();
    this.#search(last);
    for (let at = 0; at < this.#baseCount; at += 1) this.#isIn[this.#base[at]!] = 0;
    if (this.free < this.value) this.free = this.value;
    this.work += this.#candidates + this.#subsets.steps / 2;
    this.work += demand.nodesMax - Math.max(0, this.#nodesLeft);
    return this.#found;
  }

  #begin(orders: HopOrders, demand: HopDemand): void {
    this.#columns = orders.columns;
    this.#words = orders.words;
    this.#start = orders.start;
    this.#groups = orders.groups;
    this.#direction = demand.direction;
    this.#amount = demand.amount;
    this.#below = demand.below;
    this.#places = Math.min(demand.ordersMax, PLACES_MAX) - 1;
    this.#nodesLeft = demand.nodesMax;
    this.#changesMax = demand.nodesMax <= FEW_NODES ? FEW_CHANGES : CANDIDATES_MAX;
    this.complete = true;
    this.work = 2 + orders.count / 16;
    this.level = 0;
    this.#found = false;
    this.count = 0;
    this.free = 0;
    this.value = demand.direction === SELL ? 0 : Number.POSITIVE_INFINITY;
    this.#needed = Number.NEGATIVE_INFINITY;
    this.#addedCount = 0;
    this.#baseCount = 0;
    this.#candidates = this.#countCandidates(orders.count);
    this.#priceMax =
      this.#candidates === 0 ? 0 : this.#columns.price[this.#start + this.#candidates - 1]!;
  }

  /** SELL: an order whose unit costs more than all that is paid cannot be filled. */
  #countCandidates(count: number): number {
    if (this.#direction === BUY) return count;
    const price = this.#columns.price;
    let low = this.#start;
    let high = low + count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (price[middle]! <= this.#amount) low = middle + 1;
      else high = middle;
    }
    return low - this.#start;
  }

  /** False where even the largest orders cannot use up the amount. */
  #isEnoughInAll(): boolean {
    const { most, price } = this.#columns;
    const top = this.#top;
    const places = this.#places + 1;
    const sells = this.#direction === SELL;
    let held = 0;
    let used = 0;
    for (let at = this.#start; at < this.#start + this.#candidates; at += 1) {
      // Rounding adds less than a unit to each payment.
      const absorbs = sells ? most[at]! * price[at]! + 1 : most[at]!;
      if (held < places) {
        used += absorbs;
        held += 1;
        insert(top, held, absorbs);
      } else if (absorbs > top[held - 1]!) {
        used += absorbs - top[held - 1]!;
        insert(top, held, absorbs);
      }
      const reached = sells
        ? used * (1 + 2 ** -48) + this.#priceMax > this.#amount
        : used >= this.#amount;
      if (reached) return true;
    }
    if (sells) this.free = this.#mostGotOfTop();
    return false;
  }

  /** The largest amounts that the places can get in all. */
  #mostGotOfTop(): number {
    const { most } = this.#columns;
    const places = this.#places + 1;
    let held = 0;
    let got = 0;
    for (let at = this.#start; at < this.#start + this.#candidates; at += 1) {
      if (held < places) {
        got += most[at]!;
        held += 1;
      } else if (most[at]! > this.#top[held - 1]!) {
        got += most[at]! - this.#top[held - 1]!;
      } else continue;
      insert(this.#top, held, most[at]!);
    }
    return got;
  }

  /**
   * The plain listing: best price first. Returns the entry filled last, or -1 - n where the amount
   * was not used up or the entry n found no place.
   */
  #listPlain(): number {
    const { amount, cost, group } = this.#columns;
    for (let at = 0; at < this.#groups; at += 1) this.#budgetLeft[at] = -1;
    let got = 0;
    let paid = 0;
    for (let entry = 0; entry < this.#candidates; entry += 1) {
      const at = this.#start + entry;
      this.#setLast(entry);
      const maker = group[at]!;
      if (maker !== ALONE) {
        if (this.#budgetLeft[maker] === -1) {
          this.#budgetLeft[maker] = this.#lastBudget;
          this.#roomLeft[maker] = this.#lastRoom;
        }
        this.#lastBudget = this.#budgetLeft[maker]!;
        this.#lastRoom = this.#roomLeft[maker]!;
      }
      if (this.#tryLast(got, paid, this.#baseCount)) {
        const goesOn =
          this.#direction === SELL
            ? this.#amount - paid > cost[at]!
            : this.#amount - got > amount[at]!;
        if (!goesOn) return entry;
      }
      if (!this.#fitsWhole(at, got, paid)) continue;
      if (this.#baseCount === this.#places) return -1 - entry;
      if (maker !== ALONE) {
        this.#budgetLeft[maker]! -= amount[at]!;
        this.#roomLeft[maker]! -= cost[at]!;
      }
      // The base serves as the list until it is laid.
      this.#base[this.#baseCount] = entry;
      this.#isIn[entry] = 1;
      this.#baseCount += 1;
      got += amount[at]!;
      paid += cost[at]!;
    }
    return -1;
  }

  #fitsWhole(at: number, got: number, paid: number): boolean {
    const { amount, cost, most } = this.#columns;
    if (most[at]! < amount[at]!) return false;
    if (
      this.#direction === SELL ? paid + cost[at]! > this.#amount : got + amount[at]! >= this.#amount
    ) {
      return false;
    }
    return this.#lastBudget >= amount[at]! && this.#lastRoom >= cost[at]!;
  }

  /** All at the best price there is, and a part of one order: nothing can be better. */
  #isCheapestAlone(last: number): boolean {
    if (last !== 0 || !this.#found) return false;
    // A whole order may have been rounded up to the amount.
    if (this.#direction === SELL && this.#amount >= this.#columns.cost[this.#start]!) return false;
    this.free = this.value;
    this.level = this.#columns.price[this.#start]!;
    return true;
  }

  /**
   * The order at whose price listing what saves most changes from too little to enough: the last
   * one, were orders divisible among each other. Orders before `from` are known to be too little.
   */
  #findLevel(from: number): number {
    let low = from;
    let high = this.#candidates - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isEnough(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Whether what saves most at the price of `last`, and all of `last`, use up the amount. */
  #isEnough(last: number): boolean {
    const { amount, cost, most, price } = this.#columns;
    const level = price[this.#start + last]!;
    const held = this.#topSavings(level, this.#places, last);
    const sells = this.#direction === SELL;
    let used = sells ? most[this.#start + last]! * level : most[this.#start + last]!;
    for (let place = 0; place < held; place += 1) {
      const at = this.#start + this.#topEntry[place]!;
      used += sells ? cost[at]! : amount[at]!;
    }
    return used >= this.#amount;
  }

  /** Puts the largest positive savings of whole orders but `last` in `#top`; returns how many. */
  #topSavings(level: number, places: number, last: number): number {
    const { amount, cost, most, price } = this.#columns;
    const top = this.#top;
    let held = 0;
    for (let entry = 0; entry < this.#candidates; entry += 1) {
      const at = this.#start + entry;
      if (price[at]! > level) break;
      if (most[at]! < amount[at]! || entry === last) continue;
      const saving = amount[at]! * level - cost[at]!;
      if (saving <= 0) continue;
      if (held < places) held += 1;
      else if (held === 0 || saving <= top[held - 1]!) continue;
      let place = held - 1;
      while (place > 0 && top[place - 1]! < saving) {
        top[place] = top[place - 1]!;
        this.#topEntry[place] = this.#topEntry[place - 1]!;
        place -= 1;
      }
      top[place] = saving;
      this.#topEntry[place] = entry;
    }
    return held;
  }

  /** Savings at the level that a listing one unit better has at least. */
  #setNeeded(): void {
    if (!this.#found) return;
    const { value } = this;
    // Beyond 2^53 one unit more is the same number.
    const unit = Math.max(1, value * 2 ** -50);
    const sells = this.#direction === SELL;
    const better = sells
      ? this.level * (value + unit) - this.#amount
      : this.#amount * this.level - (value - unit);
    const scale = sells ? this.#amount : this.#amount * this.level;
    // The rounding of some forty sums and products.
    this.#needed = better - (scale + this.level) * 2 ** -46;
  }

  /** Chooses the charge for a place and, with it, the orders that save most. */
  #layBase(): void {
    for (let at = 0; at < this.#baseCount; at += 1) this.#isIn[this.#base[at]!] = 0;
    let rank = this.#places;
    for (let round = 0; round < CHARGES_MAX; round += 1) {
      // The best order that finds no place sets the charge.
      const held = this.#topSavings(this.level, Math.min(rank + 1, 2 * PLACES_MAX), NO_LAST);
      this.#charge = held > rank ? this.#top[rank]! : 0;
      const orders = this.#sumBase();
      if (this.#charge === 0 || orders >= this.#places) break;
      rank += this.#places - orders;
      if (rank + 1 > 2 * PLACES_MAX) break;
    }
    for (let at = 0; at < this.#baseCount; at += 1) this.#isIn[this.#base[at]!] = 1;
  }

  /** Fills the base; returns how many orders save more than the charge, those of groups at most. */
  #sumBase(): number {
    const { amount, cost, group, most, price } = this.#columns;
    this.#baseCount = 0;
    this.#baseGot = 0;
    this.#basePaid = 0;
    this.#baseSaved = this.#places * this.#charge;
    this.#subsets.clear();
    for (let entry = 0; entry < this.#candidates; entry += 1) {
      const at = this.#start + entry;
      if (price[at]! > this.level) break;
      if (group[at] !== ALONE || most[at]! < amount[at]!) continue;
      const saving = amount[at]! * this.level - cost[at]! - this.#charge;
      if (saving <= 0) continue;
      this.#base[this.#baseCount] = entry;
      this.#baseCount += 1;
      this.#baseGot += amount[at]!;
      this.#basePaid += cost[at]!;
      this.#baseSaved += saving;
    }
    let orders = this.#baseCount;
    for (let maker = 0; maker < this.#groups; maker += 1) {
      this.#takeMaker(maker);
      this.#groupBest[maker] = this.#subsets.best();
      this.#baseSaved += this.#groupBest[maker]!;
      if (this.#charge > 0) orders += this.#subsets.bestSize;
    }
    return orders;
  }

  #takeMaker(maker: number): void {
    this.#subsets.take(
      this.#columns,
      this.#start,
      maker,
      this.level,
      this.#charge,
      this.#candidates,
    );
  }

  #search(first: number): void {
    // First the base as it is, with each order as the last one: what this finds leaves less to try.
    this.#isProbe = true;
    this.#changes = 0;
    this.#canAdd[0] = 0;
    this.#canDrop[0] = 0;
    this.#drops[0] = 0;
    this.#listChoices(0);
    this.#searchLasts(first);
    const spare = this.#baseSaved + this.#mostOfLasts() - this.#needed;
    if (spare < 0) return;
    this.#isProbe = false;
    this.#listChanges(spare);
    this.#listChoices(spare);
    if (!this.#subsets.complete) this.complete = false;
    this.#searchLasts(first);
  }

  #searchLasts(first: number): void {
    this.#searchLast(first);
    for (let entry = 0; entry < this.#candidates && this.#nodesLeft >= 0; entry += 1) {
      if (this.#isHopelessFrom(entry)) return;
      if (entry !== first) this.#searchLast(entry);
    }
  }

  /** The dearer the last order is above the level, the less it can add. */
  #isHopelessFrom(entry: number): boolean {
    const above = this.#columns.price[this.#start + entry]! - this.level;
    return above > 0 && this.#baseSaved - above < this.#needed;
  }

  /** The most that any last order can add to what the base saves. */
  #mostOfLasts(): number {
    let most = Number.NEGATIVE_INFINITY;
    for (let entry = 0; entry < this.#candidates; entry += 1) {
      if (this.#isHopelessFrom(entry)) break;
      let adds = this.#lastAdds(entry);
      if (adds <= most) continue;
      const maker = this.#columns.group[this.#start + entry]!;
      if (maker !== ALONE && adds > 0) {
        this.#setLast(entry);
        this.#takeMaker(maker);
        adds = this.#bestWithLast() - this.#groupBest[maker]!;
      }
      if (adds > most) most = adds;
    }
    return most;
  }

  /** What the maker at hand saves at most where one of its orders is the last one. */
  #bestWithLast(): number {
    const gain = this.level - this.#columns.price[this.#start + this.#last]!;
    this.#subsets.lastIs(this.#last, gain, this.#lastMost);
    return this.#subsets.best();
  }

  /** At most what `entry` as the last order adds to the base, which it may be part of. */
  #lastAdds(entry: number): number {
    const { amount, cost, group, most, price } = this.#columns;
    const at = this.#start + entry;
    // At least one unit is filled.
    if (price[at]! > this.level) return this.level - price[at]!;
    const wanted = this.#direction === SELL ? this.#amount / price[at]! : this.#amount;
    const gain = (this.level - price[at]!) * (most[at]! < wanted ? most[at]! : wanted);
    if (group[at] !== ALONE || this.#isIn[entry] === 0) return gain;
    return gain - (amount[at]! * this.level - cost[at]! - this.#charge);
  }

  /** The orders on their own whose putting in or leaving out loses at most `spare`. */
  #listChanges(spare: number): void {
    const { amount, cost, group, most } = this.#columns;
    let changes = 0;
    for (let entry = 0; entry < this.#candidates; entry += 1) {
      const at = this.#start + entry;
      if (group[at] !== ALONE || most[at]! < amount[at]!) continue;
      const saving = amount[at]! * this.level - cost[at]! - this.#charge;
      const loss = saving < 0 ? -saving : saving;
      if (loss > spare) continue;
      changes = this.#keepChange(entry, loss, changes);
    }
    this.#changes = changes;
    if (this.#changesMax > FEW_CHANGES) sortAscending(this.#loss, this.#change, changes);
    this.#canAdd[changes] = 0;
    this.#canDrop[changes] = 0;
    this.#drops[changes] = 0;
    for (let place = changes - 1; place >= 0; place -= 1) {
      const entry = this.#change[place]!;
      const uses = this.#usedBy(this.#start + entry);
      const isIn = this.#isIn[entry] === 1;
      this.#canAdd[place] = this.#canAdd[place + 1]! + (isIn ? 0 : uses);
      this.#canDrop[place] = this.#canDrop[place + 1]! + (isIn ? uses : 0);
      this.#drops[place] = this.#drops[place + 1]! + (isIn ? 1 : 0);
    }
  }

  /** Adds a change to `changes` others; where there may be few, the least losses, in order. */
  #keepChange(entry: number, loss: number, changes: number): number {
    let place = changes;
    let kept = changes + 1;
    if (this.#changesMax === FEW_CHANGES) {
      if (changes === FEW_CHANGES) {
        this.complete = false;
        if (loss >= this.#loss[changes - 1]!) return changes;
        place -= 1;
        kept = changes;
      }
      while (place > 0 && this.#loss[place - 1]! > loss) {
        this.#loss[place] = this.#loss[place - 1]!;
        this.#change[place] = this.#change[place - 1]!;
        place -= 1;
      }
    }
    this.#loss[place] = loss;
    this.#change[place] = entry;
    return kept;
  }

  /** What a whole fill uses up of the amount. */
  #usedBy(at: number): number {
    return this.#direction === SELL ? this.#columns.cost[at]! : this.#columns.amount[at]!;
  }

  /** For each group the choices that lose at most `spare`. */
  #listChoices(spare: number): void {
    this.#choicesLeast = 0;
    this.#choicesMost = 0;
    this.#subsets.clear();
    for (let maker = 0; maker < this.#groups; maker += 1) {
      this.#takeMaker(maker);
      this.#choiceFrom[maker] = this.#subsets.count;
      this.#choiceCount[maker] = this.#subsets.list(this.#groupBest[maker]! - spare);
      this.#choicesLeast += this.#choiceUse(maker, false);
      this.#choicesMost += this.#choiceUse(maker, true);
    }
  }

  /** The least or the most that a choice of the group uses up. */
  #choiceUse(maker: number, most: boolean): number {
    const uses = this.#direction === SELL ? this.#subsets.paid : this.#subsets.got;
    const from = this.#choiceFrom[maker]!;
    let found = uses[from]!;
    for (let at = from + 1; at < from + this.#choiceCount[maker]!; at += 1) {
      if (most ? uses[at]! > found : uses[at]! < found) found = uses[at]!;
    }
    return found;
  }

  #searchLast(entry: number): void {
    const adds = this.#lastAdds(entry);
    if (this.#baseSaved + adds < this.#needed) return;
    const { amount, cost, group } = this.#columns;
    const at = this.#start + entry;
    this.#setLast(entry);
    const maker = group[at]!;
    if (maker !== ALONE) {
      this.#searchLastOfMaker(maker);
      return;
    }
    const isIn = this.#isIn[entry] === 1;
    const got = this.#baseGot - (isIn ? amount[at]! : 0);
    const paid = this.#basePaid - (isIn ? cost[at]! : 0);
    const used = this.#direction === SELL ? paid : got;
    const saved = this.#baseSaved + adds;
    if (!this.#canFit(used + this.#choicesLeast, used + this.#choicesMost, 0, saved)) return;
    if (isIn) this.#isIn[entry] = 0;
    this.#choose(0, saved, got, paid, this.#baseCount - (isIn ? 1 : 0));
    if (isIn) this.#isIn[entry] = 1;
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
    const spare = this.#isProbe ? 0 : saved - this.#needed;
    this.#choiceFrom[maker] = listed;
    this.#choiceCount[maker] = subsets.list(best - spare);
    this.#groupBest[maker] = best;
    this.#choose(0, saved, this.#baseGot, this.#basePaid, this.#baseCount);
    this.#choiceFrom[maker] = from;
    this.#choiceCount[maker] = count;
    this.#groupBest[maker] = baseBest;
    subsets.dropFrom(listed);
  }

  /** Tries the choices of the groups from `maker` on, then the changes. */
  #choose(maker: number, saved: number, got: number, paid: number, orders: number): void {
    this.#nodesLeft -= 1;
    if (this.#nodesLeft < 0) {
      this.complete = false;
      return;
    }
    if (maker === this.#groups) {
      this.#vary(0, saved, got, paid, orders);
      return;
    }
    const subsets = this.#subsets;
    const from = this.#choiceFrom[maker]!;
    const isOfLast = this.#columns.group[this.#start + this.#last] === maker;
    for (let at = from; at < from + this.#choiceCount[maker]!; at += 1) {
      const rest = saved - (this.#groupBest[maker]! - subsets.saved[at]!);
      if (rest < this.#needed) continue;
      this.#chosen[maker] = at;
      if (isOfLast) {
        this.#setLast(this.#last);
        this.#lastBudget -= subsets.got[at]!;
        this.#lastRoom -= subsets.paid[at]!;
      }
      this.#choose(
        maker + 1,
        rest,
        got + subsets.got[at]!,
        paid + subsets.paid[at]!,
        orders + subsets.size[at]!,
      );
      if (this.#nodesLeft < 0) return;
    }
  }

  /** The listings that hold what was changed so far and changes from `from` on. */
  #vary(from: number, saved: number, got: number, paid: number, orders: number): void {
    this.#nodesLeft -= 1;
    if (this.#nodesLeft < 0) {
      this.complete = false;
      return;
    }
    if (orders <= this.#places) this.#tryLast(got, paid, orders);
    if (orders - this.#drops[from]! > this.#places) return;
    const used = this.#direction === SELL ? paid : got;
    if (!this.#canFit(used, used, from, saved)) return;
    const { amount, cost } = this.#columns;
    for (let place = from; place < this.#changes; place += 1) {
      const rest = saved - this.#loss[place]!;
      if (rest < this.#needed) return;
      const entry = this.#change[place]!;
      if (entry === this.#last) continue;
      const at = this.#start + entry;
      const adds = this.#isIn[entry] === 0;
      if (adds) {
        const fits = orders + 1 - this.#drops[place + 1]! <= this.#places;
        if (!fits || this.#addedCount === PLACES_MAX) continue;
        this.#added[this.#addedCount] = entry;
        this.#addedCount += 1;
      }
      const sign = adds ? 1 : -1;
      this.#isIn[entry] = adds ? 1 : 0;
      this.#vary(place + 1, rest, got + sign * amount[at]!, paid + sign * cost[at]!, orders + sign);
      this.#isIn[entry] = adds ? 0 : 1;
      if (adds) this.#addedCount -= 1;
      if (this.#nodesLeft < 0) return;
    }
  }

  /**
   * Whether the last order can take what is left once `least` to `most` of the amount is used up
   * and changes from `from` on are made.
   */
  #canFit(least: number, most: number, from: number, saved: number): boolean {
    const usedLeast = least - this.#canDrop[from]!;
    const usedMost = most + this.#canAdd[from]!;
    if (this.#direction === BUY) {
      return this.#amount - usedLeast >= 1 && this.#amount - usedMost <= this.#lastMost;
    }
    const price = this.#columns.price[this.#start + this.#last]!;
    if (this.#amount - usedLeast < price * (1 - 2 ** -48)) return false;
    const usable = (usedMost + this.#lastMost * price + 1) * (1 + 2 ** -48);
    if (this.#amount - usable < this.#priceMax) return true;
    // Nothing here settles, but a smaller amount might.
    const free = Math.floor((usable + saved) / this.level);
    if (free > this.free) this.free = free;
    return false;
  }

  /** Makes `entry` the last order, with all that its maker has. */
  #setLast(entry: number): void {
    const at = this.#start + entry;
    this.#last = entry;
    this.#lastMost = this.#columns.most[at]!;
    this.#lastBudget = this.#columns.budget[at]!;
    this.#lastRoom = this.#columns.room[at]!;
  }

  /** Completes whole orders with the last one. True where that settles. */
  #tryLast(got: number, paid: number, orders: number): boolean {
    return this.#direction === SELL
      ? this.#tryLastSelling(got, paid, orders)
      : this.#tryLastBuying(got, paid, orders);
  }

  #tryLastSelling(got: number, paid: number, orders: number): boolean {
    const columns = this.#columns;
    const at = this.#start + this.#last;
    const left = this.#amount - paid;
    const price = columns.price[at]!;
    const cost = columns.cost[at]!;
    const most = this.#lastBudget < this.#lastMost ? this.#lastBudget : this.#lastMost;
    if (most < 1) return false;
    if (left >= cost) {
      const isCovered = most >= columns.amount[at]! && this.#lastRoom >= cost;
      const gets = isCovered ? columns.amount[at]! : most;
      if (got + gets > this.free) this.free = got + gets;
      // What stays unsold must be worth nothing at the highest price filled.
      if (!isCovered || left - cost >= this.#priceMax) return false;
      if (left - cost >= price && left - cost >= this.#priceMaxListed()) return false;
      return this.#offer(got + gets, orders);
    }
    const gets = entryOutput(columns, at, left, this.#words);
    if (gets < 1) return false;
    const isCovered =
      gets <= most &&
      (this.#lastRoom >= cost || entryCost(columns, at, gets, this.#words) <= this.#lastRoom);
    if (isCovered) return this.#offer(got + gets, orders);
    const free = got + (gets < most ? gets : most);
    if (free > this.free) this.free = free;
    return false;
  }

  #tryLastBuying(got: number, paid: number, orders: number): boolean {
    const columns = this.#columns;
    const at = this.#start + this.#last;
    const wanted = this.#amount - got;
    if (wanted < 1 || wanted > this.#lastMost || wanted > this.#lastBudget) return false;
    const cost =
      wanted === columns.amount[at]!
        ? columns.cost[at]!
        : entryCost(columns, at, wanted, this.#words);
    if (cost > this.#lastRoom) return false;
    return this.#offer(paid + cost, orders);
  }

  #offer(value: number, orders: number): boolean {
    if (this.#direction === SELL) {
      if (value > this.free) this.free = value;
      if (value >= this.#below) return false;
    }
    if (this.#found && (this.#direction === SELL ? value <= this.value : value >= this.value)) {
      return true;
    }
    this.#found = true;
    this.value = value;
    this.count = orders + 1;
    const listed = this.#writeWhole(this.list);
    this.list[listed] = this.#last;
    this.#setNeeded();
    return true;
  }

  /** Writes the whole orders of the branch to `to`; returns how many. */
  #writeWhole(to: Int32Array): number {
    let listed = 0;
    for (let at = 0; at < this.#baseCount; at += 1) {
      const entry = this.#base[at]!;
      if (this.#isIn[entry] === 1) to[listed++] = entry;
    }
    for (let at = 0; at < this.#addedCount; at += 1) to[listed++] = this.#added[at]!;
    if (this.#isPlain) return listed;
    for (let maker = 0; maker < this.#groups; maker += 1) {
      const choice = this.#chosen[maker]!;
      const from = this.#subsets.from[choice]!;
      for (let at = from; at < from + this.#subsets.size[choice]!; at += 1) {
        to[listed++] = this.#subsets.entries[at]!;
      }
    }
    return listed;
  }

  /** Highest price among the whole orders of the branch. */
  #priceMaxListed(): number {
    const listed = this.#writeWhole(this.#topEntry);
    let most = 0;
    for (let at = 0; at < listed; at += 1) {
      const price = this.#columns.price[this.#start + this.#topEntry[at]!]!;
      if (price > most) most = price;
    }
    return most;
  }
}

/** Puts `value` into the descending `values`, whose place `held - 1` is free. */
function insert(values: Float64Array, held: number, value: number): void {
  let place = held - 1;
  while (place > 0 && values[place - 1]! < value) {
    values[place] = values[place - 1]!;
    place -= 1;
  }
  values[place] = value;
}

/** Sorts both columns by `keys`, the smallest first. */
function sortAscending(keys: Float64Array, values: Int32Array, count: number): void {
  // Shell's gaps: no recursion, no allocation.
  for (let gap = gapBelow(count); gap > 0; gap = gapBelow(gap)) {
    for (let at = gap; at < count; at += 1) {
      const key = keys[at]!;
      const value = values[at]!;
      let place = at;
      while (place >= gap && keys[place - gap]! > key) {
        keys[place] = keys[place - gap]!;
        values[place] = values[place - gap]!;
        place -= gap;
      }
      keys[place] = key;
      values[place] = value;
    }
  }
}

/** Ciura's gaps, continued by 2.25. */
function gapBelow(count: number): number {
  if (count > 701) return Math.floor(count / 2.25);
  if (count > 301) return 301;
  if (count > 132) return 132;
  if (count > 57) return 57;
  if (count > 23) return 23;
  if (count > 10) return 10;
  if (count > 4) return 4;
  return count > 1 ? 1 : 0;
}
