// The best selection of a route on which a maker has too little headroom for what it is paid, unless it
// delivers enough of that asset at the hop before: orders may be listed there for the headroom alone,
// dear ones too. Rare, so no hot path: tries the selections of a few orders of each hop one by one, with
// what they mean for the headroom of makers at the hop beside it. As exact as the columns are: numbers
// choose; the caller settles what is found.
import { entryCost, entryOutput } from "./hop-columns.ts";
import { unsoldMax } from "./hop-loader.ts";
import type { HopOrders } from "./hop-problem.ts";
import { exceeds } from "./rounding.ts";

/** Orders of one hop that selections are made of: some 5,000 selections. */
const HEADROOM_ORDERS_MAX = 10;

export type HeadroomDemand = {
  readonly sells: boolean;
  readonly hopCount: number;
  readonly amount: number;
  readonly ordersMax: number;
  /** Work units. */
  readonly workMax: number;
  /** What is known already: only what beats it is of use. SELL: 0, BUY: Infinity: nothing is. */
  readonly value: number;
  /** Whether a selection (the entries of each hop, in execution order) settles. */
  readonly settles: (lists: readonly (readonly number[])[]) => boolean;
};

/**
 * What is wanted of a hop: SELL: what is paid, and what makers delivered at the hop before; BUY:
 * what must be got, and what makers have to deliver of it for the headroom they need at the hop after.
 */
type Flow = { readonly amount: number; readonly makers: ReadonlyMap<number, number> };

/** Entries in selection order; the flow they make for the hop beside it. */
type Selection = { readonly entries: readonly number[]; readonly flow: Flow };

type Hop = {
  readonly orders: HopOrders;
  /** Entries of the orders that selections are made of. */
  readonly entries: readonly number[];
  readonly isFirst: boolean;
  /** SELL: times an order's price, what is paid of it forward beyond what is executed, at most. */
  readonly unsold: number;
  /** Makers that are short of headroom at the hop after. */
  readonly shortAfter: ReadonlySet<number>;
};

export class HeadroomSearch {
  /** What comes out (SELL) or goes in (BUY) with the best selection found. */
  value = 0;
  /** False where the search was cut short. */
  complete = true;
  /** Work units taken. */
  work = 0;

  #demand!: HeadroomDemand;
  #sells = true;
  #hops: readonly Hop[] = [];
  readonly #lists: (readonly number[])[] = [];

  // The walk through the selections of one hop.
  #hop!: Hop;
  #flow!: Flow;
  #slots = 0;
  #toBeat = 0;
  #use!: (found: Selection) => void;
  readonly #whole: number[] = [];

  /** Hops in execution order, with no headroom but what makers have. */
  solve(hops: readonly HopOrders[], demand: HeadroomDemand): void {
    this.#demand = demand;
    this.#sells = demand.sells;
    this.value = demand.value;
    this.complete = true;
    this.work = 0;
    this.#hops = hops.slice(0, demand.hopCount).map((orders, at, route) => {
      this.work += orders.count;
      const [before, next] = [route[at - 1], route[at + 1]];
      const short = shortMakers(orders);
      const shortAfter = next === undefined ? new Set<number>() : shortMakers(next);
      const makersBefore = new Set(before === undefined ? [] : makersOf(before));
      const matters = makersOf(orders).map(
        (maker) => shortAfter.has(maker) || (short.has(maker) && makersBefore.has(maker)),
      );
      if (orders.count > HEADROOM_ORDERS_MAX) this.complete = false;
      return {
        orders,
        entries: mostWanted(matters),
        isFirst: at === 0,
        unsold: next === undefined ? 0 : unsoldMax(next),
        shortAfter,
      };
    });
    this.#solveFrom(0, { amount: demand.amount, makers: new Map() }, demand.ordersMax);
  }

  get #isOut(): boolean {
    if (this.work > this.#demand.workMax) this.complete = false;
    return this.work > this.#demand.workMax;
  }

  #solveFrom(stage: number, flow: Flow, slots: number): void {
    const { hopCount, settles } = this.#demand;
    const at = this.#sells ? stage : hopCount - 1 - stage;
    const stagesAfter = hopCount - 1 - stage;
    this.#hop = this.#hops[at]!;
    if (stagesAfter === 0) {
      this.#each(flow, slots, this.value, (found) => {
        this.#lists[at] = found.entries;
        if (settles(this.#lists.slice(0, hopCount))) this.value = found.flow.amount;
        this.#toBeat = this.value;
      });
      return;
    }
    const found: Selection[] = [];
    const worst = this.#sells ? 0 : Number.POSITIVE_INFINITY;
    this.#each(flow, slots - stagesAfter, worst, (one) => found.push(one));
    const sign = this.#sells ? -1 : 1;
    found.sort((one, other) => sign * (one.flow.amount - other.flow.amount));
    for (const selection of found) {
      if (this.#isOut) return;
      this.#lists[at] = selection.entries;
      this.#solveFrom(stage + 1, selection.flow, slots - selection.entries.length);
    }
  }

  /** Hands every selection of the hop for `flow` that beats `toBeat` to `use`. */
  #each(flow: Flow, slots: number, toBeat: number, use: (found: Selection) => void): void {
    this.#flow = flow;
    this.#slots = slots;
    this.#toBeat = toBeat;
    this.#use = use;
    this.#whole.length = 0;
    if (this.#hop.entries.length > 0) this.#walk(0, 0, 0);
  }

  /** The selections that hold the whole orders taken so far, and others from `from` on. */
  #walk(from: number, got: number, paid: number): void {
    const { entries, orders } = this.#hop;
    const { amount, cost } = orders.columns;
    const left = this.#flow.amount - (this.#sells ? paid : got);
    if (left <= 0 || this.#whole.length >= this.#slots || this.#isOut) return;
    if (!this.#isHopeful(got, paid, left)) return;
    this.work += entries.length;
    for (const last of entries) {
      if (!this.#whole.includes(last)) this.#complete(last, got, paid, left);
    }
    if (this.#whole.length === this.#slots - 1) return;
    for (let at = from; at < entries.length; at += 1) {
      const entry = entries[at]!;
      const [gets, pays] = [amount[entry]!, cost[entry]!];
      if ((this.#sells ? pays : gets) >= left || !this.#isCovered(entry, gets, pays)) continue;
      this.#whole.push(entry);
      this.#walk(at + 1, got + gets, paid + pays);
      this.#whole.pop();
    }
  }

  /** Whether a value is better than what is to be beaten. */
  #isBetter(value: number): boolean {
    return this.#sells ? value > this.#toBeat : value < this.#toBeat;
  }

  /** Whether what is left can still beat what is known, all of it at the best price. */
  #isHopeful(got: number, paid: number, left: number): boolean {
    const { entries, orders } = this.#hop;
    const best = orders.columns.price[entries[0]!]!;
    return this.#isBetter(
      this.#sells ? got + (left / best) * (1 + 2 ** -48) : paid + left * best * (1 - 2 ** -48),
    );
  }

  #complete(last: number, got: number, paid: number, left: number): void {
    const { columns, words } = this.#hop.orders;
    const [own, cost] = [columns.amount[last]!, columns.cost[last]!];
    let gets = Math.min(left, own);
    if (this.#sells) {
      gets = left >= cost ? own : entryOutput(columns, last, left, words);
      if (gets < 1) return;
    } else if (left > own) return;
    const pays = gets === own ? cost : entryCost(columns, last, gets, words);
    const entries = [...this.#whole, last];
    // A price that is the same as a plain number may be higher.
    const dearest = columns.price[Math.max(...entries)]!;
    if (this.#sells && left - pays > dearest * (1 + 2 ** -50)) return;
    if (!this.#isCovered(last, gets, pays)) return;
    const amount = this.#sells ? got + gets : paid + pays;
    if (!this.#isBetter(amount)) return;
    const makers = this.#makers(entries, gets, pays);
    if (makers !== undefined) this.#use({ entries, flow: { amount, makers } });
  }

  /** Whether its maker can fill an order beside the whole ones, with all the headroom it may get. */
  #isCovered(entry: number, gets: number, pays: number): boolean {
    const { isFirst, orders, unsold } = this.#hop;
    const { amount, budget, cost, headroom, owner, price } = orders.columns;
    const maker = owner[entry]!;
    let [delivered, received] = [gets, pays];
    for (const other of this.#whole) {
      if (owner[other] !== maker) continue;
      delivered += amount[other]!;
      received += cost[other]!;
    }
    if (exceeds(delivered, budget[entry]!)) return false;
    if (!this.#sells) return !isFirst || !exceeds(received, headroom[entry]!);
    const released = (this.#flow.makers.get(maker) ?? 0) + Math.ceil(unsold * price[entry]!);
    return !exceeds(received, headroom[entry]! + released);
  }

  /**
   * What a selection, of which the last order gets and is paid so much, means to the hop beside it; undefined:
   * it does not do for this flow.
   */
  #makers(entries: readonly number[], gets: number, pays: number) {
    const { orders, shortAfter } = this.#hop;
    const { amount, cost, headroom, owner } = orders.columns;
    const last = entries.at(-1);
    const delivered = new Map<number, number>();
    const received = new Map<number, number>();
    for (const entry of entries) {
      const maker = owner[entry]!;
      const [got, paid] = entry === last ? [gets, pays] : [amount[entry]!, cost[entry]!];
      delivered.set(maker, (delivered.get(maker) ?? 0) + got);
      received.set(maker, (received.get(maker) ?? 0) + paid);
    }
    if (this.#sells) return new Map([...delivered].filter(([maker]) => shortAfter.has(maker)));
    const made = [...this.#flow.makers];
    if (made.some(([maker, least]) => exceeds(least, delivered.get(maker) ?? 0))) return undefined;
    const needs = new Map<number, number>();
    for (const entry of entries) {
      const wanted = received.get(owner[entry]!)!;
      if (exceeds(wanted, headroom[entry]!)) needs.set(owner[entry]!, wanted - headroom[entry]!);
    }
    return needs;
  }
}

/** By entry whether its maker's headroom matters: entries of such makers first, the cheapest first. */
function mostWanted(matters: readonly boolean[]): readonly number[] {
  const entries = [...matters.keys()];
  if (entries.length <= HEADROOM_ORDERS_MAX) return entries;
  const wanted = entries.filter((entry) => matters[entry]).slice(0, HEADROOM_ORDERS_MAX - 2);
  const others = entries.filter((entry) => !wanted.includes(entry));
  const kept = [...wanted, ...others.slice(0, HEADROOM_ORDERS_MAX - wanted.length)];
  return kept.toSorted((one, other) => one - other);
}

function makersOf({ columns, count }: HopOrders): readonly number[] {
  return Array.from(columns.owner.subarray(0, count));
}

/** Makers who may be paid more at a hop than they have headroom for. */
function shortMakers(hop: HopOrders): ReadonlySet<number> {
  const { columns } = hop;
  const costs = new Map<number, number>();
  const short = new Set<number>();
  for (const [entry, maker] of makersOf(hop).entries()) {
    const cost = (costs.get(maker) ?? 0) + columns.cost[entry]!;
    costs.set(maker, cost);
    if (cost > columns.headroom[entry]!) short.add(maker);
  }
  return short;
}
