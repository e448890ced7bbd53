// What a step of the backing records means to others: to the store, the shared book and the people
// who watch.
import type { BookChange } from "../book-change.ts";
import type { Happening } from "../happening.ts";
import type { BackingRow } from "../step.ts";
import { entryRow, networkRow, recordRow, recordRowKey } from "./backing-rows.ts";
import { type BackingRecord, isInBook, isShown, type RecordId, recordId } from "./record.ts";
import type { StepView } from "./step-view.ts";

type Change = {
  readonly former: BackingRecord | undefined;
  readonly now: BackingRecord | undefined;
};

/** The step's rows of records, followed entries and the network. */
export function rowsOf(view: StepView): BackingRow[] {
  const rows: BackingRow[] = [];
  if (view.baseReserve !== view.state.baseReserve) rows.push(networkRow(view));
  for (const { former, now } of changesOf(view)) {
    if (now === undefined && former !== undefined) {
      rows.push({ key: recordRowKey(former.owner, former.asset) });
    } else if (
      now !== undefined &&
      (now.backing !== former?.backing || now.polled !== former.polled)
    ) {
      rows.push(recordRow(now));
    }
  }
  for (const [key, followed] of view.entries.changes()) rows.push(entryRow(key, followed));
  return rows;
}

export function bookChangesOf(view: StepView): BookChange[] {
  const changes: BookChange[] = [];
  for (const { former, now } of changesOf(view)) {
    const was = former !== undefined && isInBook(former);
    if (now !== undefined && isInBook(now)) {
      if (was && now.backing === former.backing) continue;
      changes.push({ kind: "backing", backing: now.backing });
    } else if (was) {
      changes.push({ kind: "forget", owner: former.owner, asset: former.asset });
    }
  }
  return changes;
}

/** `edited`: records whose orders changed, and so what each order gets of the budget. */
export function happeningsOf(view: StepView, edited: ReadonlySet<RecordId>): Happening[] {
  const happenings: Happening[] = [];
  for (const { former, now } of changesOf(view)) {
    if (now !== undefined && isShown(now)) {
      const { owner, asset, backing } = now;
      const isNews = backing !== former?.backing && backing.updated !== undefined;
      const shares = edited.has(recordId(owner, asset));
      if (isNews || shares) happenings.push({ kind: "backing", owner, asset, backing });
    } else if (former !== undefined && isShown(former)) {
      happenings.push({ kind: "backing", owner: former.owner, asset: former.asset });
    }
  }
  return happenings;
}

function* changesOf({ touched, state, records }: StepView): Iterable<Change> {
  for (const id of touched) yield { former: state.records.get(id), now: records.get(id) };
}
