// Hot path: what a route gives at most where its hops share a number of slots, for each split of them.
// Some 20 us for the profits, then some nanoseconds for each split.
//
// As in hop-solver.ts, at a shadow price for each hop: an order profits something, the rest is bought at
// the shadow price, and no selection profits more than the largest profits for the hop's slots add up to.
// That holds at any shadow price. The divisible selection's bounds closest where there are slots enough; the
// fewer there are, the higher the one that bounds closest: each hop is bounded by the closest of some.
import { HOPS_MAX, ORDERS_MAX } from "../quote.ts";
import type { HopOrders } from "./hop-problem.ts";
import { ProfitSums } from "./profit-sums.ts";

/** Shadow prices of one kind: prices of the orders so many behind the one at which the divisible selection ends. */
const OFFSETS: readonly number[] = [0, 2, 4, 8, 16, 32, 64, 128, 256];
/** Of the other kind: multiples of the highest price, for hops in which size counts for more than price. */
const ABOVE: readonly number[] = [1.25, 1.6, 2.5, 6, 36, 1000];
const LAMBDAS = OFFSETS.length + ABOVE.length;
/** From one number of slots to the same of the next shadow price, or hop. */
const STRIDE = ORDERS_MAX + 1;
/** Relative error of the sums: some forty products. */
const MARGIN = 1e-12;
/** What a selection that is cut down loses at most by rounding: a unit at each of its ends. */
const ROUNDED = 2;

export class SlotBounds {
  #hops: readonly HopOrders[] = [];
  #hopCount = 0;
  #sells = true;
  #slots = 0;

  /** By hop: what flows in (SELL) or out (BUY), and the entry that uses it up, were orders divisible. */
  readonly #divisibleFlow = new Float64Array(HOPS_MAX);
  readonly #divisibleEnd = new Int32Array(HOPS_MAX);
  /** Orders that the route would list then. */
  orders = 0;

  /** Shadow prices by hop, LAMBDAS apart; and how many there are. */
  readonly #lambda = new Float64Array(HOPS_MAX * LAMBDAS);
  readonly #lambdaCount = new Int32Array(HOPS_MAX);
  /** By shadow price, STRIDE apart: what so many orders profit at most. */
  readonly #profit = new Float64Array(HOPS_MAX * LAMBDAS * STRIDE);
  readonly #profits = new ProfitSums();
  /** By hop and slots, STRIDE apart: the shadow price that bounded closest last, where a search for it begins. */
  readonly #closest = new Int32Array(HOPS_MAX * STRIDE);

  // By hop and slots, STRIDE apart: a flow (0: none), and what a search proved of it.
  readonly #flow = new Float64Array(HOPS_MAX * STRIDE);
  readonly #proven = new Float64Array(HOPS_MAX * STRIDE);
  /** By hop: whether anything was noted. */
  readonly #isNoted = new Uint8Array(HOPS_MAX);

  /** What the profits took, in work units. */
  get work(): number {
    return this.#profits.work;
  }

  /**
   * Takes up a route of the first `hopCount` of `hops`, none of them empty and each with all of its
   * orders.
   */
  begin(
    hops: readonly HopOrders[],
    hopCount: number,
    sells: boolean,
    amount: number,
    slots: number,
  ): void {
    this.#hops = hops;
    this.#hopCount = hopCount;
    this.#sells = sells;
    this.#slots = slots;
    if (this.#isNoted.includes(1)) this.#flow.fill(0);
    this.#isNoted.fill(0);
    this.#profits.work = 0;
    this.orders = 0;
    let flow = amount;
    for (let stage = 0; stage < hopCount; stage += 1) flow = this.#divide(this.#hopAt(stage), flow);
  }

  /** After `begin`, before any bound is asked for. */
  setShadowPrices(): void {
    this.#closest.fill(0);
    for (let hop = 0; hop < this.#hopCount; hop += 1) this.#setShadowPricesOf(hop);
  }

  /**
   * Notes that the hop of `stage`, with so many slots, gets no more than `value` of `flow` or any smaller
   * amount of which a part may stay unsold (BUY: that getting `flow` costs no less). It says something of
   * other flows, too: a selection is cut down to a smaller one at no less than the best price a unit.
   */
  note(stage: number, flow: number, slots: number, value: number): void {
    const hop = this.#hopAt(stage);
    const at = hop * STRIDE + slots;
    this.#isNoted[hop] = 1;
    this.#flow[at] = flow;
    this.#proven[at] = value;
  }

  #hopAt(stage: number): number {
    return this.#sells ? stage : this.#hopCount - 1 - stage;
  }

  /**
   * What `flow` comes to at most (SELL: at the end; BUY: at least, at the start) from `stage` on,
   * with `slots` for each hop. Whole units.
   */
  bound(stage: number, flow: number, slots: Int32Array): number {
    let bound = flow;
    for (let at = stage; at < this.#hopCount; at += 1) {
      const hop = this.#hopAt(at);
      bound = this.after(at, bound, slots[hop]!);
    }
    return bound;
  }

  /** The same for the hop of one stage alone. */
  after(stage: number, flow: number, slots: number): number {
    return this.#sells
      ? this.#mostOut(stage, flow, slots)
      : this.#leastIn(this.#hopCount - 1 - stage, flow, slots);
  }

  /**
   * The least (BUY: the most) that must come out of (BUY: go in at) `stage` for the route to come to
   * `value`, which is at least (BUY: at most) that, with `slots` for the hops after it.
   */
  needed(stage: number, value: number, slots: Int32Array): number {
    let needed = value;
    for (let at = this.#hopCount - 1; at > stage; at -= 1) {
      const hop = this.#hopAt(at);
      needed = this.#sells
        ? this.#leastIn(hop, needed, slots[hop]!)
        : this.#mostOut(hop, needed, slots[hop]!);
    }
    return needed;
  }

  /** Whole units that a hop gives at most for `paid`. */
  #mostOut(hop: number, paid: number, slots: number): number {
    const got = this.#closestBound(hop, paid, slots, true);
    const most = this.#isNoted[hop] === 0 ? got : Math.min(got, this.#mostProven(hop, paid, slots));
    return Math.floor(most * (1 + MARGIN));
  }

  /** Whole units that `got` of a hop costs at least. */
  #leastIn(hop: number, got: number, slots: number): number {
    const paid = Math.max(0, -this.#closestBound(hop, got, slots, false));
    if (this.#isNoted[hop] === 0) return Math.ceil(paid);
    return Math.ceil(Math.max(paid, this.#leastProven(hop, got, slots) * (1 - MARGIN)));
  }

  /** The closest bound of all shadow prices: from one to the next they fall, then rise. */
  #closestBound(hop: number, flow: number, slots: number, isPaid: boolean): number {
    const first = hop * LAMBDAS;
    const last = first + this.#lambdaCount[hop]! - 1;
    const from = first + this.#closest[hop * STRIDE + slots]!;
    let [at, closest] = [from, this.#boundAt(from, flow, slots, isPaid)];
    for (; at < last; at += 1) {
      const next = this.#boundAt(at + 1, flow, slots, isPaid);
      if (next > closest) break;
      closest = next;
    }
    for (; at <= from && at > first; at -= 1) {
      const next = this.#boundAt(at - 1, flow, slots, isPaid);
      if (next >= closest) break;
      closest = next;
    }
    this.#closest[hop * STRIDE + slots] = at - first;
    return closest;
  }

  /** At a shadow price: what `flow` gets at most, or the negative of what getting it costs at least. */
  #boundAt(at: number, flow: number, slots: number, isPaid: boolean): number {
    const profit = this.#profit[at * STRIDE + slots]!;
    const lambda = this.#lambda[at]!;
    return isPaid ? (flow + profit) / lambda : profit * (1 + MARGIN) - flow * lambda * (1 - MARGIN);
  }

  #mostProven(hop: number, paid: number, slots: number): number {
    const price = this.#bestPrice(hop);
    const first = hop * STRIDE;
    let most = Number.POSITIVE_INFINITY;
    for (let at = first + slots; at <= first + this.#slots; at += 1) {
      const flow = this.#flow[at]!;
      if (flow === 0) continue;
      const proven = this.#proven[at]!;
      const got = this.#sells
        ? paid <= flow
          ? proven
          : proven + (paid - flow) / price + ROUNDED
        : flow + Math.max(0, paid - proven + ROUNDED) / price;
      if (got < most) most = got;
    }
    return most;
  }

  #leastProven(hop: number, got: number, slots: number): number {
    const price = this.#bestPrice(hop);
    const first = hop * STRIDE;
    let least = 0;
    for (let at = first + slots; at <= first + this.#slots; at += 1) {
      const flow = this.#flow[at]!;
      if (flow === 0) continue;
      const proven = this.#proven[at]!;
      const over = this.#sells ? got - proven - ROUNDED : got - flow;
      if (over < 0) continue;
      const paid = this.#sells ? flow + over * price : proven + over * price - ROUNDED;
      if (paid > least) least = paid;
    }
    return least;
  }

  #bestPrice(hop: number): number {
    const { columns } = this.#hops[hop]!;
    return columns.price[0]!;
  }

  /** Uses the flow up with a hop's orders, were they divisible and each maker's own; returns what it makes. */
  #divide(hop: number, flow: number): number {
    const sells = this.#sells;
    const { columns, count } = this.#hops[hop]!;
    const { most, price } = columns;
    let [got, paid, entry, left] = [0, 0, 0, 0];
    for (; ; entry += 1) {
      left = sells ? (flow - paid) / price[entry]! : flow - got;
      if (left <= most[entry]! || entry === count - 1) break;
      got += most[entry]!;
      paid += most[entry]! * price[entry]!;
    }
    this.#divisibleFlow[hop] = flow;
    this.#divisibleEnd[hop] = entry;
    this.orders += entry + 1;
    return sells ? got + left : paid + left * price[entry]!;
  }

  #setShadowPricesOf(hop: number): void {
    const { columns, count } = this.#hops[hop]!;
    const flow = this.#divisibleFlow[hop]!;
    this.#lambdaCount[hop] = 0;
    // The fewer the slots, the higher the closest shadow price: past that of a single one none is of use.
    let closest = Number.POSITIVE_INFINITY;
    for (let at = 0; at < LAMBDAS; at += 1) {
      const isAbove = at >= OFFSETS.length;
      const entry = isAbove ? count - 1 : this.#divisibleEnd[hop]! + OFFSETS[at]!;
      if (entry >= count) continue;
      const times = isAbove ? ABOVE[at - OFFSETS.length]! : 1;
      const key = isAbove ? at - OFFSETS.length : entry + ABOVE.length;
      const lambda = columns.price[entry]! * times;
      const profit = this.#addShadowPrice(hop, key, lambda);
      const bound = this.#sells ? (flow + profit) / lambda : profit - flow * lambda;
      if (bound > closest) break;
      closest = bound;
    }
  }

  /** Returns what a single order profits at most. */
  #addShadowPrice(hop: number, key: number, lambda: number): number {
    const index = hop * LAMBDAS + this.#lambdaCount[hop]!;
    this.#lambda[index] = lambda;
    this.#profits.copy(this.#profit, index * STRIDE, this.#hops[hop]!, key, lambda);
    this.#lambdaCount[hop]! += 1;
    return this.#profit[index * STRIDE + 1]!;
  }
}
