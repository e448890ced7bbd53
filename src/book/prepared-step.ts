import type { Address } from "../model/address.ts";
import type { ContractState } from "../model/contract-state.ts";
import type { LedgerDelta } from "../model/ledger-delta.ts";
import type { NewOrderEvent } from "../model/order-event.ts";
import type { LedgerCursor, StepRecord } from "../store/step-record.ts";
import type { BookChange } from "./book-change.ts";
import { candleChanges, type StoredCandleEnds } from "./candle-writer.ts";
import type { Happening } from "./happening.ts";
import type { Ignored, Lifecycle } from "./lifecycle.ts";
import type { BackingView, PreparedBacking } from "./step.ts";
import { bookChanges, type LiveChange, liveChanges } from "./step-changes.ts";

/** A step computed in full: stored first, then shown, or dropped without a trace. */
export type PreparedStep = {
  readonly deltas: readonly LedgerDelta[];
  readonly record: StepRecord;
  readonly orders: readonly LiveChange[];
  readonly contract: ContractState;
  readonly changes: readonly BookChange[];
  readonly happenings: readonly Happening[];
  readonly ignored: Ignored;
  readonly backing?: PreparedBacking;
};

/** What a step starts from. */
export type StepSurroundings = {
  readonly view: BackingView | undefined;
  readonly storedCandles: StoredCandleEnds;
  /** Whether a live order of the state shown does. */
  readonly sells: (owner: Address, asset: Address) => boolean;
  /** The ledger shown; undefined before the first. */
  readonly shown: LedgerCursor | undefined;
};

/** The backing records come last: they follow from the orders as the step leaves them. */
export function prepareStep(
  lifecycle: Lifecycle,
  deltas: readonly LedgerDelta[],
  { view, storedCandles, sells, shown }: StepSurroundings,
): PreparedStep {
  const record = lifecycle.record();
  const orders = liveChanges(record.orders);
  const backing = view?.prepare({ deltas, orders, skips: record.skips });
  const at = record.cursor ?? shown;
  const budgets =
    at === undefined || view === undefined || backing === undefined
      ? []
      : budgetEvents(backing.happenings, orders, { view, sells, at });
  return {
    deltas,
    record: {
      ...record,
      orderEvents: [...record.orderEvents, ...budgets],
      candles: candleChanges(record.trades, storedCandles),
      backing: backing?.rows ?? [],
    },
    orders,
    contract: lifecycle.contract,
    changes: [...bookChanges(orders), ...(backing?.changes ?? [])],
    happenings: [...lifecycle.happenings, ...(backing?.happenings ?? [])],
    ignored: lifecycle.ignored,
    ...(backing && { backing }),
  };
}

/** Budgets that changed behind live orders, and those that an owner's first live order brings in. */
function budgetEvents(
  happenings: readonly Happening[],
  orders: readonly LiveChange[],
  {
    view,
    sells,
    at,
  }: Pick<StepSurroundings, "sells"> & { readonly view: BackingView; readonly at: LedgerCursor },
): readonly NewOrderEvent[] {
  const sellers = new Set(orders.map(({ after }) => after && after.owner + after.selling));
  const events: NewOrderEvent[] = [];
  for (const happening of happenings) {
    if (happening.kind !== "backing") continue;
    const { owner, asset } = happening;
    const before = view.backing(owner, asset)?.budget;
    const budget = happening.backing?.budget;
    const isSeller = sellers.has(owner + asset);
    if (before === budget && !isSeller) continue;
    const sold = sells(owner, asset);
    if (sold ? before === budget : !isSeller) continue;
    events.push({
      ...{ type: "budget", ledger: at.ledger, timestamp: at.closeTime, owner, asset },
      ...(before === undefined ? {} : { before }),
      ...(budget === undefined ? {} : { budget }),
    });
  }
  return events;
}
