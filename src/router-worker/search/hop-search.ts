// Hot path: the best listing of one hop. Given what goes in (SELL) or must come out (BUY) and how
// many orders may be listed, finds the orders whose fills give most, or cost least.
//
// A listing that settles as planned fills all of its orders whole but the last one, which takes
// what is then left. So a listing is a set of whole orders and a last one. For a price level, an
// order filled whole saves `amount * level - cost` against buying at that level; no listing saves
// more than the largest savings add up to. That bounds every branch of the search: SELL gets at
// most `(paid + savings) / level`, BUY costs at least `wanted * level - savings`, for any level.
// The level is chosen so that the bound is close: the price of the order that ends up last.
//
// Allocates nothing. A node is some 20 ns; `nodesMax` bounds them.
import { ALONE, type HopProblem } from "./hop-problem.ts";

export const SELL = 0;
export const BUY = 1;
export type HopDirection = typeof SELL | typeof BUY;

export type HopDemand = {
  readonly direction: HopDirection;
  /** SELL: what is paid, all of it but less than one unit's worth. BUY: what is got, exactly. */
  readonly amount: number;
  readonly ordersMax: number;
  /** SELL: the answer must get less than this. Infinity: no bound. */
  readonly below: number;
  readonly nodesMax: number;
};

export class HopSearch {
  // The answer.
  /** SELL: what the listing gets; BUY: what it costs. Means nothing where `solve` said false. */
  value = 0;
  /** Candidates in listing order: the first `count` entries; the last one may be filled in part. */
  readonly list = new Int32Array(64);
  count = 0;
  /**
   * SELL: at least as much as any listing could get of this or any smaller amount, were it free to
   * leave a part of the amount unsold. Where it is `value`, paying less cannot get more.
   */
  free = 0;
  /** False where the search ran out of nodes: a better listing may exist. */
  complete = true;
  /** True where an order that is no candidate (`nextPrice` and dearer) could make it better. */
  truncated = false;

  // The search.
  #problem: HopProblem;
  #direction: HopDirection = SELL;
  #amount = 0;
  #slots = 0;
  #below = 0;
  #candidates = 0;
  #level = 0;
  /** Savings that a listing needs to beat the best one known. */
  #needed = 0;
  #found = false;
  #nodesLeft = 0;
  /** The last order being tried, its place in `#order` or -1, and the most that it can save. */
  #last = 0;
  #lastPlace = 0;
  #lastSaving = 0;
  /** The most that any listing of the candidates can save. */
  #mostSaved = 0;
  /** Highest price among the candidates. */
  #priceMax = 0;
  readonly #stack = new Int32Array(64);
  /** Candidates that can be filled whole, by saving, the largest first; and each one's place. */
  #order = new Int32Array(64);
  #place = new Int32Array(64);
  #saving = new Float64Array(64);
  #ordered = 0;
  /** Positive savings of the first i of `#order`. */
  #sum = new Float64Array(65);
  /** From i on: what whole fills can absorb of the amount in all, and each. */
  #absorbSum = new Float64Array(65);
  #absorbMax = new Float64Array(65);
  /** What makers with several orders have left. */
  #budget = new Float64Array(64);
  #room = new Float64Array(64);

  constructor(problem: HopProblem) {
    this.#problem = problem;
  }

  /** False where no listing settles (or, with `complete` false, none was found). */
  solve(problem: HopProblem, demand: HopDemand): boolean {
    this.#problem = problem;
    this.#direction = demand.direction;
    this.#amount = demand.amount;
    this.#below = demand.below;
    this.#slots = demand.ordersMax - 1;
    this.#nodesLeft = demand.nodesMax;
    this.complete = true;
    this.truncated = false;
    this.#found = false;
    this.count = 0;
    this.free = 0;
    this.value = demand.direction === SELL ? 0 : Number.POSITIVE_INFINITY;
    this.#needed = Number.NEGATIVE_INFINITY;
    this.#candidates = this.#countCandidates();
    if (demand.ordersMax < 1) return false;
    if (this.#candidates === 0) {
      this.truncated = this.#nextMatters();
      return false;
    }
    this.#reserve();
    this.#priceMax = problem.price[this.#candidates - 1]!;
    const greedy = this.#listCheapestFirst();
    if (this.#isCheapestAlone(greedy)) return true;
    const last = greedy >= 0 ? greedy : this.#findLevel();
    this.#level = problem.price[last]!;
    this.#setNeeded();
    this.#orderBySaving();
    this.#searchLasts(last);
    this.truncated = this.#nextMatters();
    if (this.free < this.value) this.free = this.value;
    return this.#found;
  }

  /** SELL: an order whose unit costs more than all that is paid cannot be filled. */
  #countCandidates(): number {
    const { price, count } = this.#problem;
    if (this.#direction === BUY) return count;
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (price[middle]! <= this.#amount) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Best price first, as long as orders can be listed. Returns the candidate that was filled last,
   * or -1 where the amount was not used up or orders had to be left out for want of slots.
   */
  #listCheapestFirst(): number {
    const problem = this.#problem;
    this.#resetMakers();
    const slots = this.#slots;
    let depth = 0;
    let gotSum = 0;
    let paidSum = 0;
    let priceMax = 0;
    let leftOut = false;
    for (let at = 0; at < this.#candidates; at += 1) {
      if (this.#tryLast(at, depth, gotSum, paidSum, priceMax)) {
        if (!this.#goesOnAfter(at, gotSum, paidSum)) return leftOut ? -1 : at;
      }
      if (!this.#fitsWhole(at, gotSum, paidSum)) continue;
      if (depth === slots) {
        leftOut = true;
        continue;
      }
      this.#take(at, -1);
      this.#stack[depth] = at;
      depth += 1;
      gotSum += problem.amount[at]!;
      paidSum += problem.cost[at]!;
      priceMax = problem.price[at]!;
    }
    return -1;
  }

  /** True where the amount is not used up by filling `at` on top of what was taken. */
  #goesOnAfter(at: number, got: number, paid: number): boolean {
    const problem = this.#problem;
    return this.#direction === SELL
      ? this.#amount - paid > problem.cost[at]!
      : this.#amount - got > problem.amount[at]!;
  }

  /** All at the best price there is, and a part of one order: nothing can be better. */
  #isCheapestAlone(last: number): boolean {
    if (last !== 0 || !this.#found) return false;
    // A whole order may have been rounded up to the amount.
    if (this.#direction === SELL && this.#amount >= this.#problem.cost[0]!) return false;
    this.free = this.value;
    return true;
  }

  #fitsWhole(at: number, got: number, paid: number): boolean {
    const problem = this.#problem;
    if (problem.whole[at] === 0) return false;
    if (this.#direction === SELL) {
      if (paid + problem.cost[at]! > this.#amount) return false;
    } else if (got + problem.amount[at]! >= this.#amount) return false;
    const maker = problem.maker[at]!;
    if (maker === ALONE) return true;
    return this.#budget[maker]! >= problem.amount[at]! && this.#room[maker]! >= problem.cost[at]!;
  }

  /** Takes a whole fill off what its maker has (sign -1), or gives it back (1). */
  #take(at: number, sign: number): void {
    const problem = this.#problem;
    const maker = problem.maker[at]!;
    if (maker === ALONE) return;
    this.#budget[maker]! += sign * problem.amount[at]!;
    this.#room[maker]! += sign * problem.cost[at]!;
  }

  #resetMakers(): void {
    const problem = this.#problem;
    for (let maker = 0; maker < problem.makers; maker += 1) {
      this.#budget[maker] = problem.budget[maker]!;
      this.#room[maker] = problem.room[maker]!;
    }
  }

  /**
   * Completes the `depth` whole orders of the stack with `last`. Keeps the listing where it is the
   * best one so far. True where it settles.
   */
  #tryLast(last: number, depth: number, got: number, paid: number, priceMax: number): boolean {
    return this.#direction === SELL
      ? this.#tryLastSelling(last, depth, got, paid, priceMax)
      : this.#tryLastBuying(last, depth, got, paid);
  }

  #tryLastSelling(
    last: number,
    depth: number,
    got: number,
    paid: number,
    priceMax: number,
  ): boolean {
    const problem = this.#problem;
    const left = this.#amount - paid;
    const maker = problem.maker[last]!;
    const price = problem.price[last]!;
    let most = problem.most[last]!;
    let room = Number.POSITIVE_INFINITY;
    if (maker !== ALONE) {
      if (this.#budget[maker]! < most) most = this.#budget[maker]!;
      room = this.#room[maker]!;
    }
    const cost = problem.cost[last]!;
    if (left >= cost) {
      const covered = most >= problem.amount[last]! && room >= cost;
      const gets = covered ? problem.amount[last]! : most;
      if (got + gets > this.free) this.free = got + gets;
      // What stays unsold must be worth nothing at the highest price filled.
      if (!covered || left - cost >= (priceMax > price ? priceMax : price)) return false;
      return this.#offer(last, depth, got + gets);
    }
    const gets = problem.outputOf(last, left);
    if (gets < 1) return false;
    if (gets > most || (room !== Number.POSITIVE_INFINITY && problem.costOf(last, gets) > room)) {
      const free = got + Math.min(gets, most);
      if (free > this.free) this.free = free;
      return false;
    }
    return this.#offer(last, depth, got + gets);
  }

  #tryLastBuying(last: number, depth: number, got: number, paid: number): boolean {
    const problem = this.#problem;
    const wanted = this.#amount - got;
    if (wanted < 1 || wanted > problem.most[last]!) return false;
    const cost =
      wanted === problem.amount[last]! ? problem.cost[last]! : problem.costOf(last, wanted);
    const maker = problem.maker[last]!;
    if (maker !== ALONE && (this.#budget[maker]! < wanted || this.#room[maker]! < cost)) {
      return false;
    }
    return this.#offer(last, depth, paid + cost);
  }

  #offer(last: number, depth: number, value: number): boolean {
    if (this.#direction === SELL) {
      if (value > this.free) this.free = value;
      if (value >= this.#below) return false;
    }
    if (this.#found && (this.#direction === SELL ? value <= this.value : value >= this.value)) {
      return true;
    }
    this.#found = true;
    this.value = value;
    this.count = depth + 1;
    for (let at = 0; at < depth; at += 1) this.list[at] = this.#stack[at]!;
    this.list[depth] = last;
    this.#setNeeded();
    return true;
  }

  /** Savings at the level that an answer one unit better has at least. */
  #setNeeded(): void {
    if (!this.#found) return;
    const { value } = this;
    // Beyond 2^53 one unit more is the same number.
    const unit = Math.max(1, value * 2 ** -50);
    const better =
      this.#direction === SELL
        ? this.#level * (value + unit) - this.#amount
        : this.#amount * this.#level - (value - unit);
    const scale = this.#direction === SELL ? this.#amount : this.#amount * this.#level;
    // The rounding of some forty sums and products.
    this.#needed = better - (scale + this.#level) * 2 ** -46;
  }

  /**
   * The level where listing the largest savings changes from too little to enough: the price of
   * the last order, were orders divisible among each other. Returns that order.
   */
  #findLevel(): number {
    const problem = this.#problem;
    let low = 0;
    let high = this.#candidates - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isEnough(problem.price[middle]!, middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Whether the largest savings at `level` and all of `last` use up the amount. */
  #isEnough(level: number, last: number): boolean {
    const problem = this.#problem;
    const top = this.#saving;
    const order = this.#order;
    const slots = this.#slots;
    let held = 0;
    for (let at = 0; at < this.#candidates; at += 1) {
      if (problem.whole[at] === 0 || at === last) continue;
      const saving = problem.amount[at]! * level - problem.cost[at]!;
      if (saving <= 0) {
        if (problem.price[at]! > level) break;
        continue;
      }
      let place = held;
      if (held === slots) {
        if (slots === 0 || saving <= top[held - 1]!) continue;
        place = held - 1;
      } else held += 1;
      while (place > 0 && top[place - 1]! < saving) {
        top[place] = top[place - 1]!;
        order[place] = order[place - 1]!;
        place -= 1;
      }
      top[place] = saving;
      order[place] = at;
    }
    let used = this.#direction === SELL ? problem.most[last]! * level : problem.most[last]!;
    for (let at = 0; at < held; at += 1) used += this.#absorbs(order[at]!);
    return used >= this.#amount;
  }

  /** What a whole fill uses up of the amount. */
  #absorbs(at: number): number {
    return this.#direction === SELL ? this.#problem.cost[at]! : this.#problem.amount[at]!;
  }

  /** Fills `#order` with the candidates that could be part of a better listing. */
  #orderBySaving(): void {
    const problem = this.#problem;
    const level = this.#level;
    let positive = 0;
    let lastMost = 0;
    for (let at = 0; at < this.#candidates; at += 1) {
      const saving = this.#savingAsLast(at);
      if (saving > lastMost) lastMost = saving;
      if (problem.whole[at] === 1) {
        const whole = problem.amount[at]! * level - problem.cost[at]!;
        if (whole > 0) positive += whole;
      }
    }
    const least = this.#needed - positive - lastMost;
    let ordered = 0;
    for (let at = 0; at < this.#candidates; at += 1) {
      this.#place[at] = -1;
      if (problem.whole[at] === 0) continue;
      const saving = problem.amount[at]! * level - problem.cost[at]!;
      if (saving < 0 && saving < least) continue;
      this.#order[ordered] = at;
      this.#saving[ordered] = saving;
      ordered += 1;
    }
    this.#ordered = ordered;
    sortDescending(this.#saving, this.#order, ordered);
    this.#sum[0] = 0;
    for (let at = 0; at < ordered; at += 1) {
      const saving = this.#saving[at]!;
      this.#sum[at + 1] = this.#sum[at]! + (saving > 0 ? saving : 0);
      this.#place[this.#order[at]!] = at;
    }
    this.#absorbSum[ordered] = 0;
    this.#absorbMax[ordered] = 0;
    for (let at = ordered - 1; at >= 0; at -= 1) {
      const absorbs = this.#absorbs(this.#order[at]!);
      this.#absorbSum[at] = this.#absorbSum[at + 1]! + absorbs;
      this.#absorbMax[at] = Math.max(this.#absorbMax[at + 1]!, absorbs);
    }
  }

  /** At most what `at` saves as the last order; negative where it is dearer than the level. */
  #savingAsLast(at: number): number {
    const problem = this.#problem;
    const price = problem.price[at]!;
    const level = this.#level;
    // At least one unit is filled.
    if (price > level) return level - price;
    const amount = this.#direction === SELL ? this.#amount / price : this.#amount;
    return (level - price) * (problem.most[at]! < amount ? problem.most[at]! : amount);
  }

  /** Tries every candidate as the last order, `first` before the others. */
  #searchLasts(first: number): void {
    this.#mostSaved = Number.NEGATIVE_INFINITY;
    this.#searchLast(first);
    for (let at = 0; at < this.#candidates && this.complete; at += 1) {
      if (at !== first) this.#searchLast(at);
    }
  }

  #searchLast(last: number): void {
    this.#last = last;
    this.#lastPlace = this.#place[last]!;
    this.#lastSaving = this.#savingAsLast(last);
    const most = this.#largest(0, this.#slots) + this.#lastSaving;
    if (most > this.#mostSaved) this.#mostSaved = most;
    if (most < this.#needed) return;
    this.#resetMakers();
    this.#extend(0, 0, 0, 0, 0, 0);
  }

  /** Whether a listing that holds an order from `nextPrice` on could be better. */
  #nextMatters(): boolean {
    const { nextPrice } = this.#problem;
    if (nextPrice === Number.POSITIVE_INFINITY) return false;
    if (this.#direction === SELL && nextPrice > this.#amount) return false;
    // At least one unit of it is filled, at more than the level; the others save what they can.
    return !this.#found || this.#mostSaved - (nextPrice - this.#level) >= this.#needed;
  }

  /** The listings that hold the first `depth` orders of the stack and others from `from` on. */
  #extend(
    from: number,
    depth: number,
    got: number,
    paid: number,
    saved: number,
    priceMax: number,
  ): void {
    this.#nodesLeft -= 1;
    if (this.#nodesLeft < 0) {
      this.complete = false;
      return;
    }
    this.#tryLast(this.#last, depth, got, paid, priceMax);
    const slots = this.#slots - depth;
    if (slots === 0 || !this.#canUseUp(from, slots, got, paid, saved)) return;
    const problem = this.#problem;
    for (let at = from; at < this.#ordered; at += 1) {
      if (at === this.#lastPlace) continue;
      const saving = this.#saving[at]!;
      const most = saved + saving + this.#largest(at + 1, slots - 1) + this.#lastSaving;
      if (most < this.#needed) return;
      const candidate = this.#order[at]!;
      if (!this.#fitsWhole(candidate, got, paid)) continue;
      this.#take(candidate, -1);
      this.#stack[depth] = candidate;
      this.#extend(
        at + 1,
        depth + 1,
        got + problem.amount[candidate]!,
        paid + problem.cost[candidate]!,
        saved + saving,
        Math.max(priceMax, problem.price[candidate]!),
      );
      this.#take(candidate, 1);
      if (!this.complete) return;
    }
  }

  /** Sum of the `count` largest savings from `from` on, the last order's left out. */
  #largest(from: number, count: number): number {
    const to = from + count;
    const ordered = this.#ordered;
    const place = this.#lastPlace;
    if (place >= from && place < to) {
      const saving = this.#saving[place]!;
      const sum = this.#sum[to < ordered ? to + 1 : ordered]! - this.#sum[from]!;
      return sum - (saving > 0 ? saving : 0);
    }
    return this.#sum[to < ordered ? to : ordered]! - this.#sum[from < ordered ? from : ordered]!;
  }

  /** False where even filling the largest orders from `from` on leaves too much over. */
  #canUseUp(from: number, slots: number, got: number, paid: number, saved: number): boolean {
    const absorbed = Math.min(this.#absorbSum[from]!, slots * this.#absorbMax[from]!);
    const most = this.#problem.most[this.#last]!;
    if (this.#direction === BUY) return this.#amount - got <= absorbed + most;
    const lastPaid = most * this.#problem.price[this.#last]! + 1;
    const usable = paid + (absorbed + lastPaid) * (1 + 2 ** -48);
    if (this.#amount - usable < this.#priceMax) return true;
    // Nothing here settles, but a smaller amount might.
    const free = (usable + saved + this.#largest(from, slots) + this.#lastSaving) / this.#level;
    if (free > this.free) this.free = Math.floor(free);
    return false;
  }

  #reserve(): void {
    const { makers } = this.#problem;
    if (this.#order.length < this.#candidates) {
      const length = 2 * this.#candidates;
      this.#order = new Int32Array(length);
      this.#place = new Int32Array(length);
      this.#saving = new Float64Array(length);
      this.#sum = new Float64Array(length + 1);
      this.#absorbSum = new Float64Array(length + 1);
      this.#absorbMax = new Float64Array(length + 1);
    }
    if (this.#budget.length < makers) {
      this.#budget = new Float64Array(2 * makers);
      this.#room = new Float64Array(2 * makers);
    }
  }
}

/** Sorts both columns by `keys`, the largest first. */
function sortDescending(keys: Float64Array, values: Int32Array, count: number): void {
  // Shell's gaps: no recursion, no allocation; the input is often nearly sorted.
  for (let gap = gapBelow(count); gap > 0; gap = gapBelow(gap)) {
    for (let at = gap; at < count; at += 1) {
      const key = keys[at]!;
      const value = values[at]!;
      let place = at;
      while (place >= gap && keys[place - gap]! < key) {
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
