// One step of the backing records: computed over the visible state, made visible by `commit`.
import assert from "node:assert/strict";
import type { Address, Pair } from "../../model/address.ts";
import type { Backing } from "../../model/backing.ts";
import type { EntriesLoaded } from "../../model/entry-tracking.ts";
import type { LedgerDelta } from "../../model/ledger-delta.ts";
import { atOnce, portions } from "../../model/slice-turns.ts";
import { RecordWriter } from "../../store/record-bytes.ts";
import type { BookChange } from "../book-change.ts";
import type { DomainEvent } from "../domain-event.ts";
import type { OrderCount } from "../live-tally.ts";
import { KEPT_ORDERS } from "../order-shares.ts";
import type { BackingRow, BackingStep, PreparedBacking } from "../step.ts";
import { approvalRow, entryRow, networkRow, recordRow, recordRowKey } from "./backing-rows.ts";
import {
  type BackingState,
  EVENTS_SETTING,
  type FollowedKeys,
  NETWORK,
  StepView,
} from "./backing-state.ts";
import {
  lapseApprovals,
  type PollAnswer,
  type PollWork,
  pollWork,
  takeAnswer,
  touchPolled,
} from "./custom-tokens.ts";
import type { Token } from "./ledger-keys.ts";
import {
  changedBacking,
  inNextLedger,
  isInBook,
  isShort,
  isShown,
  isUnloaded,
  type RecordChange,
  type RecordId,
  recordId,
} from "./record.ts";
import { ReferenceChanges, refer, touchEntry, valuesOf } from "./references.ts";

/** What came in between the steps. Taken by a batch, and used up once that is committed. */
export type PendingUpdates = {
  readonly loads: readonly EntriesLoaded[];
  readonly answers: readonly PollAnswer[];
  readonly watchChanges: ReadonlyMap<Address, boolean>;
};

const NO_UPDATES: PendingUpdates = { loads: [], answers: [], watchChanges: new Map() };
const NO_STEP: BackingStep = { deltas: [], orders: [], skips: [] };

/** What to do once a batch is visible. */
export type Committed = {
  /** Of the keys to track. */
  readonly request: number;
  readonly keys: FollowedKeys;
  readonly polls: PollWork;
};

/** A step computed over the visible state, which it leaves as it is: used once, committed or dropped. */
export type BackingBatch = {
  /** Number of the request for the keys that it starts to follow: each commit takes the next. */
  readonly request: number;
  readonly view: StepView;
  readonly references: ReferenceChanges;
  /** Records whose orders changed. */
  readonly edited: ReadonlySet<RecordId>;
  readonly changes: readonly RecordChange[];
};

/** The step that a start is: `markets` are open, and all live orders come at once. */
export function startBatch(
  state: BackingState,
  markets: readonly Pair[],
  orders: Iterable<OrderCount>,
): BackingBatch {
  const references = new ReferenceChanges(state, NO_UPDATES.watchChanges);
  for (const pair of markets) references.market(pair);
  references.loadOrders(orders);
  return atOnce(batching(state, references, NO_STEP, NO_UPDATES));
}

/** In portions, between which the visible state stays as it is. */
export function* stepBatch(
  state: BackingState,
  step: BackingStep,
  updates: PendingUpdates,
): Generator<void, BackingBatch> {
  const references = new ReferenceChanges(state, updates.watchChanges);
  yield* portions(step.orders, (change) => references.order(change));
  for (const { events } of step.deltas) {
    for (const event of events) if (event.kind === "refresh") references.market(event);
  }
  return yield* batching(state, references, step, updates);
}

function* batching(
  state: BackingState,
  references: ReferenceChanges,
  step: BackingStep,
  updates: PendingUpdates,
): Generator<void, BackingBatch> {
  const request = state.nextRequest;
  const view = new StepView(state, step.deltas.at(-1));
  yield* portions(references.references, ([id, reference]) => refer(view, id, reference));
  for (const { record } of references.orderEdits) view.touched.add(record);
  if (!state.entries.dependents.has(EVENTS_SETTING)) view.entries.follow(EVENTS_SETTING, NETWORK);
  yield* changeEntries(view, step.deltas, updates.loads);
  yield* touchByTime(view);
  lapseApprovals(view);
  yield* touchPolled(view, step);
  for (const answer of updates.answers) takeAnswer(view, answer);
  if (step.deltas.length > 0) view.entries.expireIdle(view.ledger);
  yield* compute(view, step.skips);
  const edited = new Set(references.orderEdits.map(({ record }) => record));
  return { request, view, references, edited, changes: yield* recordChanges(view, edited) };
}

/** What the step means to others. Only before the commit. */
export function* reportOf({
  view,
  changes,
  edited,
}: BackingBatch): Generator<void, Omit<PreparedBacking, "apply">> {
  return {
    rows: yield* rowsOf(view, changes),
    changes: yield* bookChangesOf(view, changes),
    events: yield* backingEvents(changes, edited),
  };
}

/**
 * Makes the step visible and returns what to ask of the reader and of tokens. Throws where another was
 * committed since it was made.
 */
export function commitBatch(batch: BackingBatch): Committed {
  const { request, view, references, edited, changes } = batch;
  const { state } = view;
  assert(state.nextRequest === request, "a batch is of the visible state");
  state.ledger = view.ledger;
  state.closeTime = view.closeTime;
  state.baseReserve = view.baseReserve;
  state.eventsMax = view.eventsMax;
  for (const [id, record] of view.records.changes()) {
    const former = state.records.get(id);
    state.unloaded += Number(isUnloaded(record)) - Number(isUnloaded(former));
    state.lapses.change(id, former?.backing.liveUntil ?? 0, record?.backing.liveUntil ?? 0);
    if (record !== undefined) state.setOfOwner(id, record);
    else if (former !== undefined) state.removeFromOwner(former);
  }
  view.records.commit();
  view.tokens.commit();
  for (const [id, until] of view.approvals.changes()) {
    state.approvalEnds.change(id, state.approvals.get(id) ?? 0, until ?? 0);
  }
  view.approvals.commit();
  for (const asset of references.newMarketTokens) state.marketTokens.add(asset);
  for (const [owner, watched] of references.watchChanges) {
    if (watched) state.watched.add(owner);
    else state.watched.delete(owner);
  }
  for (const id of edited) {
    const record = state.records.get(id);
    if (record !== undefined && record.orders >= KEPT_ORDERS) state.shares.keep(id, record);
  }
  for (const { record, before, after } of references.orderEdits) {
    state.shares.change(record, before, after);
  }
  state.nextRequest += 1;
  return { request, keys: view.entries.commit(view.ledger), polls: pollWork(changes) };
}

/** Changes first: an answer knows by their ledgers which of them it includes. */
function* changeEntries(
  view: StepView,
  deltas: readonly LedgerDelta[],
  loads: readonly EntriesLoaded[],
): Generator<void, void> {
  const keys = new Set<string>();
  for (const { ledger, entries } of deltas) {
    yield* portions(entries, (change) => {
      if (view.entries.change(change, ledger)) keys.add(change.key);
    });
  }
  yield* portions(loads, (load) => {
    for (const key of view.entries.loaded(load)) keys.add(key);
  });
  yield* portions(dependentsOf(view, keys), ([key, id]) => touchEntry(view, id, key));
}

/** All records of a token, where an entry is that of its issuer or its own. */
function* dependentsOf(
  view: StepView,
  keys: Iterable<string>,
): Iterable<readonly [string, RecordId]> {
  for (const key of keys) for (const id of view.entries.dependents(key)) yield [key, id];
}

/** What changes though no entry does: allowances that lapse, and the base reserve. */
function* touchByTime(view: StepView): Generator<void, void> {
  const { ledger, baseReserve, lapses, records } = view.state;
  const touch = (id: RecordId) => view.touched.add(id);
  yield* portions(lapses.between(ledger, view.ledger), touch);
  yield* portions(lapses.endingIn(view.ledger), touch);
  if (baseReserve === view.baseReserve) return;
  yield* portions(records, ([id, { asset }]) => {
    if (view.tokenOf(asset)?.kind === "native") touch(id);
  });
}

function* compute(view: StepView, skips: BackingStep["skips"]): Generator<void, void> {
  const skipped = new Map<RecordId, number>();
  for (const { owner, asset, time } of skips) {
    skipped.set(recordId(owner, asset), time);
    view.touched.add(recordId(owner, asset));
  }
  yield* portions(view.touched, (id) => {
    const record = view.records.get(id);
    if (record === undefined) return;
    const values = valuesOf(view, record);
    const backing = changedBacking(record.backing, values, {
      pending: record.polled?.awaiting !== undefined,
      skipped: skipped.get(id) ?? record.backing.skipped,
      now: view.state.restored.get(id)?.updated ?? view.closeTime,
    });
    const short = values === undefined ? isShort(record) : values.short === true;
    const next = inNextLedger(backing, { ledger: view.ledger, short }, record.next);
    if (backing === record.backing && next === record.next) return;
    view.records.set(id, { ...record, backing, next });
  });
}

// What a step of the backing records means to others: to the store, the shared book and the people
// who watch.

/** `edited`: records whose orders changed, and so what each order gets of the budget. */
function* recordChanges(
  { touched, state, records }: StepView,
  edited: ReadonlySet<RecordId>,
): Generator<void, readonly RecordChange[]> {
  const changes: RecordChange[] = [];
  yield* portions(touched, (id) => {
    const former = state.records.get(id);
    const now = records.get(id);
    if (former !== now || edited.has(id)) changes.push({ id, former, now });
  });
  return changes;
}

/** The step's rows of records, followed entries and the network. */
function* rowsOf(
  view: StepView,
  changes: readonly RecordChange[],
): Generator<void, readonly BackingRow[]> {
  const rows: BackingRow[] = [];
  const writer = new RecordWriter();
  if (view.baseReserve !== view.state.baseReserve) rows.push(networkRow(writer, view));
  yield* portions(changes, ({ former, now }) => {
    if (now === undefined && former !== undefined) {
      rows.push({ key: recordRowKey(former.owner, former.asset) });
    } else if (
      now !== undefined &&
      (now.backing !== former?.backing ||
        now.polled !== former.polled ||
        isShort(now) !== isShort(former))
    ) {
      rows.push(recordRow(writer, now));
    }
  });
  yield* portions(view.entries.changes(), ([key, followed]) => {
    rows.push(entryRow(writer, key, followed));
  });
  for (const [id, liveUntil] of view.approvals.changes()) {
    rows.push(approvalRow(writer, id, liveUntil));
  }
  return rows;
}

function* bookChangesOf(
  view: StepView,
  records: readonly RecordChange[],
): Generator<void, BookChange[]> {
  const changes: BookChange[] = [];
  const { eventsMax } = view;
  if (eventsMax !== view.state.eventsMax) changes.push({ kind: "eventsMax", bytes: eventsMax });
  yield* portions(records, ({ former, now }) => {
    const was = former !== undefined && isInBook(former);
    if (now !== undefined && isInBook(now)) {
      if (was && now.next === former.next) return;
      changes.push(backingChange(now.next, view.tokens.get(now.asset)));
    } else if (was) {
      changes.push({ kind: "forget", owner: former.owner, asset: former.asset });
    }
  });
  return changes;
}

export function backingChange(backing: Backing, token: Token | undefined): BookChange {
  return { kind: "backing", backing, ...(token === undefined ? {} : { token }) };
}

function* backingEvents(
  changes: readonly RecordChange[],
  edited: ReadonlySet<RecordId>,
): Generator<void, DomainEvent[]> {
  const events: DomainEvent[] = [];
  const budgets = new Set<Address>();
  yield* portions(changes, ({ id, former, now }) => {
    if (now !== undefined && isShown(now)) {
      const { owner, asset, backing } = now;
      const isChanged = backing !== former?.backing && backing.updated !== undefined;
      if (!isChanged && !edited.has(id)) {
        if (now.orders > 0 && former !== undefined && now.next !== former.next) budgets.add(asset);
        return;
      }
      events.push({ kind: "backing", owner, asset, backing });
    } else if (former !== undefined && isShown(former)) {
      events.push({ kind: "backing", owner: former.owner, asset: former.asset });
    }
  });
  for (const asset of budgets) events.push({ kind: "nextBudget", asset });
  return events;
}
