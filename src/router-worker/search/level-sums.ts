// Hot path: what so many orders of a hop save at most against a price level, for each number of
// them. Some 100 ns, and a few more an order below the level.
//
// A maker's orders at a hop draw on the same backing: together they save no more than its backing
// does, spent on the cheapest first.
import { ORDERS_MAX } from "../quote.ts";
import { CANDIDATES_MAX } from "./candidates.ts";
import { ALONE } from "./hop-columns.ts";
import { type HopOrders, insertDescending } from "./hop-problem.ts";

/** Orders of one maker that are looked at; the savings of those beyond count in full. */
const ORDERS_OF_MAKER_MAX = 64;

export class LevelSums {
  /** What filling took so far, in steps of some 50 ns. */
  work = 0;

  readonly #savings = new Float64Array(ORDERS_MAX);
  #held = 0;
  /** By group: the fill that counted its maker last. */
  readonly #fillOf = new Float64Array(CANDIDATES_MAX);
  #fills = 0;
  /** Of the maker at hand, by order, the dearest first. */
  readonly #gain = new Float64Array(ORDERS_OF_MAKER_MAX);
  readonly #most = new Float64Array(ORDERS_OF_MAKER_MAX);
  readonly #price = new Float64Array(ORDERS_OF_MAKER_MAX);
  /** Their savings, the largest first. */
  readonly #ofMaker = new Float64Array(ORDERS_OF_MAKER_MAX);

  /** Fills `sums`: what so many orders of the hop save at most against the level. */
  fill(sums: Float64Array, hop: HopOrders, level: number): void {
    const { columns, start, count, groups } = hop;
    const { group, most, price } = columns;
    this.#held = 0;
    this.#fills += 1;
    let end = start;
    for (; end < start + count && price[end]! < level; end += 1) {
      if (group[end] === ALONE) this.#add(most[end]! * (level - price[end]!));
    }
    if (groups > 0) this.#addMakers(hop, level, end);
    this.work += 1 + (end - start) / 8;
    sums[0] = 0;
    for (let place = 0; place < ORDERS_MAX; place += 1) {
      sums[place + 1] = sums[place]! + (place < this.#held ? this.#savings[place]! : 0);
    }
  }

  /** Each maker with several orders below the level, which end before `end`. */
  #addMakers(hop: HopOrders, level: number, end: number): void {
    const { start, columns } = hop;
    for (let at = end - 1; at >= start; at -= 1) {
      const maker = columns.group[at]!;
      if (maker === ALONE || this.#fillOf[maker] === this.#fills) continue;
      this.#fillOf[maker] = this.#fills;
      this.#addMaker(hop, level, at - start);
    }
  }

  #add(saving: number): void {
    const savings = this.#savings;
    if (this.#held < ORDERS_MAX) this.#held += 1;
    else if (saving <= savings[ORDERS_MAX - 1]!) return;
    insertDescending(savings, this.#held, saving);
  }

  /**
   * Each order of a maker, of whom `top` is the dearest below the level, in full, those that save
   * most first, until its backing saves no more.
   */
  #addMaker({ columns, start }: HopOrders, level: number, top: number): void {
    let orders = 0;
    for (let entry = top; entry >= 0; entry = columns.previous[start + entry]!) {
      const price = columns.price[start + entry]!;
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
    // As the search has it: of a copy with credit for room the dearest order has the most of it.
    const all = start + columns.groupTop[start + columns.group[start + top]!]!;
    let left = this.#mostOfMaker(orders, columns.budget[all]!, columns.room[all]!);
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
