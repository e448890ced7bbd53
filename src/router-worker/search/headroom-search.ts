// The best selection of a route on which a maker has too little headroom for what it is paid, unless it
// delivers enough of that asset at the hop before: orders may be listed there for the headroom alone,
// dear ones too. Rare, so no hot path: tries the selections of a few orders of each hop one by one, with
// what they mean for the headroom of makers at the hop beside it. As exact as the columns are: numbers
// choose; the caller settles what is found.
import { entryCost, entryOutput } from "./hop-columns.ts";
import { unsoldMax } from "./hop-loader.ts";
import type { HopOrders } from "./hop-problem.ts";
import { exceeds, sumError } from "./rounding.ts";

/** Orders of one hop that selections are made of: some 5,000 selections. */
const HEADROOM_ORDERS_MAX = 10;

export type HeadroomDemand = {
  readonly sells: boolean;
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

/** What is looked for at a hop; `isLast`: of those that are to be solved. */
type Task = {
  readonly hop: Hop;
  readonly flow: Flow;
  readonly slots: number;
  readonly isLast: boolean;
};

type Fill = {
  readonly entry: number;
  readonly maker: number;
  readonly gets: number;
  readonly pays: number;
};

/** Entries in selection order; the flow they make for the hop beside it. */
type Selection = { readonly entries: readonly number[]; readonly flow: Flow };

export class HeadroomSearch {
  /** What comes out (SELL) or goes in (BUY) with the best selection found. */
  value: number;
  /** False where the search was cut short. */
  complete = true;
  /** Work units taken. */
  work = 0;
  readonly #demand: HeadroomDemand;
  readonly #hops: readonly Hop[];
  readonly #lists: (readonly number[])[] = [];

  /** Searches. Hops in execution order, with no headroom but what makers have. */
  constructor(hops: readonly HopOrders[], demand: HeadroomDemand) {
    this.#demand = demand;
    this.value = demand.value;
    const makers = hops.map(makersOf);
    const short = hops.map(shortMakers);
    this.#hops = hops.map((orders, at) => {
      this.work += orders.count;
      if (orders.count > HEADROOM_ORDERS_MAX) this.complete = false;
      const [shortAfter, next] = [short[at + 1] ?? new Set<number>(), hops[at + 1]];
      const matters = makers[at]!.map(
        (maker) =>
          shortAfter.has(maker) || (short[at]!.has(maker) && makers[at - 1]?.includes(maker)),
      );
      const unsold = next === undefined ? 0 : unsoldMax(next);
      return { orders, entries: mostWanted(matters), isFirst: at === 0, unsold, shortAfter };
    });
    this.#solveFrom(0, { amount: demand.amount, makers: new Map() }, demand.ordersMax);
  }

  get #isOut(): boolean {
    if (this.work > this.#demand.workMax) this.complete = false;
    return this.work > this.#demand.workMax;
  }

  #solveFrom(stage: number, flow: Flow, slots: number): void {
    const { sells, settles } = this.#demand;
    const stagesAfter = this.#hops.length - 1 - stage;
    const isLast = stagesAfter === 0;
    const at = sells ? stage : stagesAfter;
    const task = { hop: this.#hops[at]!, flow, slots: slots - stagesAfter, isLast };
    const bestFirst = (one: Selection, other: Selection) =>
      (sells ? -1 : 1) * (one.flow.amount - other.flow.amount);
    const selections = this.#selections(task, []);
    for (const { entries, flow: next } of isLast ? selections : [...selections].sort(bestFirst)) {
      this.#lists[at] = entries;
      if (isLast) {
        if (settles([...this.#lists])) this.value = next.amount;
      } else if (!this.#isOut) this.#solveFrom(stage + 1, next, slots - entries.length);
    }
  }

  /** The selections for a flow that hold the orders filled whole, and others of the entries from `from` on. */
  *#selections(task: Task, whole: readonly Fill[], from = 0): Generator<Selection> {
    const { hop, flow, slots } = task;
    const { amount, cost, owner } = hop.orders.columns;
    const left = flow.amount - sumOf(whole, this.#demand.sells ? "pays" : "gets");
    if (left <= 0 || whole.length >= slots || this.#isOut) return;
    if (!this.#isHopeful(task, whole, left)) return;
    this.work += hop.entries.length;
    for (const last of hop.entries) {
      if (whole.some(({ entry }) => entry === last)) continue;
      const found = this.#completed(task, whole, last, left);
      if (found !== undefined) yield found;
    }
    if (whole.length === slots - 1) return;
    for (let at = from; at < hop.entries.length; at += 1) {
      const entry = hop.entries[at]!;
      const fill = { entry, maker: owner[entry]!, gets: amount[entry]!, pays: cost[entry]! };
      if ((this.#demand.sells ? fill.pays : fill.gets) >= left) continue;
      const fills = [...whole, fill];
      if (this.#isCovered(task, fills)) yield* this.#selections(task, fills, at + 1);
    }
  }

  /** Whether a value is of use: of what the last hop makes only what is better than what is known. */
  #isBetter({ isLast }: Task, value: number): boolean {
    if (this.#demand.sells) return value > (isLast ? this.value : 0);
    return value < (isLast ? this.value : Number.POSITIVE_INFINITY);
  }

  /** Whether what is left can still be of use, all of it at the best price. */
  #isHopeful(task: Task, whole: readonly Fill[], left: number): boolean {
    const best = task.hop.orders.columns.price[0]!;
    const value = this.#demand.sells
      ? sumOf(whole, "gets") + (left / best) * (1 + 2 ** -48)
      : sumOf(whole, "pays") + left * best * (1 - 2 ** -48);
    return this.#isBetter(task, value);
  }

  /** The selection of the whole orders and a break item, where it is of use. */
  #completed(
    task: Task,
    whole: readonly Fill[],
    entry: number,
    left: number,
  ): Selection | undefined {
    const { sells } = this.#demand;
    const { columns, words } = task.hop.orders;
    const [own, cost] = [columns.amount[entry]!, columns.cost[entry]!];
    const error = sumError(task.flow.amount);
    let gets = Math.min(left, own);
    if (sells) {
      gets = left >= cost ? own : entryOutput(columns, entry, left, words);
      if (gets < 1) return undefined;
    } else if (left > own + error) return undefined;
    const pays = gets === own ? cost : entryCost(columns, entry, gets, words);
    const fills = [...whole, { entry, maker: columns.owner[entry]!, gets, pays }];
    const entries = fills.map((fill) => fill.entry);
    // A price that is the same as a plain number may be higher.
    const dearest = columns.price[Math.max(...entries)]!;
    if (sells && left - pays > dearest * (1 + 2 ** -50) + error) return undefined;
    const amount = sumOf(fills, sells ? "gets" : "pays");
    if (!this.#isBetter(task, amount) || !this.#isCovered(task, fills)) return undefined;
    const makers = this.#makersOf(task, fills);
    return makers === undefined ? undefined : { entries, flow: { amount, makers } };
  }

  /** Whether its maker can fill the last one beside the others, with all the headroom it may get. */
  #isCovered({ hop, flow }: Task, fills: readonly Fill[]): boolean {
    const { budget, headroom, price } = hop.orders.columns;
    const { entry, maker } = fills.at(-1)!;
    if (exceeds(sumOf(fills, "gets", maker), budget[entry]!)) return false;
    const received = sumOf(fills, "pays", maker);
    if (!this.#demand.sells) return !hop.isFirst || !exceeds(received, headroom[entry]!);
    const released = (flow.makers.get(maker) ?? 0) + Math.ceil(hop.unsold * price[entry]!);
    return !exceeds(received, headroom[entry]! + released);
  }

  /** What a selection means to the hop beside it; undefined: it does not do for this flow. */
  #makersOf({ hop, flow }: Task, fills: readonly Fill[]): Flow["makers"] | undefined {
    const { headroom } = hop.orders.columns;
    const makers = new Map<number, number>();
    for (const { entry, maker } of fills) {
      if (this.#demand.sells) {
        if (hop.shortAfter.has(maker)) makers.set(maker, sumOf(fills, "gets", maker));
        continue;
      }
      const lacked = sumOf(fills, "pays", maker);
      if (exceeds(lacked, headroom[entry]!)) makers.set(maker, lacked - headroom[entry]!);
    }
    if (this.#demand.sells) return makers;
    const isEnough = ([maker, least]: readonly [number, number]) =>
      !exceeds(least, sumOf(fills, "gets", maker));
    return [...flow.makers].every(isEnough) ? makers : undefined;
  }
}

/** What fills get or pay: all of them, or those of one maker. */
function sumOf(fills: readonly Fill[], what: "gets" | "pays", maker?: number): number {
  let sum = 0;
  for (const fill of fills) if (maker === undefined || fill.maker === maker) sum += fill[what];
  return sum;
}

/** By entry whether its maker's headroom matters: entries of such makers first, the cheapest first. */
function mostWanted(matters: readonly (boolean | undefined)[]): readonly number[] {
  const entries = [...matters.keys()];
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
