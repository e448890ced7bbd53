// Hot path: walks the sides of a market best price first, leaving out what the contract would
// skip, and sums it up by level. Some 100 ns an order; allocates a level's texts and nothing else,
// unless amounts exceed 2^53.
import { decimalText, tokenText } from "../model/display.ts";
import { costUp } from "../model/settlement.ts";
import { type LevelRule, PRICE_DECIMALS } from "./depth-levels.ts";
import {
  BACKING_BUDGET_F64,
  BACKING_FLAGS,
  BACKING_STRIDE_F64,
  BACKING_STRIDE_U32,
  type BookView,
  FLAG_AUTHORIZED,
  LIST_COUNT,
  LIST_START,
  NONE,
  ORDER_AMOUNT_F64,
  ORDER_EXPIRES_F64,
  ORDER_PRICE_F64,
  ORDER_RECEIVED_BACKING,
  ORDER_SOLD_BACKING,
  ORDER_STRIDE_F64,
  ORDER_STRIDE_U32,
  POOL_BACKINGS,
  POOL_HIGH,
  SIDE_LIST,
  SIDE_STRIDE_U32,
} from "./shared-layout.ts";
import { backingBudget, orderAmount, orderPrice } from "./shared-reader.ts";

/** Below, a double holds every integer exactly. */
const EXACT_MAX = 2 ** 53;
/** A cost below this, and this far from an integer (relative), is rounded right by a double. */
const COST_MAX = 2 ** 48;
const COST_SLACK = 2 ** -51;

/** Price and quantity in tokens, decimal texts. */
export type DepthLevel = readonly [price: string, quantity: string];

/** A walk over one side; `slot` is the order it stands on, NONE at the end. */
export type SideWalk = { slot: number; place: number; readonly end: number };

export class DepthWalk {
  #view: BookView | undefined;
  #now = 0;
  /** By backing record: the round it was last used in, and what is then left of its budget. */
  #round = 0;
  #rounds = new Uint32Array(0);
  #left = new Float64Array(0);
  /** Budgets beyond `EXACT_MAX`, where `#left` is NaN. */
  readonly #large = new Map<number, bigint>();

  /** A new request. Both sides of a market sell different assets, so they share no budget. */
  begin(view: BookView, now: number): void {
    this.#view = view;
    this.#now = now;
    this.#round += 1;
    this.#large.clear();
    const records = view.headerU32[POOL_BACKINGS + POOL_HIGH]! + 1;
    if (this.#rounds.length < records || this.#round > 0xffff_ffff) {
      this.#rounds = new Uint32Array(2 * records);
      this.#left = new Float64Array(2 * records);
      this.#round = 1;
    }
  }

  /** Stands on the best order of the side that the contract would fill. */
  openSide(side: number): SideWalk {
    if (side === NONE || this.#view === undefined) return { slot: NONE, place: 0, end: 0 };
    const { sideU32 } = this.#view;
    const at = side * SIDE_STRIDE_U32 + SIDE_LIST;
    const start = sideU32[at + LIST_START]!;
    const walk = { slot: NONE, place: start, end: start + sideU32[at + LIST_COUNT]! };
    this.#advance(this.#view, walk);
    return walk;
  }

  /**
   * Levels from the order the walk stands on, up to the maker price `highest` (undefined: all).
   * The walk is used up.
   */
  levels(
    walk: SideWalk,
    rule: LevelRule,
    highest: bigint | undefined,
    limit: number,
  ): DepthLevel[] {
    const levels: DepthLevel[] = [];
    const view = this.#view;
    if (view === undefined) return levels;
    while (walk.slot !== NONE && levels.length < limit) {
      const price = orderPrice(view, walk.slot);
      if (highest !== undefined && price > highest) break;
      const level = rule.levelOf(price);
      const last = highest !== undefined && highest < level.last ? highest : level.last;
      const quantity = this.#sumLevel(view, walk, last, rule.counts === "bought");
      if (level.isShown)
        levels.push([decimalText(level.price, PRICE_DECIMALS), tokenText(quantity)]);
    }
    return levels;
  }

  /** Sums all orders up to the maker price `last`, in base units of the base asset. */
  #sumLevel(view: BookView, walk: SideWalk, last: bigint, bought: boolean): bigint {
    // An approximate price below (above) that of `last` is exactly so; at it, integers decide.
    const lastPrice = Number(last);
    let large = 0n;
    let sum = 0;
    while (walk.slot !== NONE) {
      const { slot } = walk;
      const price = view.orderF64[slot * ORDER_STRIDE_F64 + ORDER_PRICE_F64]!;
      if (price > lastPrice || (price === lastPrice && orderPrice(view, slot) > last)) break;
      const amount = view.orderF64[slot * ORDER_STRIDE_F64 + ORDER_AMOUNT_F64]!;
      const quantity = bought ? costOf(amount, price) : amount;
      if (quantity + sum < EXACT_MAX) sum += quantity;
      else {
        const exact = orderAmount(view, slot);
        large += bought ? costUp(exact, orderPrice(view, slot)) : exact;
      }
      this.#advance(view, walk);
    }
    return large + BigInt(sum);
  }

  #advance(view: BookView, walk: SideWalk): void {
    while (walk.place < walk.end) {
      const slot = view.arena[walk.place]!;
      walk.place += 1;
      if (this.#takeBacking(view, slot)) {
        walk.slot = slot;
        return;
      }
    }
    walk.slot = NONE;
  }

  /**
   * True where the contract would fill all of the order: then its maker's budget falls by it. An
   * order that what is left does not cover is skipped whole, and a smaller one may follow.
   */
  #takeBacking(view: BookView, slot: number): boolean {
    const atF64 = slot * ORDER_STRIDE_F64;
    const atU32 = slot * ORDER_STRIDE_U32;
    if (view.orderF64[atF64 + ORDER_EXPIRES_F64]! <= this.#now) return false;
    const received = view.orderU32[atU32 + ORDER_RECEIVED_BACKING]! * BACKING_STRIDE_U32;
    if ((view.backingU32[received + BACKING_FLAGS]! & FLAG_AUTHORIZED) === 0) return false;
    const record = view.orderU32[atU32 + ORDER_SOLD_BACKING]!;
    if (this.#rounds[record] !== this.#round) this.#open(view, record);
    const left = this.#left[record]!;
    if (Number.isNaN(left)) return this.#takeLarge(record, orderAmount(view, slot));
    const amount = view.orderF64[atF64 + ORDER_AMOUNT_F64]!;
    if (amount > left) return false;
    this.#left[record] = left - amount;
    return true;
  }

  #open(view: BookView, record: number): void {
    this.#rounds[record] = this.#round;
    const budget = view.backingF64[record * BACKING_STRIDE_F64 + BACKING_BUDGET_F64]!;
    if (budget < EXACT_MAX) this.#left[record] = budget;
    else {
      this.#left[record] = Number.NaN;
      this.#large.set(record, backingBudget(view, record));
    }
  }

  #takeLarge(record: number, amount: bigint): boolean {
    const left = this.#large.get(record) ?? 0n;
    if (amount > left) return false;
    this.#large.set(record, left - amount);
    return true;
  }
}

/** ceil(amount * price / 10^18), or Infinity where a double cannot tell. */
function costOf(amount: number, price: number): number {
  const cost = (amount * price) / 1e18;
  const up = Math.ceil(cost);
  const slack = cost * COST_SLACK;
  const isSure = amount < EXACT_MAX && cost < COST_MAX && up - cost > slack;
  return isSure && cost - (up - 1) > slack ? up : Number.POSITIVE_INFINITY;
}
