// Hot path: walks the sides of a market best price first and sums up by level what can be taken: of each
// order the part that is left of its maker's budget, dust left out. A walk pauses after so many orders and
// goes on later. Some 100 ns an order; allocates a level's texts and nothing else, unless amounts
// exceed 2^53.
import { decimalText, tokenText } from "../model/display.ts";
import { costUp, isDust, lesser } from "../model/settlement.ts";
import { type Level, type LevelRule, PRICE_DECIMALS } from "./depth-levels.ts";
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

/**
 * A walk over one side. `slot` is the order it stands on, NONE before the first and at the end; `part`
 * what can be taken of it in base units, in `largePart` where that exceeds `EXACT_MAX`.
 */
export class SideWalk {
  slot = NONE;
  place: number;
  readonly end: number;
  part = 0;
  largePart: bigint | undefined;

  constructor(place: number, end: number) {
    this.place = place;
    this.end = end;
  }

  get isOver(): boolean {
    return this.slot === NONE && this.place >= this.end;
  }
}

/** The levels of a side, as far as they are summed up. */
export class SideLevels {
  readonly shown: DepthLevel[] = [];
  readonly walk: SideWalk;
  readonly rule: LevelRule;
  /** Maker price of the last order that counts; undefined: all do. */
  readonly highest: bigint | undefined;
  readonly limit: number;
  /** The level being summed. */
  level: Level | undefined;
  /** Its last maker price, exact and as a double. */
  last = 0n;
  lastPrice = 0;
  /** Base units of the base asset, together. */
  sum = 0;
  large = 0n;

  constructor(
    walk: SideWalk,
    { rule, highest, limit }: Pick<SideLevels, "rule" | "highest" | "limit">,
  ) {
    this.walk = walk;
    this.rule = rule;
    this.highest = highest;
    this.limit = limit;
  }
}

export class DepthWalk {
  /** Orders that may still be looked at before the walk pauses. */
  #orders = 0;
  #view: BookView | undefined;
  #now = 0;
  /** By backing record: the round it was last used in, and what is then left of its budget. */
  #round = 0;
  #rounds = new Uint32Array(0);
  #left = new Float64Array(0);
  /** Budgets beyond `EXACT_MAX`, where `#left` is NaN. */
  readonly #large = new Map<number, bigint>();

  /**
   * A new request, whose walks end before the next one begins. Both sides of a market sell different
   * assets, so they share no budget. `view` must stay as it is until then.
   */
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

  /** Before the best order of the side. */
  openSide(side: number): SideWalk {
    if (side === NONE || this.#view === undefined) return new SideWalk(0, 0);
    const { sideU32 } = this.#view;
    const at = side * SIDE_STRIDE_U32 + SIDE_LIST;
    const start = sideU32[at + LIST_START]!;
    return new SideWalk(start, start + sideU32[at + LIST_COUNT]!);
  }

  /** The walks may look at so many orders from here on. */
  allow(orders: number): void {
    this.#orders = orders;
  }

  /** Goes to the first order that can be taken, if it stands on none. False where it had to pause. */
  find(walk: SideWalk): boolean {
    if (walk.slot === NONE && this.#view !== undefined) this.#advance(this.#view, walk);
    return walk.slot !== NONE || walk.isOver;
  }

  /** Sums up levels until there are enough. False where it had to pause. */
  sum(levels: SideLevels): boolean {
    const { walk, rule, highest, limit, shown } = levels;
    const view = this.#view;
    if (view === undefined) return true;
    while (shown.length < limit) {
      if (levels.level === undefined) {
        if (!this.find(walk)) return false;
        if (walk.isOver) return true;
        const price = orderPrice(view, walk.slot);
        if (highest !== undefined && price > highest) return true;
        beginLevel(levels, rule.levelOf(price));
      }
      if (!this.#sumLevel(view, levels)) return false;
      endLevel(levels);
    }
    return true;
  }

  /** Takes in the orders of the level being summed. False where it had to pause. */
  #sumLevel(view: BookView, levels: SideLevels): boolean {
    const { walk, last, lastPrice } = levels;
    const bought = levels.rule.counts === "bought";
    for (;;) {
      if (walk.slot === NONE) {
        this.#advance(view, walk);
        if (walk.slot === NONE) return walk.isOver;
      }
      const { slot, part, largePart } = walk;
      // An approximate price below (above) that of `last` is exactly so; at it, integers decide.
      const price = view.orderF64[slot * ORDER_STRIDE_F64 + ORDER_PRICE_F64]!;
      if (price > lastPrice || (price === lastPrice && orderPrice(view, slot) > last)) return true;
      const quantity = largePart === undefined ? (bought ? costOf(part, price) : part) : Infinity;
      if (quantity + levels.sum < EXACT_MAX) levels.sum += quantity;
      else {
        const exact = largePart ?? BigInt(part);
        levels.large += bought ? costUp(exact, orderPrice(view, slot)) : exact;
      }
      walk.slot = NONE;
    }
  }

  #advance(view: BookView, walk: SideWalk): void {
    while (walk.place < walk.end && this.#orders > 0) {
      const slot = view.arena[walk.place]!;
      walk.place += 1;
      this.#orders -= 1;
      if (this.#take(view, slot, walk)) {
        walk.slot = slot;
        return;
      }
    }
  }

  /** Takes the part that is left of its maker's budget. False where that is nothing, or dust. */
  #take(view: BookView, slot: number, walk: SideWalk): boolean {
    const atF64 = slot * ORDER_STRIDE_F64;
    const atU32 = slot * ORDER_STRIDE_U32;
    if (view.orderF64[atF64 + ORDER_EXPIRES_F64]! <= this.#now) return false;
    const received = view.orderU32[atU32 + ORDER_RECEIVED_BACKING]! * BACKING_STRIDE_U32;
    if ((view.backingU32[received + BACKING_FLAGS]! & FLAG_AUTHORIZED) === 0) return false;
    const record = view.orderU32[atU32 + ORDER_SOLD_BACKING]!;
    if (this.#rounds[record] !== this.#round) this.#open(view, record);
    const left = this.#left[record]!;
    if (Number.isNaN(left)) return this.#takeLarge(view, slot, walk, record);
    // Where the amount is an approximation it is beyond `left`.
    const amount = view.orderF64[atF64 + ORDER_AMOUNT_F64]!;
    const part = amount < left ? amount : left;
    if (part === 0 || isDustPart(view, slot, part)) return false;
    this.#left[record] = left - part;
    walk.part = part;
    walk.largePart = undefined;
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

  #takeLarge(view: BookView, slot: number, walk: SideWalk, record: number): boolean {
    const left = this.#large.get(record) ?? 0n;
    const part = lesser(orderAmount(view, slot), left);
    if (part === 0n || isDust(part, orderPrice(view, slot))) return false;
    this.#large.set(record, left - part);
    walk.part = Number(part);
    walk.largePart = walk.part < EXACT_MAX ? undefined : part;
    return true;
  }
}

function beginLevel(levels: SideLevels, level: Level): void {
  const { highest } = levels;
  levels.level = level;
  levels.last = highest !== undefined && highest < level.last ? highest : level.last;
  levels.lastPrice = Number(levels.last);
  levels.sum = 0;
  levels.large = 0n;
}

function endLevel(levels: SideLevels): void {
  const { level, sum, large, shown } = levels;
  levels.level = undefined;
  if (level?.isShown !== true) return;
  shown.push([decimalText(level.price, PRICE_DECIMALS), tokenText(large + BigInt(sum))]);
}

/** `isDust`, without a bigint where a double can tell. `part`: below `EXACT_MAX`. */
function isDustPart(view: BookView, slot: number, part: number): boolean {
  const worth = (part * view.orderF64[slot * ORDER_STRIDE_F64 + ORDER_PRICE_F64]!) / 1e18;
  if (worth > 1 + COST_SLACK) return false;
  if (worth < 1 - COST_SLACK) return true;
  return isDust(BigInt(part), orderPrice(view, slot));
}

/** ceil(amount * price / 10^18), or Infinity where a double cannot tell. */
function costOf(amount: number, price: number): number {
  const cost = (amount * price) / 1e18;
  const up = Math.ceil(cost);
  const slack = cost * COST_SLACK;
  const isSure = amount < EXACT_MAX && cost < COST_MAX && up - cost > slack;
  return isSure && cost - (up - 1) > slack ? up : Number.POSITIVE_INFINITY;
}
