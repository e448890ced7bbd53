// The best order selection for one hop by branch and bound: an oracle for books of some dozens of
// orders. What it answers is settled in integers; floats, with a margin, only cut branches off.
import type { Address } from "../../src/model/address.ts";
import type { TokenWorld } from "./call-bytes.ts";
import {
  type Demand,
  isBetter,
  type Offer,
  offersOf,
  type SettledRoute,
  settleLists,
} from "./plain-settlement.ts";

/** Relative; above the floats' error of some dozens of sums, far below the differences that count. */
const MARGIN = 1e-12;
/** Shadow prices that bound a branch, picked evenly among the orders' own. */
const SHADOW_PRICES = 8;

type Entry = {
  readonly offer: Offer;
  readonly amount: number;
  readonly cost: number;
  readonly price: number;
};

export type SelectionDemand = Demand & { readonly ordersMax: number };

export type BestSelection = {
  /** Undefined: no list settles. */
  readonly best: SettledRoute | undefined;
  /** False: `nodesMax` ended the search. */
  readonly isProven: boolean;
};

export function bestSelection(
  state: TokenWorld,
  { selling, buying }: { readonly selling: Address; readonly buying: Address },
  demand: SelectionDemand,
  nodesMax: number,
): BestSelection {
  return new SelectionSearch(state, offersOf(state, selling, buying), demand).search(nodesMax);
}

class SelectionSearch {
  readonly #state: TokenWorld;
  readonly #demand: SelectionDemand;
  readonly #sells: boolean;
  readonly #amount: number;
  /** Cheapest first. */
  readonly #entries: readonly Entry[];
  readonly #shadowPrices: readonly number[];
  #best: SettledRoute | undefined;
  #nodes = 0;

  constructor(state: TokenWorld, offers: readonly Offer[], demand: SelectionDemand) {
    this.#state = state;
    this.#demand = demand;
    this.#sells = demand.direction === "strict_send";
    this.#amount = Number(demand.amount);
    this.#entries = offers
      .toSorted((one, other) => (one.price < other.price ? -1 : one.price > other.price ? 1 : 0))
      .map((offer) => {
        const price = Number(offer.price) / 1e18;
        const amount = Number(offer.amount);
        return { offer, amount, price, cost: amount * price };
      });
    const step = Math.max(1, Math.ceil(this.#entries.length / SHADOW_PRICES));
    this.#shadowPrices = this.#entries.filter((_, at) => at % step === 0).map(({ price }) => price);
  }

  search(nodesMax: number): BestSelection {
    for (const last of this.#entries) this.#branch([], 0, last, nodesMax);
    return { best: this.#best, isProven: this.#nodes <= nodesMax };
  }

  /** `whole`: entries before `from` that are taken whole; `last` comes after them. */
  #branch(whole: readonly Entry[], from: number, last: Entry, nodesMax: number): void {
    this.#nodes += 1;
    if (this.#nodes > nodesMax) return;
    this.#settle(whole, last);
    if (whole.length >= this.#demand.ordersMax - 1) return;
    for (let at = from; at < this.#entries.length; at += 1) {
      const entry = this.#entries[at] as Entry;
      if (entry === last) continue;
      if (!this.#canImprove(whole, at, last)) return;
      if (this.#fits([...whole, entry])) this.#branch([...whole, entry], at + 1, last, nodesMax);
    }
  }

  #settle(whole: readonly Entry[], last: Entry): void {
    const [used, most] = this.#sells
      ? [sum(whole, "cost"), last.cost]
      : [sum(whole, "amount"), last.amount];
    // A last order that cannot use the rest leaves something over: no answer.
    if (this.#amount - used > most + this.#slack(most)) return;
    const list = [...whole, last].map(({ offer }) => offer);
    const settled = settleLists(this.#state, [list], this.#demand);
    if (settled === undefined) return;
    if (isBetter(settled, this.#best, this.#demand.direction)) this.#best = settled;
  }

  #fits(whole: readonly Entry[]): boolean {
    const used = this.#sells ? sum(whole, "cost") : sum(whole, "amount");
    const added = whole.at(-1)?.offer;
    const got = whole.reduce(
      (total, { offer }) => (offer.owner === added?.owner ? total + offer.amount : total),
      0n,
    );
    return used <= this.#amount + this.#slack(used) && got <= (added?.budget ?? 0n);
  }

  /** Units by which rounding of some dozens of fills, and of floats, may move a sum. */
  #slack(amount: number): number {
    return 100 + MARGIN * Math.max(amount, this.#amount);
  }

  /** Whether taking more orders from `from` on can still beat the best. */
  #canImprove(whole: readonly Entry[], from: number, last: Entry): boolean {
    if (this.#best === undefined) return true;
    const open = this.#open(whole, from, last);
    return this.#sells
      ? this.#mostBought(whole, open) * (1 + MARGIN) >= Number(this.#best.bought)
      : this.#leastSold(whole, open) * (1 - MARGIN) <= Number(this.#best.sold);
  }

  #mostBought(whole: readonly Entry[], open: readonly Entry[]): number {
    const rest = this.#amount - sum(whole, "cost");
    const gotten = sum(whole, "amount");
    const slots = this.#demand.ordersMax - whole.length;
    let [relaxed, left] = [gotten, rest];
    for (const { price, amount } of open) {
      const taken = Math.min(left, amount * price);
      relaxed += taken / price;
      left -= taken;
    }
    return this.#shadowPrices.reduce((least, price) => {
      const gains = open.map((entry) => entry.amount * (1 - entry.price / price));
      return Math.min(least, gotten + rest / price + sumOfLargest(gains, slots));
    }, relaxed);
  }

  #leastSold(whole: readonly Entry[], open: readonly Entry[]): number {
    const rest = this.#amount - sum(whole, "amount");
    const paid = sum(whole, "cost");
    const slots = this.#demand.ordersMax - whole.length;
    let [relaxed, left] = [paid, rest];
    for (const { price, amount } of open) {
      const taken = Math.min(left, amount);
      relaxed += taken * price;
      left -= taken;
    }
    if (left > this.#slack(0)) return Number.POSITIVE_INFINITY;
    return this.#shadowPrices.reduce((most, price) => {
      const gains = open.map((entry) => entry.amount * (price - entry.price));
      return Math.max(most, paid + rest * price - sumOfLargest(gains, slots));
    }, relaxed);
  }

  /** The last one and those from `from` on, cheapest first, each as far as its maker backs it. */
  #open(whole: readonly Entry[], from: number, last: Entry): readonly Entry[] {
    return this.#entries.flatMap((entry, at) => {
      if (entry !== last && (at < from || whole.includes(entry))) return [];
      const { owner, budget } = entry.offer;
      const used = whole.reduce(
        (total, other) => (other.offer.owner === owner ? total + other.amount : total),
        0,
      );
      const amount = Math.min(entry.amount, Number(budget) - used);
      return amount > 0 ? [{ ...entry, amount }] : [];
    });
  }
}

function sum(entries: readonly Entry[], field: "amount" | "cost"): number {
  return entries.reduce((total, entry) => total + entry[field], 0);
}

function sumOfLargest(gains: readonly number[], count: number): number {
  return gains
    .filter((gain) => gain > 0)
    .sort((one, other) => other - one)
    .slice(0, count)
    .reduce((total, gain) => total + gain, 0);
}
