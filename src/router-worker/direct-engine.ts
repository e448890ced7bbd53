// One hop, best price first: the contract's walk over a side of the book, in exact integers.
import {
  BACKING_FLAGS,
  BACKING_SKIPPED,
  BACKING_STRIDE_U32,
  type BookView,
  FLAG_AUTHORIZED,
  LIST_COUNT,
  LIST_START,
  NONE,
  ORDER_EXPIRES_F64,
  ORDER_RECEIVED_BACKING,
  ORDER_SOLD_BACKING,
  ORDER_STRIDE_F64,
  ORDER_STRIDE_U32,
  SIDE_LIST,
  SIDE_STRIDE_U32,
} from "../book/shared-layout.ts";
import { findAsset, findSide } from "../book/shared-lookup.ts";
import {
  backingBudget,
  backingHeadroom,
  bookLedger,
  isFrozen,
  mayBeBought,
  orderAmount,
  orderId,
  orderPrice,
} from "../book/shared-reader.ts";
import type { OrderId } from "../model/order.ts";
import {
  type FillAmounts,
  fillBuying,
  fillSelling,
  isDust,
  outputDown,
} from "../model/settlement.ts";
import { ORDERS_MAX, type QuoteRequest, type QuoteResult } from "./quote.ts";
import { EXPIRY_MARGIN, type QuoteContext } from "./quote-engine.ts";

type Walk = {
  /** What the taker still has to sell or to buy. */
  left: bigint;
  sold: bigint;
  bought: bigint;
  worstPrice: bigint;
  readonly orders: OrderId[];
  /** By backing record: what is left of its budget, of its headroom where bounded. */
  readonly budgets: Map<number, bigint>;
  readonly headrooms: Map<number, bigint>;
};

export function quoteDirect(
  view: BookView,
  request: QuoteRequest,
  context: QuoteContext,
): QuoteResult {
  const ledger = bookLedger(view);
  if (isFrozen(view)) return { status: "rejected", ledger, reason: "frozen" };
  const buying = findAsset(view, request.buyingAsset);
  if (buying !== NONE && !mayBeBought(view, buying)) {
    return { status: "rejected", ledger, reason: "contract_cannot_hold" };
  }
  const selling = findAsset(view, request.sellingAsset);
  const side = selling === NONE || buying === NONE ? NONE : findSide(view, selling, buying);
  const walk: Walk = {
    left: request.amount,
    sold: 0n,
    bought: 0n,
    worstPrice: 0n,
    orders: [],
    budgets: new Map(),
    headrooms: new Map(),
  };
  if (side !== NONE) walkSide(view, side, request, context, walk);
  const { sold, bought, orders, worstPrice } = walk;
  if (bought === 0n || !(request.maxPrice !== undefined || isFilled(request, walk))) {
    return { status: "unfeasible", ledger };
  }
  const { sellingAsset, buyingAsset } = request;
  const hop = { selling: sellingAsset, buying: buyingAsset, orders, worstPrice };
  return { status: "success", ledger, routes: [{ sold, bought, hops: [hop] }] };
}

/** A swap leaves nothing in the contract: what is over must be worth 0 at the worst price. */
function isFilled({ direction }: QuoteRequest, { left, worstPrice }: Walk): boolean {
  return direction === "strict_send" ? outputDown(left, worstPrice) === 0n : left === 0n;
}

function walkSide(
  view: BookView,
  side: number,
  request: QuoteRequest,
  context: QuoteContext,
  walk: Walk,
): void {
  const at = side * SIDE_STRIDE_U32 + SIDE_LIST;
  const start = view.sideU32[at + LIST_START]!;
  const end = start + view.sideU32[at + LIST_COUNT]!;
  for (let place = start; place < end; place += 1) {
    if (walk.left === 0n || walk.orders.length === ORDERS_MAX || context.shouldStop()) return;
    const slot = view.arena[place]!;
    const price = orderPrice(view, slot);
    if (request.maxPrice !== undefined && price > request.maxPrice) return;
    if (isUsable(view, slot, context)) fillOrder(view, slot, price, request, walk);
  }
}

function isUsable(view: BookView, slot: number, { now, skipWindow }: QuoteContext): boolean {
  const expires = view.orderF64[slot * ORDER_STRIDE_F64 + ORDER_EXPIRES_F64]!;
  if (expires <= now + EXPIRY_MARGIN) return false;
  const at = slot * ORDER_STRIDE_U32;
  const sold = view.orderU32[at + ORDER_SOLD_BACKING]! * BACKING_STRIDE_U32;
  const received = view.orderU32[at + ORDER_RECEIVED_BACKING]! * BACKING_STRIDE_U32;
  const both = view.backingU32[sold + BACKING_FLAGS]! & view.backingU32[received + BACKING_FLAGS]!;
  if ((both & FLAG_AUTHORIZED) === 0) return false;
  const skipped = view.backingU32[sold + BACKING_SKIPPED]!;
  return skipped === 0 || skipped + skipWindow <= now;
}

/** Takes the order in unless its maker could not settle the fill: the contract would skip it. */
function fillOrder(
  view: BookView,
  slot: number,
  price: bigint,
  request: QuoteRequest,
  walk: Walk,
): void {
  const amount = orderAmount(view, slot);
  const fill =
    request.direction === "strict_send"
      ? fillSelling(walk.left, amount, price)
      : fillBuying(walk.left, amount, price);
  if (fill === undefined || isDust(amount, price) || !takeBacking(view, slot, fill, walk)) return;
  walk.left -= request.direction === "strict_send" ? fill.sold : fill.bought;
  walk.sold += fill.sold;
  walk.bought += fill.bought;
  walk.worstPrice = price;
  walk.orders.push(orderId(view, slot));
}

function takeBacking(view: BookView, slot: number, fill: FillAmounts, walk: Walk): boolean {
  const at = slot * ORDER_STRIDE_U32;
  const sold = view.orderU32[at + ORDER_SOLD_BACKING]!;
  const received = view.orderU32[at + ORDER_RECEIVED_BACKING]!;
  const budget = walk.budgets.get(sold) ?? backingBudget(view, sold);
  const headroom = walk.headrooms.get(received) ?? backingHeadroom(view, received);
  if (budget < fill.bought || (headroom !== undefined && headroom < fill.sold)) return false;
  walk.budgets.set(sold, budget - fill.bought);
  if (headroom !== undefined) walk.headrooms.set(received, headroom - fill.sold);
  return true;
}
