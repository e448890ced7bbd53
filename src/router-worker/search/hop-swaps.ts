// Hot path: a listing made better by small exchanges: one of its whole orders out, another one in,
// or either alone, and any order as the last one. What bounds and changes in order of their loss
// find late or never, for the last order's sake, is mostly one exchange away. Some 5 us a round.
import { ALONE, CANDIDATES_MAX, entryCost, entryOutput } from "./hop-columns.ts";
import type { HopDraft } from "./hop-draft.ts";
import { type HopTask, PLACES_MAX, SELL } from "./hop-task.ts";

/** Exchanges made one after the other, at most (a guess). */
const ROUNDS_MAX = 6;
/** Orders that may come in: those that lose least; and orders that may be the last one. */
const COMERS_MAX = 32;
const LASTS_MAX = 64;
/** Orders of less than this part of the amount make no difference here. */
const SMALL_PART = 1 / 4096;

const NONE = -1;

export class HopSwaps {
  readonly #task: HopTask;
  readonly #draft: HopDraft;

  /** The listing's whole orders, and what they get and pay. */
  readonly #whole = new Int32Array(PLACES_MAX + 1);
  #wholeCount = 0;
  #got = 0;
  #paid = 0;
  readonly #isWhole = new Uint8Array(CANDIDATES_MAX);
  /** By group: what the whole orders have used up. */
  readonly #groupGot = new Float64Array(CANDIDATES_MAX);
  readonly #groupPaid = new Float64Array(CANDIDATES_MAX);

  #level = 0;
  readonly #comers = new Int32Array(COMERS_MAX);
  /** What each saves against the level; the first lose or save least. */
  readonly #comerSaves = new Float64Array(COMERS_MAX);
  #comerCount = 0;
  /** Cheapest first, and what each uses up at most. */
  readonly #lasts = new Int32Array(LASTS_MAX);
  readonly #lastPrice = new Float64Array(LASTS_MAX);
  readonly #lastUse = new Float64Array(LASTS_MAX);
  /** And the most that one up to there uses up. */
  readonly #lastUseMost = new Float64Array(LASTS_MAX);
  #lastCount = 0;
  /** The most that one of them saves against the level. */
  #lastSaves = 0;

  // The best exchange of a round.
  #value = 0;
  #leaver = NONE;
  #comer = NONE;
  #last = NONE;

  /** What the exchanges took, in steps of some 50 ns. */
  work = 0;

  constructor(task: HopTask, draft: HopDraft) {
    this.#task = task;
    this.#draft = draft;
  }

  /** Improves the best listing of the draft, if there is one. `level` as of `HopSearch`. */
  improve(level: number): void {
    this.work = 0;
    if (!this.#draft.found) return;
    this.#level = level;
    this.#gather();
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      this.#takeListing();
      const better = this.#findExchange() && this.#exchange();
      this.#forgetListing();
      if (!better) return;
    }
  }

  #gather(): void {
    const { columns, start, candidates, amount: demanded } = this.#task;
    const { amount, cost } = columns;
    const least = demanded * SMALL_PART;
    this.#comerCount = 0;
    this.#lastCount = 0;
    this.#lastSaves = 0;
    for (let entry = 0; entry < candidates; entry += 1) {
      const at = start + entry;
      const uses = this.#task.mostUsedBy(entry);
      if (uses < least) continue;
      if (this.#lastCount === LASTS_MAX) break;
      this.#addLast(entry, uses);
      if (this.#task.canBeWhole(entry))
        this.#addComer(entry, amount[at]! * this.#level - cost[at]!);
    }
    this.work += candidates / 16;
  }

  #addLast(entry: number, uses: number): void {
    const { direction, amount } = this.#task;
    const price = this.#task.priceOf(entry);
    this.#lasts[this.#lastCount] = entry;
    this.#lastPrice[this.#lastCount] = price;
    this.#lastUse[this.#lastCount] = uses;
    const most = this.#lastCount === 0 ? 0 : this.#lastUseMost[this.#lastCount - 1]!;
    this.#lastUseMost[this.#lastCount] = Math.max(most, uses);
    this.#lastCount += 1;
    const used = Math.min(uses, amount);
    const saves = (this.#level - price) * (direction === SELL ? used / price : used);
    if (saves > this.#lastSaves) this.#lastSaves = saves;
  }

  #addComer(entry: number, saves: number): void {
    const comerSaves = this.#comerSaves;
    const loss = Math.abs(saves);
    let place = this.#comerCount;
    if (place === COMERS_MAX) {
      place -= 1;
      if (loss >= Math.abs(comerSaves[place]!)) return;
    } else this.#comerCount += 1;
    while (place > 0 && Math.abs(comerSaves[place - 1]!) > loss) {
      comerSaves[place] = comerSaves[place - 1]!;
      this.#comers[place] = this.#comers[place - 1]!;
      place -= 1;
    }
    comerSaves[place] = saves;
    this.#comers[place] = entry;
  }

  #takeListing(): void {
    const { groups } = this.#task;
    const { list, count } = this.#draft;
    this.#groupGot.fill(0, 0, groups);
    this.#groupPaid.fill(0, 0, groups);
    this.#wholeCount = count - 1;
    this.#got = 0;
    this.#paid = 0;
    for (let place = 0; place < count - 1; place += 1) {
      const entry = list[place]!;
      this.#whole[place] = entry;
      this.#isWhole[entry] = 1;
      this.#move(entry, 1);
    }
  }

  #forgetListing(): void {
    for (let place = 0; place < this.#wholeCount; place += 1) {
      this.#isWhole[this.#whole[place]!] = 0;
    }
  }

  /** Whether an exchange promises a better value. */
  #findExchange(): boolean {
    const { direction, places, target } = this.#task;
    const { value } = this.#draft;
    // What is of no use is not looked for.
    this.#value = direction === SELL ? Math.max(value, target - 1) : Math.min(value, target + 1);
    this.#last = NONE;
    for (let place = -1; place < this.#wholeCount; place += 1) {
      const leaver = place < 0 ? NONE : this.#whole[place]!;
      if (leaver !== NONE) this.#move(leaver, -1);
      const spare = this.#spare();
      this.work += 1;
      if (spare >= 0) this.#tryLasts(leaver, NONE);
      const isFull = this.#wholeCount - (place < 0 ? 0 : 1) >= places;
      for (let at = 0; at < this.#comerCount && !isFull; at += 1) {
        if (spare + this.#comerSaves[at]! < 0) continue;
        const comer = this.#comers[at]!;
        if (comer === leaver || this.#isWhole[comer] === 1 || !this.#hasFor(comer)) continue;
        this.#move(comer, 1);
        this.#tryLasts(leaver, comer);
        this.#move(comer, -1);
        this.work += 1 / 2;
      }
      if (leaver !== NONE) this.#move(leaver, 1);
    }
    return this.#last !== NONE;
  }

  /** What the whole orders and any last one save more than a better listing must, at most. */
  #spare(): number {
    const { direction, amount } = this.#task;
    const saved = this.#got * this.#level - this.#paid + this.#lastSaves;
    const value = this.#value;
    return direction === SELL
      ? saved - (value * this.#level - amount)
      : saved - (amount * this.#level - value);
  }

  /** Counts a whole order in (1) or out (-1). */
  #move(entry: number, sign: number): void {
    const { columns, start } = this.#task;
    const at = start + entry;
    this.#got += sign * columns.amount[at]!;
    this.#paid += sign * columns.cost[at]!;
    const maker = columns.group[at]!;
    if (maker === ALONE) return;
    this.#groupGot[maker]! += sign * columns.amount[at]!;
    this.#groupPaid[maker]! += sign * columns.cost[at]!;
  }

  /** Whether the entry's maker has enough left for all of it. */
  #hasFor(entry: number): boolean {
    const { columns, start } = this.#task;
    const at = start + entry;
    const maker = columns.group[at]!;
    if (maker === ALONE) return true;
    return (
      this.#groupGot[maker]! + columns.amount[at]! <= columns.budget[at]! &&
      this.#groupPaid[maker]! + columns.cost[at]! <= columns.room[at]!
    );
  }

  /** The cheapest order that can take the rest is the best last one. */
  #tryLasts(leaver: number, comer: number): void {
    const { direction, amount } = this.#task;
    const sells = direction === SELL;
    const best = this.#value;
    const left = amount - (sells ? this.#paid : this.#got);
    if (left <= 0) return;
    // Dearer ones are no better than what is known.
    const gain = sells ? best - this.#got : best - this.#paid;
    const limit = sells ? (gain > 0 ? left / gain : Number.POSITIVE_INFINITY) : gain / left;
    let at = this.#firstThatUses(left);
    for (; at < this.#lastCount && this.#lastPrice[at]! < limit; at += 1) {
      if (left > this.#lastUse[at]!) continue;
      const last = this.#lasts[at]!;
      if (last === comer || (this.#isWhole[last] === 1 && last !== leaver)) continue;
      const price = this.#lastPrice[at]!;
      if ((sells ? left / price : left) > this.#mostOf(last)) continue;
      this.#value = sells ? this.#got + left / price : this.#paid + left * price;
      this.#leaver = leaver;
      this.#comer = comer;
      this.#last = last;
      return;
    }
  }

  /** The first of the last orders that can use up so much. */
  #firstThatUses(left: number): number {
    let low = 0;
    let high = this.#lastCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#lastUseMost[middle]! >= left) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** What the last order can deliver beside the whole ones. */
  #mostOf(entry: number): number {
    const { columns, start } = this.#task;
    const at = start + entry;
    const maker = columns.group[at]!;
    const most = columns.most[at]!;
    if (maker === ALONE) return most;
    return Math.min(most, columns.budget[at]! - this.#groupGot[maker]!);
  }

  /** Makes the exchange found, where it settles and is better to the unit. */
  #exchange(): boolean {
    if (this.#leaver !== NONE) this.#move(this.#leaver, -1);
    if (this.#comer !== NONE) this.#move(this.#comer, 1);
    const value = this.#settledValue();
    if (Number.isNaN(value)) return false;
    let count = 0;
    const whole = this.#draft.scratch;
    for (let place = 0; place < this.#wholeCount; place += 1) {
      if (this.#whole[place] !== this.#leaver) whole[count++] = this.#whole[place]!;
    }
    if (this.#comer !== NONE) whole[count++] = this.#comer;
    return this.#draft.offerListing(value, count, this.#last);
  }

  /** What the whole orders and the last one come to; NaN: that does not settle. */
  #settledValue(): number {
    const { columns, words, start, direction, amount: demanded } = this.#task;
    const at = start + this.#last;
    const price = columns.price[at]!;
    const most = this.#mostOf(this.#last);
    const maker = columns.group[at]!;
    const room = columns.room[at]! - (maker === ALONE ? 0 : this.#groupPaid[maker]!);
    if (direction !== SELL) {
      const wanted = demanded - this.#got;
      const cost = entryCost(columns, at, wanted, words);
      return wanted < 1 || wanted > most || cost > room ? Number.NaN : this.#paid + cost;
    }
    const left = demanded - this.#paid;
    const whole = columns.cost[at]!;
    if (left >= whole) {
      const isCovered = most >= columns.amount[at]! && room >= whole && left - whole < price;
      return isCovered ? this.#got + columns.amount[at]! : Number.NaN;
    }
    const gets = entryOutput(columns, at, left, words);
    if (gets < 1 || gets > most || entryCost(columns, at, gets, words) > room) return Number.NaN;
    return this.#got + gets;
  }
}
