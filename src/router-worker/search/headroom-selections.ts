// The selections of one hop, one by one, with what they mean for the headroom of makers at the hop beside
// it: for headroom-search.ts. As exact as the columns are.
import { entryCost, entryOutput } from "./hop-columns.ts";
import { type HopDirection, type HopOrders, SELL } from "./hop-problem.ts";
import { exceeds } from "./hop-selection.ts";

/** Orders of one hop that selections are made of: some 5,000 selections. */
const ORDERS_MAX = 10;

/**
 * What is wanted of a hop: SELL: what is paid, and what makers delivered at the hop before; BUY:
 * what must be got, and what makers have to deliver of it for the headroom they need at the hop after.
 */
export type HeadroomFlow = {
  readonly amount: number;
  readonly makers: ReadonlyMap<number, number>;
};

/** Entries in selection order; what they get (SELL) or cost (BUY); what `HeadroomFlow` has of makers. */
export type HeadroomSelection = {
  readonly value: number;
  readonly entries: readonly number[];
  readonly makers: ReadonlyMap<number, number>;
};

type Offer = {
  readonly entry: number;
  readonly at: number;
  readonly maker: number;
  readonly price: number;
  readonly amount: number;
  readonly cost: number;
  readonly budget: number;
  readonly headroom: number;
  /** Whether it is of a maker whose headroom depends on what it delivers. */
  readonly matters: boolean;
};

export class HeadroomSelections {
  /** Work units since `take`. */
  work = 0;
  /** Orders of the hop were left out. */
  isCut = false;

  #hop!: HopOrders;
  #offers: readonly Offer[] = [];
  #direction: HopDirection = SELL;
  #isFirst = true;
  /** SELL: times an order's price, what is paid of it forward beyond what is executed, at most. */
  #unsold = 0;
  /** Makers that are short of headroom at the hop after. */
  #shortAfter: ReadonlySet<number> = new Set();

  // The walk.
  #flow!: HeadroomFlow;
  #slots = 0;
  #workEnd = 0;
  #toBeat = 0;
  #use!: (found: HeadroomSelection) => number;
  readonly #whole: Offer[] = [];

  /** Takes up the hop at `at` of those of a route. */
  take(
    hops: readonly HopOrders[],
    at: number,
    { direction, hopCount }: { readonly direction: HopDirection; readonly hopCount: number },
  ): void {
    const hop = hops[at]!;
    const next = at + 1 < hopCount ? hops[at + 1] : undefined;
    const before = at === 0 ? undefined : hops[at - 1];
    this.work = hop.count;
    this.#hop = hop;
    this.#direction = direction;
    this.#isFirst = at === 0;
    this.#unsold =
      next === undefined || next.count === 0 ? 0 : next.columns.price[next.start + next.count - 1]!;
    this.#shortAfter = next === undefined ? new Set() : shortMakers(next);
    const makersBefore = before === undefined ? new Set<number>() : allMakers(before);
    const short = shortMakers(hop);
    const offers = Array.from({ length: hop.count }, (_, entry) => {
      const maker = makerOf(hop, entry);
      const matters = this.#shortAfter.has(maker) || (short.has(maker) && makersBefore.has(maker));
      return offerAt(hop, entry, maker, matters);
    });
    this.isCut = offers.length > ORDERS_MAX;
    this.#offers = this.isCut ? mostWanted(offers) : offers;
  }

  /**
   * Hands every selection for `flow` that beats `toBeat` to `use`, which says what is to be beaten
   * from then on. Ends once `work` has grown by `workMax`.
   */
  each(
    flow: HeadroomFlow,
    slots: number,
    workMax: number,
    toBeat: number,
    use: (found: HeadroomSelection) => number,
  ): void {
    this.#flow = flow;
    this.#slots = slots;
    this.#workEnd = this.work + workMax;
    this.#toBeat = toBeat;
    this.#use = use;
    this.#whole.length = 0;
    if (this.#offers.length > 0) this.#walk(0, 0, 0);
  }

  /** The selections that hold the whole orders taken so far, and others from `from` on. */
  #walk(from: number, got: number, paid: number): void {
    const sells = this.#direction === SELL;
    const left = this.#flow.amount - (sells ? paid : got);
    if (left <= 0 || this.#whole.length >= this.#slots || this.work > this.#workEnd) return;
    if (!this.#isHopeful(got, paid, left)) return;
    this.work += this.#offers.length;
    for (const last of this.#offers) {
      if (!this.#whole.includes(last)) this.#complete(last, got, paid, left);
    }
    if (this.#whole.length === this.#slots - 1) return;
    for (let at = from; at < this.#offers.length; at += 1) {
      const offer = this.#offers[at]!;
      if ((sells ? offer.cost : offer.amount) >= left) continue;
      if (!this.#isCovered(offer, offer.amount, offer.cost)) continue;
      this.#whole.push(offer);
      this.#walk(at + 1, got + offer.amount, paid + offer.cost);
      this.#whole.pop();
    }
  }

  /** Whether what is left can still beat what is known, all of it at the best price. */
  #isHopeful(got: number, paid: number, left: number): boolean {
    const best = this.#offers[0]!.price;
    return this.#direction === SELL
      ? got + (left / best) * (1 + 2 ** -48) > this.#toBeat
      : paid + left * best * (1 - 2 ** -48) < this.#toBeat;
  }

  #complete(last: Offer, got: number, paid: number, left: number): void {
    const { columns, words } = this.#hop;
    let gets = Math.min(left, last.amount);
    if (this.#direction === SELL) {
      gets = left >= last.cost ? last.amount : entryOutput(columns, last.at, left, words);
      if (gets < 1) return;
    } else if (left > last.amount) return;
    const pays = gets === last.amount ? last.cost : entryCost(columns, last.at, gets, words);
    // A price that is the same as a plain number may be higher.
    const unsold = this.#highestPrice(last) * (1 + 2 ** -50);
    if (this.#direction === SELL && left - pays > unsold) return;
    if (!this.#isCovered(last, gets, pays)) return;
    const value = this.#direction === SELL ? got + gets : paid + pays;
    if (this.#direction === SELL ? value <= this.#toBeat : value >= this.#toBeat) return;
    const makers = this.#makers(last, gets, pays);
    if (makers === undefined) return;
    const entries = [...this.#whole, last].map(({ entry }) => entry);
    this.#toBeat = this.#use({ value, entries, makers });
  }

  #highestPrice(last: Offer): number {
    return this.#whole.reduce((most, { price }) => Math.max(most, price), last.price);
  }

  /** Whether its maker can fill an order beside the whole ones, with all the headroom it may get. */
  #isCovered(offer: Offer, gets: number, pays: number): boolean {
    let [delivered, received] = [gets, pays];
    for (const other of this.#whole) {
      if (other.maker !== offer.maker) continue;
      delivered += other.amount;
      received += other.cost;
    }
    if (exceeds(delivered, offer.budget)) return false;
    if (this.#direction !== SELL) return !this.#isFirst || !exceeds(received, offer.headroom);
    const made = this.#flow.makers.get(offer.maker) ?? 0;
    return !exceeds(received, offer.headroom + made + Math.ceil(this.#unsold * offer.price));
  }

  /** What the selection means to the hop beside it; undefined: it does not do for this flow. */
  #makers(last: Offer, gets: number, pays: number): ReadonlyMap<number, number> | undefined {
    const delivered = new Map<number, number>();
    const received = new Map<number, number>();
    const add = ({ maker }: Offer, got: number, paid: number): void => {
      delivered.set(maker, (delivered.get(maker) ?? 0) + got);
      received.set(maker, (received.get(maker) ?? 0) + paid);
    };
    for (const offer of this.#whole) add(offer, offer.amount, offer.cost);
    add(last, gets, pays);
    if (this.#direction === SELL) {
      return new Map([...delivered].filter(([maker]) => this.#shortAfter.has(maker)));
    }
    for (const [maker, least] of this.#flow.makers) {
      if (exceeds(least, delivered.get(maker) ?? 0)) return undefined;
    }
    const needs = new Map<number, number>();
    for (const { maker, headroom } of [...this.#whole, last]) {
      const wanted = received.get(maker)!;
      if (exceeds(wanted, headroom)) needs.set(maker, wanted - headroom);
    }
    return needs;
  }
}

function offerAt(hop: HopOrders, entry: number, maker: number, matters: boolean): Offer {
  const { columns, start } = hop;
  const at = start + entry;
  return {
    ...{ entry, at, maker, matters },
    price: columns.price[at]!,
    amount: columns.amount[at]!,
    cost: columns.cost[at]!,
    budget: columns.budget[at]!,
    headroom: columns.headroom[at]!,
  };
}

/** Those of makers whose headroom matters first, the cheapest first; then in the order of price. */
function mostWanted(offers: readonly Offer[]): readonly Offer[] {
  const wanted = offers.filter(({ matters }) => matters).slice(0, ORDERS_MAX - 2);
  const others = offers.filter((offer) => !wanted.includes(offer));
  const kept = [...wanted, ...others.slice(0, ORDERS_MAX - wanted.length)];
  return kept.toSorted((one, other) => one.entry - other.entry);
}

function makerOf({ columns, start }: HopOrders, entry: number): number {
  return columns.owner[start + entry]!;
}

function allMakers(hop: HopOrders): ReadonlySet<number> {
  return new Set(Array.from({ length: hop.count }, (_, entry) => makerOf(hop, entry)));
}

/** Makers who may be paid more at a hop than they have headroom for. */
function shortMakers(hop: HopOrders): ReadonlySet<number> {
  const { columns, start, count } = hop;
  const costs = new Map<number, number>();
  const short = new Set<number>();
  for (let entry = 0; entry < count; entry += 1) {
    const maker = makerOf(hop, entry);
    const cost = (costs.get(maker) ?? 0) + columns.cost[start + entry]!;
    costs.set(maker, cost);
    if (cost > columns.headroom[start + entry]!) short.add(maker);
  }
  return short;
}
