// Local search (1-exchange): a hop's selections that differ from one by a single order, which is
// replaced, added or dropped. Plain numbers pick those worth settling; integers decide.
import {
  type BookView,
  ORDER_AMOUNT_F64,
  ORDER_PRICE_F64,
  ORDER_STRIDE_F64,
} from "../../book/shared-layout.ts";
import type { HopOrders } from "./hop-problem.ts";
import { realPrice } from "./rounding.ts";

/** Candidates of a hop up to which orders are replaced and added; orders are dropped whatever it has. */
const EXCHANGE_CANDIDATES_MAX = 200;
/** What a selection may be worse by with an order less: a part that counts as equal, and the floats'. */
const EQUAL = 1.5e-9;
/** What one with as many orders or more must be better by, as a part. */
const BETTER = 1e-10;
/** Relative error of sums. */
const ERROR = 1e-12;

/**
 * What a hop takes: SELL, all of `amount` is paid; BUY, it is got. `slots`: orders that may be listed; 0:
 * orders are only dropped.
 */
export type ExchangeDemand = {
  readonly sells: boolean;
  readonly amount: number;
  readonly slots: number;
};

type Flow = Omit<ExchangeDemand, "slots">;

type Order = { readonly amount: number; readonly cost: number; readonly price: number };
type Candidate = Order & { readonly entry: number };

/**
 * Orders, all of them whole: what they use of the amount; what they come to, which is what they get (SELL)
 * or the negative of what they cost (BUY); the dearest price.
 */
type Total = { readonly uses: number; readonly value: number; readonly dearest: number };

/**
 * Selections, as entries in matching order, that may be as good as `listed` with an order less, or better.
 */
export function* oneExchanges(
  { columns, count }: HopOrders,
  listed: readonly number[],
  demand: ExchangeDemand,
): Generator<readonly number[]> {
  const candidateAt = (entry: number): Candidate => {
    const [amount, cost, price] = [
      columns.amount[entry]!,
      columns.cost[entry]!,
      columns.price[entry]!,
    ];
    return { entry, amount, cost, price };
  };
  const own = listed.map(candidateAt);
  const all = totalOf(demand, own);
  const known = valueWith(demand, all, own.at(-1)!);
  const leastOfFewer = leastWithout(known);
  const leastOfOthers = known + BETTER * Math.abs(known);
  const [uses, gives] = demand.sells
    ? [columns.cost, columns.amount]
    : [columns.amount, columns.cost];
  const sign = demand.sells ? 1 : -1;
  for (const leaving of [...own, undefined]) {
    const kept = own.filter((order) => order !== leaving);
    if (leaving !== undefined && canLeave(demand, all, leaving, leastOfFewer)) {
      yield* completed(demand, kept, leastOfFewer);
    }
    if (count > EXCHANGE_CANDIDATES_MAX || kept.length >= demand.slots) continue;
    const total = totalOf(demand, kept);
    for (let entering = 0; entering < count; entering += 1) {
      const price = columns.price[entering]!;
      const dearest = price > total.dearest ? price : total.dearest;
      const value = total.value + sign * gives[entering]!;
      if (!mayReach(demand, total.uses + uses[entering]!, value, dearest, leastOfOthers)) continue;
      if (listed.includes(entering)) continue;
      yield* completed(demand, [...kept, candidateAt(entering)], leastOfOthers);
    }
  }
}

/**
 * Whether an order of a selection, in matching order, may be left out for none in its stead, by amounts and
 * prices alone: false where `oneExchanges` would list none of those. `orderSlots`: where the book's memory
 * holds them.
 */
export function mayDropOne(view: BookView, orderSlots: readonly number[], flow: Flow): boolean {
  const orders = orderSlots.map((slot): Order => {
    const at = slot * ORDER_STRIDE_F64;
    const amount = view.orderF64[at + ORDER_AMOUNT_F64]!;
    const price = realPrice(view.orderF64[at + ORDER_PRICE_F64]!);
    return { amount, price, cost: amount * price };
  });
  const all = totalOf(flow, orders);
  // Each cost is rounded up by less than a unit, which counts for what is used and for what is known.
  const rounded = orders.length;
  const cheapest = Math.min(...orders.map(({ price }) => price));
  const unit = flow.sells ? 2 / cheapest : 1;
  const uses = flow.sells ? all.uses + rounded : all.uses;
  const least = leastWithout(valueWith(flow, all, orders.at(-1)!) - rounded * unit);
  return orders.some((leaving) => canLeave(flow, { ...all, uses }, leaving, least));
}

/** What counts as equal with an order less; the break item is rounded. */
function leastWithout(known: number): number {
  return known - EQUAL * Math.abs(known) - 1;
}

function totalOf({ sells }: Flow, orders: readonly Order[]): Total {
  let [got, paid, dearest] = [0, 0, 0];
  for (const { amount, cost, price } of orders) {
    got += amount;
    paid += cost;
    dearest = Math.max(dearest, price);
  }
  return sells ? { uses: paid, value: got, dearest } : { uses: got, value: -paid, dearest };
}

function canLeave(flow: Flow, all: Total, { amount, cost }: Order, least: number): boolean {
  return flow.sells
    ? mayReach(flow, all.uses - cost, all.value - amount, all.dearest, least)
    : mayReach(flow, all.uses - amount, all.value + cost, all.dearest, least);
}

/** Whether orders can come to `least`, were what they use too much given up at the dearest price. */
function mayReach(
  { sells, amount }: Flow,
  uses: number,
  value: number,
  dearest: number,
  least: number,
): boolean {
  const slack = amount * 4 * ERROR;
  const over = uses - amount;
  // Costs are rounded, and so is the break item: two units.
  if (sells) return over >= -slack - dearest && value - (over - slack - 2) / dearest >= least;
  return over >= -slack && value + (over + slack) * dearest + 2 >= least;
}

/** The selections of all these orders, each with another break item, that come to `least`. */
function* completed(
  flow: Flow,
  orders: readonly Candidate[],
  least: number,
): Generator<readonly number[]> {
  const total = totalOf(flow, orders);
  for (const last of orders) {
    if (!canTake(flow, total, last) || valueWith(flow, total, last) < least) continue;
    yield [...orders.filter((order) => order !== last), last].map(({ entry }) => entry);
  }
}

/** Whether a break item can take what the others leave: selling, but for what buys nothing at the dearest. */
function canTake(flow: Flow, { uses, dearest }: Total, { amount, cost }: Order): boolean {
  const sells = flow.sells;
  const whole = sells ? cost : amount;
  const rest = flow.amount - uses + whole;
  const slack = flow.amount * ERROR;
  return rest >= -slack && rest <= (whole + (sells ? dearest : 0)) * (1 + ERROR) + slack;
}

/** What orders come to with `last` as the break item. */
function valueWith(flow: Flow, { uses, value }: Total, { amount, cost, price }: Order): number {
  const left = flow.amount - uses;
  return flow.sells
    ? value - amount + Math.min(amount, (left + cost) / price)
    : value + cost - (left + amount) * price;
}
