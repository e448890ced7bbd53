// Local search (1-exchange): a hop's selections that differ from one by a single order, which is
// replaced, added or dropped. Plain numbers pick those worth settling; integers decide.
import {
  type BookView,
  ORDER_AMOUNT_F64,
  ORDER_PRICE_F64,
  ORDER_STRIDE_F64,
} from "../../book/shared-layout.ts";
import { BUY, type HopDirection, type HopOrders, SELL } from "./hop-problem.ts";
import { realPrice } from "./rounding.ts";

/** Candidates of a hop up to which orders are replaced and added; orders are dropped whatever it has. */
const EXCHANGE_CANDIDATES_MAX = 200;
/** What a selection may be worse by with an order less: a part that counts as equal, and the floats'. */
const EQUAL = 1.5e-9;
/** What one with as many orders or more must be better by, as a part. */
const BETTER = 1e-10;
const NONE_LEAVES = -1;

/**
 * What a hop takes: SELL, all of `amount` is paid; BUY, it is got. `slots`: orders that may be listed; 0:
 * orders are only dropped.
 */
export type ExchangeDemand = {
  readonly direction: HopDirection;
  readonly amount: number;
  readonly slots: number;
};

/**
 * Selections, as entries in matching order, that may be as good as `listed` with an order less, or better.
 */
export function* oneExchanges(
  orders: HopOrders,
  listed: readonly number[],
  demand: ExchangeDemand,
): Generator<readonly number[]> {
  const known = hopValue(orders, listed, demand);
  const isSmall = orders.count <= EXCHANGE_CANDIDATES_MAX;
  const all = totalOf(orders, listed);
  for (const leaving of [...listed, NONE_LEAVES]) {
    const left = leaving === NONE_LEAVES ? listed.length : listed.length - 1;
    const isDropped =
      leaving !== NONE_LEAVES &&
      left > 0 &&
      canLeave(all, orderOf(orders, leaving), demand, known, 0);
    const isReplaced = isSmall && left < demand.slots;
    if (!isDropped && !isReplaced) continue;
    const kept = listed.filter((entry) => entry !== leaving);
    if (isDropped) yield* completed(orders, kept, demand, known, EQUAL);
    if (!isReplaced) continue;
    const total = totalOf(orders, kept);
    for (let entering = 0; entering < orders.count; entering += 1) {
      if (!mayBeBetter(orders, total, entering, demand, known) || listed.includes(entering))
        continue;
      yield* completed(orders, [...kept, entering], demand, known, -BETTER);
    }
  }
}

/**
 * Whether an order of a selection, in matching order, may be left out for none in its stead, by amounts and
 * prices alone: false where `oneExchanges` would list none of those.
 */
export function mayDropOne(
  view: BookView,
  orderSlots: readonly number[],
  { direction, amount: flow }: Omit<ExchangeDemand, "slots">,
): boolean {
  const orders = orderSlots.map((slot) => {
    const at = slot * ORDER_STRIDE_F64;
    const amount = view.orderF64[at + ORDER_AMOUNT_F64]!;
    const price = realPrice(view.orderF64[at + ORDER_PRICE_F64]!);
    return { amount, price, cost: amount * price };
  });
  const all = { got: 0, paid: 0, dearest: 0 };
  let [got, paid, cheapest] = [0, 0, Number.POSITIVE_INFINITY];
  for (const { amount, price, cost } of orders) {
    const gets = Math.min(amount, direction === BUY ? flow - got : (flow - paid) / price);
    got += gets;
    paid += gets * price;
    all.got += amount;
    all.paid += cost;
    all.dearest = Math.max(all.dearest, price);
    cheapest = Math.min(cheapest, price);
  }
  // Each cost is rounded up by less than a unit.
  const rounded = orders.length;
  const known = direction === BUY ? -paid - rounded : got - rounded / cheapest;
  return orders.some((order) => canLeave(all, order, { direction, amount: flow }, known, rounded));
}

/** What orders get and cost in all, and the dearest price of them. */
type Total = { readonly got: number; readonly paid: number; readonly dearest: number };

function orderOf({ columns, start }: HopOrders, entry: number) {
  return { amount: columns.amount[start + entry]!, cost: columns.cost[start + entry]! };
}

function totalOf({ columns, start }: HopOrders, entries: readonly number[]): Total {
  let [got, paid, dearest] = [0, 0, 0];
  for (const entry of entries) {
    got += columns.amount[start + entry]!;
    paid += columns.cost[start + entry]!;
    dearest = Math.max(dearest, columns.price[start + entry]!);
  }
  return { got, paid, dearest };
}

/**
 * Whether the others can use up the amount where an order leaves, and be as good, were what is too much given
 * up at the dearest. `rounded`: by how much costs may be too low.
 */
function canLeave(
  all: Total,
  leaving: { readonly amount: number; readonly cost: number },
  { direction, amount }: Omit<ExchangeDemand, "slots">,
  known: number,
  rounded: number,
): boolean {
  const got = all.got - leaving.amount;
  const paid = all.paid - leaving.cost;
  const { dearest } = all;
  const slack = amount * 4e-12;
  // The break item is rounded, too.
  const least = known - EQUAL * Math.abs(known) - 2;
  if (direction === BUY) {
    const over = got - amount;
    return over >= -slack && (over + slack) * dearest - paid >= least;
  }
  const over = paid - amount;
  return over >= -slack - dearest - rounded && got - (over - slack - 2) / dearest >= least;
}

/** Whether orders and one more can be better than `known`, were what is too much given up at the dearest. */
function mayBeBetter(
  { columns, start }: HopOrders,
  total: Total,
  entering: number,
  { direction, amount }: ExchangeDemand,
  known: number,
): boolean {
  const at = start + entering;
  const price = columns.price[at]!;
  const dearest = price > total.dearest ? price : total.dearest;
  const got = total.got + columns.amount[at]!;
  const paid = total.paid + columns.cost[at]!;
  const slack = amount * 1e-12 + dearest + 1;
  if (direction === BUY) {
    const over = got - amount;
    return over >= -slack && paid - over * dearest <= -known + slack;
  }
  const over = paid - amount;
  return over >= -slack && got - over / dearest >= known - slack - 2 / dearest;
}

/** The set with each of its orders as the break item, where that is no worse than `known` by `part` of it. */
function* completed(
  orders: HopOrders,
  set: readonly number[],
  demand: ExchangeDemand,
  known: number,
  part: number,
): Generator<readonly number[]> {
  const { amount, cost, price } = orders.columns;
  const { start } = orders;
  const sells = demand.direction === SELL;
  let [got, paid] = [0, 0];
  for (const entry of set) {
    got += amount[start + entry]!;
    paid += cost[start + entry]!;
  }
  const least = known - part * Math.abs(known);
  const wanted = demand.amount;
  const slack = wanted * 1e-12;
  for (const last of set) {
    const at = start + last;
    const rest = wanted - (sells ? paid - cost[at]! : got - amount[at]!);
    const whole = sells ? cost[at]! + price[at]! : amount[at]!;
    if (rest < -slack || rest > whole * (1 + 1e-12) + slack) continue;
    const value = sells
      ? got - amount[at]! + Math.min(amount[at]!, rest / price[at]!)
      : -(paid - cost[at]! + rest * price[at]!);
    // The break item is rounded.
    if (value < least - 1 + (part < 0 ? 1 : 0)) continue;
    yield [...set.filter((entry) => entry !== last), last];
  }
}

/** What a selection gets (SELL) or the negative of what it costs (BUY), for the whole amount. */
function hopValue(
  { columns, start }: HopOrders,
  listed: readonly number[],
  { direction, amount }: ExchangeDemand,
): number {
  let [got, paid] = [0, 0];
  for (const entry of listed) {
    const at = start + entry;
    const left = direction === BUY ? amount - got : (amount - paid) / columns.price[at]!;
    const gets = Math.min(left, columns.amount[at]!);
    got += gets;
    paid += gets === columns.amount[at] ? columns.cost[at]! : gets * columns.price[at]!;
  }
  return direction === SELL ? got : -paid;
}
