import type { Address } from "../model/address.ts";
import type { ContractState } from "../model/contract-state.ts";
import type { LedgerDelta } from "../model/ledger-delta.ts";
import type { Order } from "../model/order.ts";
import type { NewOrderEvent } from "../model/order-event.ts";
import type { CandleTable } from "../store/candle-table.ts";
import type { LedgerCursor, StepRecord } from "../store/step-record.ts";
import type { BackingRecords } from "./backing/backing-records.ts";
import type { BookChange } from "./book-change.ts";
import { candleChanges } from "./candle-writer.ts";
import type { DomainEvent } from "./domain-event.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { PreparedBacking } from "./step.ts";
import { bookChanges, type LiveChange, liveChanges } from "./step-changes.ts";
import type { UnknownOrder } from "./step-meter.ts";

/** A step computed in full: stored first, then shown, or dropped without a trace. */
export type PreparedStep = {
  readonly deltas: readonly LedgerDelta[];
  readonly record: StepRecord;
  readonly orders: readonly LiveChange[];
  readonly contract: ContractState;
  readonly changes: readonly BookChange[];
  readonly events: readonly DomainEvent[];
  readonly unknown: readonly UnknownOrder[];
  readonly backing?: PreparedBacking;
};

/** What a step starts from. */
export type StepSurroundings = {
  readonly view: BackingRecords | undefined;
  readonly storedCandles: CandleTable;
  /** How many live orders of the state shown sell the asset, counted to `most`. */
  readonly countSelling: (owner: Address, asset: Address, most: number) => number;
  /** The ledger shown; undefined before the first. */
  readonly shown: LedgerCursor | undefined;
};

/** The backing records come last: they follow from the orders as the step leaves them. In a few portions. */
export function* prepareStep(
  lifecycle: Lifecycle,
  deltas: readonly LedgerDelta[],
  { view, storedCandles, countSelling, shown }: StepSurroundings,
): Generator<void, PreparedStep> {
  const record = lifecycle.record();
  const orders = liveChanges(record.orders);
  yield;
  const step = { deltas, orders, skips: record.skips };
  const backing = view === undefined ? undefined : yield* view.preparing(step);
  yield;
  const at = record.cursor ?? shown;
  const budgets =
    at === undefined || view === undefined || backing === undefined
      ? []
      : yield* budgetEvents(backing.events, orders, { view, countSelling, at });
  yield;
  const candles = yield* candleChanges(record.trades, storedCandles);
  return {
    deltas,
    record: {
      ...record,
      orderEvents: [...record.orderEvents, ...budgets],
      candles,
      backing: backing?.rows ?? [],
    },
    orders,
    contract: lifecycle.contract,
    changes: [...bookChanges(orders), ...(backing?.changes ?? [])],
    events: [...lifecycle.events, ...(backing?.events ?? [])],
    unknown: lifecycle.unknown,
    ...(backing && { backing }),
  };
}

/** Looked at in one portion: some tens of microseconds. */
const PORTION_EVENTS = 16;

/** Budgets that changed behind live orders, and those with which an owner's live orders begin and end. */
function* budgetEvents(
  domainEvents: readonly DomainEvent[],
  orders: readonly LiveChange[],
  {
    view,
    countSelling,
    at,
  }: Pick<StepSurroundings, "countSelling"> & {
    readonly view: BackingRecords;
    readonly at: LedgerCursor;
  },
): Generator<void, readonly NewOrderEvent[]> {
  const sellers = new Map<string, number>();
  for (const { before, after } of orders) {
    const { owner, selling } = (after ?? before) as Order;
    const more = (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
    sellers.set(owner + selling, (sellers.get(owner + selling) ?? 0) + more);
  }
  const events: NewOrderEvent[] = [];
  for (const [number, event] of domainEvents.entries()) {
    if (number % PORTION_EVENTS === 0) yield;
    if (event.kind !== "backing") continue;
    const { owner, asset } = event;
    const before = view.backing(owner, asset)?.budget;
    const budget = event.backing?.budget;
    const more = sellers.get(owner + asset) ?? 0;
    if (before === budget && more === 0) continue;
    // Whether there are any, and whether the step takes the last of them: no more need be known.
    const sold = countSelling(owner, asset, Math.max(1, 1 - more));
    // What comes between the last order and the next is not kept: both ends are.
    const isEnd = sold === 0 || sold + more === 0;
    if (sold + more + sold === 0 || (before === budget && !isEnd)) continue;
    events.push({
      ...{ type: "budget", ledger: at.ledger, timestamp: at.closeTime, owner, asset },
      ...(before === undefined ? {} : { before }),
      ...(budget === undefined ? {} : { budget }),
    });
  }
  return events;
}
