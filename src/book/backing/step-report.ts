// What a step of the backing records means to others: to the store, the shared book and the people
// who watch.
import type { Backing } from "../../model/backing.ts";
import type { BookChange } from "../book-change.ts";
import type { DomainEvent } from "../domain-event.ts";
import type { BackingRow } from "../step.ts";
import { approvalRow, entryRow, networkRow, recordRow, recordRowKey } from "./backing-rows.ts";
import { type BackingRecord, isInBook, isShort, isShown, type RecordId } from "./record.ts";
import type { StepView } from "./step-view.ts";
import type { Token } from "./token.ts";

/** A touched record before and after the step; absent: not tracked. */
export type RecordChange = {
  readonly id: RecordId;
  readonly former: BackingRecord | undefined;
  readonly now: BackingRecord | undefined;
};

/** `edited`: records whose orders changed, and so what each order gets of the budget. */
export function recordChanges(
  { touched, state, records }: StepView,
  edited: ReadonlySet<RecordId>,
): readonly RecordChange[] {
  const changes: RecordChange[] = [];
  for (const id of touched) {
    const former = state.records.get(id);
    const now = records.get(id);
    if (former !== now || edited.has(id)) changes.push({ id, former, now });
  }
  return changes;
}

/** The step's rows of records, followed entries and the network. */
export function rowsOf(view: StepView, changes: readonly RecordChange[]): BackingRow[] {
  const rows: BackingRow[] = [];
  if (view.baseReserve !== view.state.baseReserve) rows.push(networkRow(view));
  for (const { former, now } of changes) {
    if (now === undefined && former !== undefined) {
      rows.push({ key: recordRowKey(former.owner, former.asset) });
    } else if (
      now !== undefined &&
      (now.backing !== former?.backing ||
        now.polled !== former.polled ||
        isShort(now) !== isShort(former))
    ) {
      rows.push(recordRow(now));
    }
  }
  for (const [key, followed] of view.entries.changes()) rows.push(entryRow(key, followed));
  for (const [id, liveUntil] of view.approvals.changes()) rows.push(approvalRow(id, liveUntil));
  return rows;
}

export function bookChangesOf(view: StepView, records: readonly RecordChange[]): BookChange[] {
  const changes: BookChange[] = [];
  const { eventsMax } = view;
  if (eventsMax !== view.state.eventsMax) changes.push({ kind: "eventsMax", bytes: eventsMax });
  for (const { former, now } of records) {
    const was = former !== undefined && isInBook(former);
    if (now !== undefined && isInBook(now)) {
      if (was && now.next === former.next) continue;
      changes.push(backingChange(now.next, view.tokens.get(now.asset)));
    } else if (was) {
      changes.push({ kind: "forget", owner: former.owner, asset: former.asset });
    }
  }
  return changes;
}

export function backingChange(backing: Backing, token: Token | undefined): BookChange {
  return { kind: "backing", backing, ...(token === undefined ? {} : { token }) };
}

export function backingEvents(
  changes: readonly RecordChange[],
  edited: ReadonlySet<RecordId>,
): DomainEvent[] {
  const events: DomainEvent[] = [];
  for (const { id, former, now } of changes) {
    if (now !== undefined && isShown(now)) {
      const { owner, asset, backing } = now;
      const isChanged = backing !== former?.backing && backing.updated !== undefined;
      if (!isChanged && !edited.has(id)) continue;
      events.push({ kind: "backing", owner, asset, backing });
    } else if (former !== undefined && isShown(former)) {
      events.push({ kind: "backing", owner: former.owner, asset: former.asset });
    }
  }
  return events;
}
