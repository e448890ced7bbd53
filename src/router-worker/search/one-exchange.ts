// Local search (1-exchange): a hop's selections that differ from one by a single order, which is
// replaced, added or dropped. Plain numbers pick those worth settling; integers decide.
import {
  type BookView,
  ORDER_AMOUNT_F64,
  ORDER_PRICE_F64,
  ORDER_STRIDE_F64,
} from "../../book/shared-layout.ts";
import { priceAt } from "./hop-columns.ts";
import type { HopOrders } from "./hop-problem.ts";
import { costOf, realPrice } from "./rounding.ts";

/** Candidates of a hop up to which orders are replaced and added; orders are dropped whatever it has. */
const EXCHANGE_CANDIDATES_MAX = 200;
/** What a selection may be worse by with an order less: a part that counts as equal, and the floats'. */
const EQUAL = 1.5e-9;
/** What one with as many orders or more must be better by, as a part. */
const BETTER = 1e-10;
/** Relative error of sums. */
const ERROR = 1e-12;

/** What a hop takes: SELL, all of `amount` is paid; BUY, it is got. */
type Flow = { readonly sells: boolean; readonly amount: number };

export type ExchangeDemand = Flow & {
  /** Orders that may be listed. */
  readonly slots: number;
  /** Orders that may enter; undefined: orders are only dropped. */
  readonly candidates: HopOrders | undefined;
};

/** `slot`: where the book's memory holds it. */
type Order = {
  readonly slot: number;
  readonly amount: number;
  readonly cost: number;
  readonly price: number;
};

/**
 * Orders, all of them whole: what they use of the amount; what they come to, which is what they get (SELL)
 * or the negative of what they cost (BUY); the dearest price.
 */
type Total = { readonly uses: number; readonly value: number; readonly dearest: number };

/**
 * Selections, as the slots of orders in matching order, that may be as good as `listed` with an order less, or
 * better.
 */
export function* oneExchanges(
  view: BookView,
  listed: readonly number[],
  demand: ExchangeDemand,
): Generator<readonly number[]> {
  const own = listed.map((slot) => orderAt(view, slot));
  const known = valueWith(demand, totalOf(demand, own), own.at(-1)!);
  const leastOfFewer = known - EQUAL * Math.abs(known) - 1;
  const leastOfOthers = known + BETTER * Math.abs(known);
  const { candidates } = demand;
  const canEnter = candidates !== undefined && candidates.count <= EXCHANGE_CANDIDATES_MAX;
  for (const leaving of [...own, undefined]) {
    const kept = own.filter((order) => order !== leaving);
    const total = totalOf(demand, kept);
    if (leaving !== undefined && mayReach(demand, total, leastOfFewer)) {
      yield* completed(demand, kept, leastOfFewer);
    }
    if (!canEnter || kept.length >= demand.slots) continue;
    const { amount, cost, price, slot } = candidates.columns;
    for (let entry = 0; entry < candidates.count; entry += 1) {
      const entering = {
        slot: slot[entry]!,
        amount: amount[entry]!,
        cost: cost[entry]!,
        price: price[entry]!,
      };
      if (!mayReach(demand, withOrder(demand, total, entering), leastOfOthers)) continue;
      if (listed.includes(entering.slot)) continue;
      yield* completed(demand, [...kept, entering], leastOfOthers);
    }
  }
}

function orderAt({ orderF64, orderU64 }: BookView, slot: number): Order {
  const at = slot * ORDER_STRIDE_F64;
  const amount = orderF64[at + ORDER_AMOUNT_F64]!;
  const price = realPrice(orderF64[at + ORDER_PRICE_F64]!);
  return { slot, amount, price, cost: costOf(amount, price, orderU64, priceAt(slot)) };
}

function totalOf(flow: Flow, orders: readonly Order[]): Total {
  let total = { uses: 0, value: 0, dearest: 0 };
  for (const order of orders) total = withOrder(flow, total, order);
  return total;
}

function withOrder({ sells }: Flow, { uses, value, dearest }: Total, order: Order): Total {
  const { amount, cost, price } = order;
  return {
    uses: uses + (sells ? cost : amount),
    value: sells ? value + amount : value - cost,
    dearest: price > dearest ? price : dearest,
  };
}

/** Whether orders can come to `least`, were what they use too much given up at the dearest price. */
function mayReach(
  { sells, amount }: Flow,
  { uses, value, dearest }: Total,
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
  orders: readonly Order[],
  least: number,
): Generator<readonly number[]> {
  const total = totalOf(flow, orders);
  for (const last of orders) {
    if (!canTake(flow, total, last) || valueWith(flow, total, last) < least) continue;
    yield [...orders.filter((order) => order !== last), last].map(({ slot }) => slot);
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
