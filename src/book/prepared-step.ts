import type { ContractState } from "../model/contract-state.ts";
import type { LedgerDelta } from "../model/ledger-delta.ts";
import type { StepRecord } from "../store/step-record.ts";
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

/** The backing records come last: they follow from the orders as the step leaves them. */
export function prepareStep(
  lifecycle: Lifecycle,
  deltas: readonly LedgerDelta[],
  view: BackingView | undefined,
  storedCandles: StoredCandleEnds,
): PreparedStep {
  const record = lifecycle.record();
  const orders = liveChanges(record.orders);
  const backing = view?.prepare({ deltas, orders, skips: record.skips });
  return {
    deltas,
    record: {
      ...record,
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
