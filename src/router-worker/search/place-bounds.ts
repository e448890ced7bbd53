// Hot path: what a route gives at most where its hops share a number of places: in all, which is a
// closer bound than the curves' where more orders would be needed, and for each way to share them.
// Some 15 us for the levels, then some nanoseconds for each way.
//
// As in hop-search.ts, against a price level at each hop: an order saves something, the rest is
// bought at the level. A unit of a hop's input is worth the levels before it, so the savings of all
// hops compare, and no listing has more of them than each hop's largest ones add up to. That holds
// for any levels. Those of the divisible listing are the start; higher ones are tried hop by hop as
// long as the bound gets closer.
//
// A maker's orders at a hop draw on the same backing: together they save no more than its backing
// does, spent on the cheapest first.
import { HOPS_MAX, ORDERS_MAX } from "../quote.ts";
import { ALONE } from "./hop-columns.ts";
import { type HopDirection, type HopOrders, insertDescending, SELL } from "./hop-task.ts";

/** Rounds over the hops in search of levels (a guess: the second one seldom finds any). */
const ROUNDS_MAX = 3;
/** Levels above the highest price, for hops in which size counts for more than price. */
const ABOVE_MAX = 40;
const ABOVE_FACTOR = 1.25;
/** Orders of one maker that are looked at; the savings of those beyond count in full. */
const ORDERS_OF_MAKER_MAX = 64;
/** Relative error of the sums: some forty products. */
const MARGIN = 1e-12;

export class PlaceBounds {
  #hops: readonly HopOrders[] = [];
  #hopCount = 0;
  #direction: HopDirection = SELL;
  #amount = 0;
  #places = 0;

  /** By hop: which level it has, and the level. */
  readonly #at = new Int32Array(HOPS_MAX);
  readonly #level = new Float64Array(HOPS_MAX);
  /** By hop: what the largest savings of so many orders add up to. */
  readonly #sums = Array.from({ length: HOPS_MAX }, () => new Float64Array(ORDERS_MAX + 1));
  readonly #savings = new Float64Array(ORDERS_MAX);
  #held = 0;
  readonly #before = new Float64Array(ORDERS_MAX + 1);
  /** Of the maker at hand, by order, the dearest first. */
  readonly #gain = new Float64Array(ORDERS_OF_MAKER_MAX);
  readonly #most = new Float64Array(ORDERS_OF_MAKER_MAX);
  readonly #price = new Float64Array(ORDERS_OF_MAKER_MAX);
  readonly #ofMaker = new Float64Array(ORDERS_OF_MAKER_MAX);

  /** What looking for levels took, in steps of some 50 ns. */
  work = 0;

  /**
   * Finds the levels for a route of the first `hopCount` of `hops`, none of them empty and each with
   * all of its orders. Returns what the route gives at most (BUY: costs at least), however its hops
   * share the places; without a margin.
   */
  begin(
    hops: readonly HopOrders[],
    hopCount: number,
    direction: HopDirection,
    amount: number,
    places: number,
  ): number {
    this.#hops = hops;
    this.#hopCount = hopCount;
    this.#direction = direction;
    this.#amount = amount;
    this.#places = places;
    this.work = 0;
    this.#startLevels();
    let best = this.#mostOfAll();
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const before = best;
      for (let hop = 0; hop < hopCount; hop += 1) {
        best = this.#raiseLevel(hop, best);
      }
      if (best === before) break;
    }
    return best;
  }

  /**
   * What `flow` comes to at most (SELL: at the end; BUY: at least, at the start) from `step` on,
   * with `places` for each hop. Whole units.
   */
  bound(step: number, flow: number, places: Int32Array): number {
    let saved = 0;
    let weight = 1;
    const first = this.#direction === SELL ? step : 0;
    const end = this.#direction === SELL ? this.#hopCount : this.#hopCount - step;
    for (let hop = first; hop < end; hop += 1) {
      saved += weight * this.#sums[hop]![places[hop]!]!;
      weight *= this.#level[hop]!;
    }
    return this.#direction === SELL
      ? Math.floor(((flow + saved) / weight) * (1 + MARGIN))
      : Math.ceil(flow * weight * (1 - MARGIN) - saved * (1 + MARGIN));
  }

  /**
   * The least (BUY: the most) that must come out of (BUY: go in at) `step` for the route to come to
   * `value`, which is at least (BUY: at most) that, with `places` for the hops after it.
   */
  needed(step: number, value: number, places: Int32Array): number {
    let saved = 0;
    let weight = 1;
    const first = this.#direction === SELL ? step + 1 : 0;
    const end = this.#direction === SELL ? this.#hopCount : this.#hopCount - step - 1;
    for (let hop = first; hop < end; hop += 1) {
      saved += weight * this.#sums[hop]![places[hop]!]!;
      weight *= this.#level[hop]!;
    }
    return this.#direction === SELL
      ? Math.ceil(value * weight * (1 - MARGIN) - saved * (1 + MARGIN))
      : Math.floor(((value + saved) / weight) * (1 + MARGIN));
  }

  /** Levels at which the orders, were they divisible and each maker's own, use up the amount. */
  #startLevels(): void {
    const sells = this.#direction === SELL;
    let flow = this.#amount;
    for (let step = 0; step < this.#hopCount; step += 1) {
      const hop = sells ? step : this.#hopCount - 1 - step;
      const { columns, start, count } = this.#hops[hop]!;
      const { most, price } = columns;
      let got = 0;
      let paid = 0;
      let at = start;
      for (; at < start + count - 1; at += 1) {
        const left = sells ? (flow - paid) / price[at]! : flow - got;
        if (left <= most[at]!) break;
        got += most[at]!;
        paid += most[at]! * price[at]!;
      }
      const left = sells ? (flow - paid) / price[at]! : flow - got;
      flow = sells ? got + left : paid + left * price[at]!;
      this.#setLevel(hop, at - start);
    }
  }

  #setLevel(hop: number, at: number): void {
    const { columns, start, count } = this.#hops[hop]!;
    const above = at - (count - 1);
    const price = columns.price[start + Math.min(at, count - 1)]!;
    this.#at[hop] = at;
    this.#level[hop] = above > 0 ? price * ABOVE_FACTOR ** above : price;
    this.#collect(hop);
  }

  /** Raises a hop's level for as long as the bound gets closer; returns the bound. */
  #raiseLevel(hop: number, closest: number): number {
    let best = closest;
    const sums = this.#sums[hop]!;
    const last = this.#hops[hop]!.count - 1 + ABOVE_MAX;
    for (let step = 1; ; step *= 2) {
      const at = this.#at[hop]!;
      if (at + step > last) return best;
      this.#before.set(sums);
      const level = this.#level[hop]!;
      this.#setLevel(hop, at + step);
      const bound = this.#mostOfAll();
      if (this.#direction === SELL ? bound < best : bound > best) {
        best = bound;
        continue;
      }
      sums.set(this.#before);
      this.#at[hop] = at;
      this.#level[hop] = level;
      return best;
    }
  }

  /** What the route comes to with all places, each given to the order that saves most. */
  #mostOfAll(): number {
    const [one, two, three] = this.#sums;
    const second = this.#level[0]!;
    const third = second * this.#level[1]!;
    let [a, b, c] = [0, 0, 0];
    for (let place = 0; place < this.#places; place += 1) {
      const nextOne = one![a + 1]! - one![a]!;
      const nextTwo = this.#hopCount > 1 ? (two![b + 1]! - two![b]!) * second : 0;
      const nextThree = this.#hopCount > 2 ? (three![c + 1]! - three![c]!) * third : 0;
      if (nextOne >= nextTwo && nextOne >= nextThree) a += 1;
      else if (nextTwo >= nextThree) b += 1;
      else c += 1;
    }
    this.work += 1;
    const saved = one![a]! + two![b]! * second + three![c]! * third;
    const weight = [second, third, third * this.#level[2]!][this.#hopCount - 1]!;
    return this.#direction === SELL
      ? (this.#amount + saved) / weight
      : this.#amount * weight - saved;
  }

  /** The sums of a hop's largest savings at its level. */
  #collect(hop: number): void {
    const { columns, start, count, groups } = this.#hops[hop]!;
    const { group, most, price } = columns;
    const level = this.#level[hop]!;
    this.#held = 0;
    let at = start;
    for (; at < start + count && price[at]! < level; at += 1) {
      if (group[at] === ALONE) this.#add(most[at]! * (level - price[at]!));
    }
    for (let maker = 0; maker < groups; maker += 1) this.#addMaker(hop, maker);
    this.work += (at - start + groups) / 8;
    const sums = this.#sums[hop]!;
    sums[0] = 0;
    for (let place = 0; place < ORDERS_MAX; place += 1) {
      sums[place + 1] = sums[place]! + (place < this.#held ? this.#savings[place]! : 0);
    }
  }

  #add(saving: number): void {
    const savings = this.#savings;
    if (this.#held < ORDERS_MAX) this.#held += 1;
    else if (saving <= savings[ORDERS_MAX - 1]!) return;
    insertDescending(savings, this.#held, saving);
  }

  /** Each of the maker's orders in full, the largest first, until its backing saves no more. */
  #addMaker(hop: number, maker: number): void {
    const { columns, start } = this.#hops[hop]!;
    const level = this.#level[hop]!;
    const top = columns.groupTop[start + maker]!;
    let orders = 0;
    for (let entry = top; entry >= 0; entry = columns.previous[start + entry]!) {
      const price = columns.price[start + entry]!;
      if (price >= level) continue;
      const most = columns.most[start + entry]!;
      if (orders === ORDERS_OF_MAKER_MAX) {
        this.#add(most * (level - price));
        continue;
      }
      this.#gain[orders] = level - price;
      this.#most[orders] = most;
      this.#price[orders] = price;
      insertDescending(this.#ofMaker, orders + 1, most * (level - price));
      orders += 1;
    }
    let left = this.#mostOfMaker(orders, columns.budget[start + top]!, columns.room[start + top]!);
    for (let at = 0; at < orders && left > 0; at += 1) {
      const saving = Math.min(this.#ofMaker[at]!, left);
      this.#add(saving);
      left -= saving;
    }
  }

  /** What the maker's orders save at most within its budget and its room. */
  #mostOfMaker(orders: number, budget: number, room: number): number {
    let [byBudget, byRoom] = [0, 0];
    let [budgetLeft, roomLeft] = [budget, room];
    // The cheapest come last.
    for (let at = orders - 1; at >= 0; at -= 1) {
      const got = Math.min(this.#most[at]!, budgetLeft);
      byBudget += got * this.#gain[at]!;
      budgetLeft -= got;
      const payable = Math.min(this.#most[at]!, roomLeft / this.#price[at]!);
      byRoom += payable * this.#gain[at]!;
      roomLeft -= payable * this.#price[at]!;
    }
    return Math.min(byBudget, byRoom);
  }
}
